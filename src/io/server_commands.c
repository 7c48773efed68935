// What controllers send: hellos and commands, and why a command is refused.
#include "io/clock.h"
#include "io/server_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int find_identity(const struct server *s, const unsigned char *identity, size_t size) {
  for (int i = 0; i < MAX_PEERS; i++) {
    const struct peer *p = &s->peers[i];
    if (p->used && p->identity_size == size && memcmp(p->identity, identity, size) == 0)
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

static int free_slot(const struct server *s) {
  for (int i = 0; i < MAX_PEERS; i++)
    if (!s->peers[i].used)
      return i;
  return -1;
}

static void take_command(struct server *s, int peer, const char *how) {
  s->in_command = peer;
  s->commanded_ms = clock_ms();
  s->commanded_step = s->step;
  char text[WIRE_MAX_TEXT + 1];
  snprintf(text, sizeof text, "%s (%s) %s", s->peers[peer].name, s->peers[peer].id, how);
  server_peer_event(s, "controller_in_command", text);
}

static void welcome(struct server *s, int peer) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_header header = server_header(s, STREAM_WELCOME, s->step, s->time_s);
  size_t size = wire_pack_welcome(&header, &s->welcome, bytes, sizeof bytes);
  server_send(s, peer, bytes, size);
  if (s->sensors_size > 0 && s->peers[peer].used)
    server_send(s, peer, s->sensors, s->sensors_size);
}

static void handle_hello(struct server *s, const unsigned char *identity, size_t identity_size,
                         const struct wire_message *m) {
  const struct wire_hello *hello = &m->as.hello;
  int at = find_id(s, hello->controller_id); // known, perhaps over a new connection
  int newcomer = at < 0;
  int old = find_identity(s, identity, identity_size);
  if (newcomer)
    at = old >= 0 ? old : free_slot(s);
  else if (old >= 0 && old != at)
    server_forget(s, old);
  if (at < 0) {
    server_refuse(s, identity, identity_size, REFUSED_NOT_CONTROLLER, m->header.sequence,
                  "too many controllers");
    return;
  }

  struct peer *p = &s->peers[at];
  p->used = 1;
  memcpy(p->identity, identity, identity_size);
  p->identity_size = identity_size;
  memcpy(p->id, hello->controller_id, sizeof p->id);
  memcpy(p->name, hello->name, sizeof p->name);
  p->heard_ms = clock_ms();
  if (newcomer || m->header.sequence > p->last_sequence)
    p->last_sequence = m->header.sequence;
  if (newcomer) {
    char text[WIRE_MAX_TEXT + 1];
    snprintf(text, sizeof text, "%s (%s) said hello", p->name, p->id);
    server_peer_event(s, "controller_joined", text);
    if (s->in_command >= 0 && s->in_command != at && strcmp(s->peers[s->in_command].name, p->name) == 0)
      take_command(s, at, "takes over from its predecessor of that name");
  }
  welcome(s, at);
}

static int is_lockstep(const struct server *s) { return s->welcome.mode == RUN_LOCKSTEP; }

// Whether a command comes too late or too early for its sensors. In lockstep a step takes the first answer to its own
// sensors and no other: which of two comes sooner would depend on the clock.
static int is_stale(const struct server *s, const struct command *c, uint64_t current_step, struct reason *why) {
  if (c->based_on_step > current_step)
    return 1;
  if (!is_lockstep(s))
    return current_step - c->based_on_step > s->max_age_steps;
  if (c->based_on_step == current_step && s->answered_step != current_step + 1)
    return 0;
  if (c->based_on_step == current_step)
    fail(why, STATUS_BAD_INPUT, "step %" PRIu64 " takes no further answer", current_step);
  else
    fail(why, STATUS_BAD_INPUT, "answers the sensors of step %" PRIu64 ", in lockstep those of step %" PRIu64 " expected",
         c->based_on_step, current_step);
  return 1;
}

// Whether somebody else is in command and has not timed out. In lockstep the time-out is in simulated time: a controller
// may think as long as it takes, and has gone only when its connection has.
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
  if (strcmp(m->header.session, s->session) != 0 || peer < 0 ||
      strcmp(s->peers[peer].id, wc->controller_id) != 0)
    return REFUSED_SESSION;
  if (m->header.sequence <= s->peers[peer].last_sequence)
    return REFUSED_SEQUENCE;
  s->peers[peer].last_sequence = m->header.sequence;
  if (command_check(&s->rules, &wc->command, why) != STATUS_OK)
    return REFUSED_RANGE;
  if (commanded_by_another(s, peer, current_step))
    return REFUSED_NOT_CONTROLLER;
  if (is_stale(s, &wc->command, current_step, why))
    return REFUSED_STALE;
  return -1;
}

// A controller whose connection broke comes back under another routing id.
static int find_reconnected(struct server *s, const unsigned char *identity, size_t identity_size,
                            const struct wire_message *m) {
  int peer = find_id(s, m->as.command.controller_id);
  if (peer < 0 || strcmp(m->header.session, s->session) != 0)
    return -1;
  struct peer *p = &s->peers[peer];
  memcpy(p->identity, identity, identity_size);
  p->identity_size = identity_size;
  p->heard_ms = clock_ms();
  return peer;
}

static void handle_command(struct server *s, const unsigned char *identity, size_t identity_size,
                           const struct wire_message *m, const struct inbox *inbox) {
  int peer = find_identity(s, identity, identity_size);
  if (peer < 0)
    peer = find_reconnected(s, identity, identity_size, m);
  struct reason why = {""};
  int reason = objection(s, peer, m, inbox->current_step, &why);
  if (reason >= 0) {
    server_refuse(s, identity, identity_size, (enum refusal)reason, m->header.sequence, *why.text ? why.text : NULL);
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

void server_takes_no_answer(struct server *s, uint64_t step) { s->answered_step = step + 1; }

void server_handle(struct server *s, const unsigned char *identity, size_t identity_size, const void *data,
                   size_t size, const struct inbox *inbox) {
  int peer = find_identity(s, identity, identity_size);
  if (peer >= 0)
    s->peers[peer].heard_ms = clock_ms();

  struct wire_message m;
  struct reason why = {""};
  enum wire_result result = wire_unpack(data, size, &m, &why);
  if (result == WIRE_OTHER_PROTOCOL)
    server_refuse(s, identity, identity_size, REFUSED_PROTOCOL, m.header.sequence, why.text);
  else if (result == WIRE_NOT_FINITE)
    server_refuse(s, identity, identity_size, REFUSED_NOT_FINITE, m.header.sequence, why.text);
  else if (result != WIRE_OK)
    server_refuse(s, identity, identity_size, REFUSED_MALFORMED, m.header.sequence, why.text);
  else if (m.kind == WIRE_HELLO)
    handle_hello(s, identity, identity_size, &m);
  else if (m.kind == WIRE_COMMAND)
    handle_command(s, identity, identity_size, &m, inbox);
  else if (m.kind == WIRE_ORDER)
    server_handle_order(s, identity, identity_size, &m);
  else
    server_refuse(s, identity, identity_size, REFUSED_MALFORMED, m.header.sequence,
                  "hello, command or order expected");
}
