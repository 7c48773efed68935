// What controllers send: hellos and commands, and why a command is refused.
#include "io/net/clock.h"
#include "io/wire/server_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int find_identity(const struct server *s, const struct sender *from) {
  for (int i = 0; i < MAX_PEERS; i++) {
    const struct peer *p = &s->peers[i];
    if (p->used && p->identity_size == from->identity_size &&
        memcmp(p->identity, from->identity, from->identity_size) == 0)
      return i;
  }
  return -1;
}

static int find_id(const struct server *s, const char *id) {
  for (int i = 0; i < MAX_PEERS; i++)
    if (s->peers[i].used && strcmp(s->peers[i].id, id) == 0)
      return i;
  return -1;
}

// Whether a makes way before b: those that never sent a command before those that did, then who has been so
// for longest.
static int makes_way_before(const struct peer *a, const struct peer *b) {
  if (!a->tried_ms != !b->tried_ms)
    return !a->tried_ms;
  return a->tried_ms != b->tried_ms ? a->tried_ms < b->tried_ms : a->number < b->number;
}

// A free place; where there is none, the idlest peer makes way, never the one in command.
static int place_for_newcomer(struct server *s) {
  int idlest = -1;
  for (int i = 0; i < MAX_PEERS; i++) {
    if (!s->peers[i].used)
      return i;
    if (i != s->in_command && (idlest < 0 || makes_way_before(&s->peers[i], &s->peers[idlest])))
      idlest = i;
  }
  char text[WIRE_MAX_TEXT + 1];
  snprintf(text, sizeof text, "%s, idle, makes way for a newcomer: at most %d controllers at a time",
           server_peer_text(s, idlest).text, (int)MAX_PEERS);
  s->counts.made_way++;
  s->peers[idlest].used = 0;
  server_peer_event(s, "controller_made_way", text);
  return idlest;
}

static void take_command(struct server *s, int peer, const char *how) {
  s->in_command = peer;
  s->commanded_ms = clock_ms();
  s->commanded_step = s->step;
  char text[WIRE_MAX_TEXT + 1];
  snprintf(text, sizeof text, "%s %s", server_peer_text(s, peer).text, how);
  server_peer_event(s, "controller_in_command", text);
}

static int is_lockstep(const struct server *s) {
  return s->welcome.mode == RUN_LOCKSTEP;
}

static void welcome(struct server *s, int peer) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_header header = server_header(s, STREAM_WELCOME, s->step, s->time_s);
  s->welcome.sequence_above = s->peers[peer].last_sequence;
  size_t size = wire_pack_welcome(&header, &s->welcome, bytes, sizeof bytes);
  server_send(s, peer, bytes, size);
  int answered = is_lockstep(s) && s->answered_step > s->sensors_step;
  if (s->sensors_size > 0 && s->peers[peer].used && !answered)
    server_send(s, peer, s->sensors, s->sensors_size);
}

// The place of who says hello: its own, perhaps over a new connection, or a newcomer's.
static int place_of(struct server *s, const struct sender *from, const char *id, int *newcomer) {
  int at = find_id(s, id), old = find_identity(s, from);
  *newcomer = at < 0;
  if (at < 0)
    return old >= 0 ? old : place_for_newcomer(s);
  if (old >= 0 && old != at)
    server_forget(s, old);
  return at;
}

static void handle_hello(struct server *s, const struct sender *from, const struct wire_message *m) {
  const struct wire_hello *hello = &m->as.hello;
  int newcomer, at = place_of(s, from, hello->controller_id, &newcomer);
  struct peer *p = &s->peers[at];
  if (newcomer && s->in_command == at) // another program behind the connection
    s->in_command = -1;
  p->used = 1;
  memcpy(p->identity, from->identity, from->identity_size);
  p->identity_size = from->identity_size;
  p->connection = from->connection;
  memcpy(p->id, hello->controller_id, sizeof p->id);
  memcpy(p->name, hello->name, sizeof p->name);
  p->heard_ms = clock_ms();
  p->last_sequence = m->header.sequence;
  if (newcomer) {
    char text[WIRE_MAX_TEXT + 1];
    p->number = ++s->newcomers;
    p->joined_ms = p->heard_ms;
    p->tried_ms = 0;
    snprintf(text, sizeof text, "%s said hello", server_peer_text(s, at).text);
    server_peer_event(s, "controller_joined", text);
    if (s->in_command >= 0 && s->in_command != at && strcmp(s->peers[s->in_command].name, p->name) == 0)
      take_command(s, at, "takes over from its predecessor of that name");
  }
  welcome(s, at);
}

// Whether a command comes too late or too early for its sensors. In lockstep a step takes the first answer to
// its own sensors and no other: which of two comes sooner would depend on the clock.
static int is_stale(const struct server *s, const struct command *c, uint64_t current_step,
                    struct reason *why) {
  if (c->based_on_step > current_step)
    return 1;
  if (!is_lockstep(s))
    return current_step - c->based_on_step > s->max_age_steps;
  if (c->based_on_step == current_step && s->answered_step != current_step + 1)
    return 0;
  if (c->based_on_step == current_step)
    fail(why, STATUS_BAD_INPUT, "step %" PRIu64 " takes no further answer", current_step);
  else
    fail(why, STATUS_BAD_INPUT,
         "answers the sensors of step %" PRIu64 ", in lockstep those of step %" PRIu64 " expected",
         c->based_on_step, current_step);
  return 1;
}

// Whether somebody else is in command and has not timed out. In lockstep the time-out is in simulated time: a
// controller may think as long as it takes, and has gone only when its connection has.
static int commanded_by_another(const struct server *s, int peer, uint64_t current_step) {
  if (s->in_command < 0 || s->in_command == peer)
    return 0;
  return is_lockstep(s) ? current_step - s->commanded_step <= s->timeout_steps
                        : clock_ms() - s->commanded_ms <= (int64_t)s->timeout_ms;
}

// The reason why a command is not used; -1: accept it. why: filled where there is more to say.
static int objection(struct server *s, int peer, const struct wire_message *m, uint64_t current_step,
                     struct reason *why) {
  const struct wire_command *wc = &m->as.command;
  if (strcmp(m->header.session, s->session) != 0)
    return REFUSED_SESSION;
  if (peer < 0 || strcmp(s->peers[peer].id, wc->controller_id) != 0) {
    fail(why, STATUS_BAD_INPUT, "no hello of this controller_id came by this connection: say hello");
    return REFUSED_SESSION;
  }
  struct peer *p = &s->peers[peer];
  if (m->header.sequence <= p->last_sequence) {
    fail(why, STATUS_BAD_INPUT,
         "a sequence above %" PRIu64 " expected, got %" PRIu64 ": say hello to begin anew", p->last_sequence,
         m->header.sequence);
    return REFUSED_SEQUENCE;
  }
  p->last_sequence = m->header.sequence;
  p->tried_ms = clock_ms();
  if (command_check(&s->rules, &wc->command, why) != STATUS_OK)
    return REFUSED_RANGE;
  if (commanded_by_another(s, peer, current_step))
    return REFUSED_NOT_CONTROLLER;
  if (is_stale(s, &wc->command, current_step, why))
    return REFUSED_STALE;
  return -1;
}

static void handle_command(struct server *s, const struct sender *from, const struct wire_message *m,
                           const struct inbox *inbox) {
  int peer = find_identity(s, from);
  if (peer >= 0 && s->peers[peer].connection != from->connection)
    peer = -1;
  struct reason why = {""};
  int reason = objection(s, peer, m, inbox->current_step, &why);
  if (reason >= 0) {
    server_refuse(s, from->identity, from->identity_size, (enum refusal)reason, m->header.sequence,
                  *why.text ? why.text : NULL);
    return;
  }
  if (s->in_command != peer)
    take_command(s, peer, "is in command");
  s->commanded_ms = clock_ms();
  s->commanded_step = inbox->current_step;
  s->answered_step = inbox->current_step + 1;
  s->counts.accepted++;
  inbox->on_command(inbox->context, &m->as.command.command);
}

void server_takes_no_answer(struct server *s, uint64_t step) {
  s->answered_step = step + 1;
}

void server_handle(struct server *s, const struct sender *from, const void *data, size_t size,
                   const struct inbox *inbox) {
  int peer = find_identity(s, from);
  if (peer >= 0 && s->peers[peer].connection == from->connection)
    s->peers[peer].heard_ms = clock_ms();

  struct wire_message m;
  struct reason why = {""};
  enum wire_result result = wire_unpack(data, size, &m, &why);
  enum refusal wrong = result == WIRE_OTHER_PROTOCOL ? REFUSED_PROTOCOL
                       : result == WIRE_NOT_FINITE   ? REFUSED_NOT_FINITE
                                                     : REFUSED_MALFORMED;
  if (result != WIRE_OK)
    server_refuse(s, from->identity, from->identity_size, wrong, m.header.sequence, why.text);
  else if (m.kind == WIRE_HELLO)
    handle_hello(s, from, &m);
  else if (m.kind == WIRE_COMMAND)
    handle_command(s, from, &m, inbox);
  else if (m.kind == WIRE_ORDER)
    server_handle_order(s, from->identity, from->identity_size, &m);
  else
    server_refuse(s, from->identity, from->identity_size, REFUSED_MALFORMED, m.header.sequence,
                  "hello, command or order expected");
}
