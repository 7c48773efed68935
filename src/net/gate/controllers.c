// The controllers that have joined: their places, and which of them is in command.
#include "net/gate/gate.h"

#include "net/zmtp/zmtp.h"
#include "sagbend/base/base.h"
#include "sagbend/events/events.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gate_text gate_controller_text(const struct gate *gate, int place) {
  const struct controller *controller = &gate->controller[place];
  struct gate_text out;
  snprintf(out.text, sizeof out.text, "%s (number %" PRIu64 "%s%s)", controller->name, controller->number,
           *controller->key ? ", key " : "", controller->key);
  return out;
}

void gate_leave(struct gate *gate, int place) {
  char text[GATE_TEXT];
  snprintf(text, sizeof text, "%s has gone", gate_controller_text(gate, place).text);
  gate->controller[place].used = 0;
  if (gate->in_command == place)
    gate->in_command = -1;
  gate->on_event(gate->context, EVENT_NAME(controller_gone), text);
  gate_seat_left(gate, place);
}

int gate_never_commanded(const struct gate *gate, int place) {
  const struct controller *c = &gate->controller[place];
  const int64_t since_ms =
      c->seat >= 0 && gate->commanded_ms > c->joined_ms ? gate->commanded_ms : c->joined_ms;
  return c->used && !c->commands && !gate->lockstep && (c->seat < 0 || c->seat == gate->seat) &&
         gate_clock_ms(gate) - since_ms > (int64_t)gate->timeout_ms;
}

// What was last refused of a peer; NULL: nothing that is kept.
static const struct refused *newest_refused_of(const struct gate *gate, const char *peer) {
  const struct refused *refused = NULL;
  for (int i = 0; (refused = refusals_newest(&gate->refusals, i)) && strcmp(refused->peer, peer) != 0; i++)
    ;
  return refused;
}

void gate_report_idle(struct gate *gate) {
  for (int i = 0; i < GATE_CONTROLLERS; i++) {
    struct controller *c = &gate->controller[i];
    char text[GATE_TEXT];
    if (c->idle_reported || !gate_never_commanded(gate, i) ||
        (gate_has_seats(gate) ? i != gate->in_command : gate->in_command >= 0))
      continue;
    c->idle_reported = 1;
    gate->idle = gate_controller_text(gate, i);
    const struct refused *refused = newest_refused_of(gate, gate->idle.text);
    snprintf(text, sizeof text,
             "%s has never commanded: %s%s%s%s%.120s; the vessel is held by the initial holding force only",
             gate->idle.text,
             c->tried_ms || refused ? "none of its commands was accepted"
                                    : "it has joined, and sends no Command",
             refused ? ", the newest refused as " : "", refused ? refusal_name(refused->reason) : "",
             refused ? ": " : "", refused ? refused->text : "");
    gate->on_event(gate->context, EVENT_NAME(never_commanded), text);
  }
}

int gate_find_id(const struct gate *gate, const char *id, const char *key) {
  for (int i = 0; i < GATE_CONTROLLERS; i++)
    if (gate->controller[i].used && *id && strcmp(gate->controller[i].id, id) == 0 &&
        strcmp(gate->controller[i].key, key) == 0)
      return i;
  return -1;
}

int gate_find_number(const struct gate *gate, uint64_t number) {
  for (int i = 0; i < GATE_CONTROLLERS; i++)
    if (gate->controller[i].used && gate->controller[i].number == number)
      return i;
  return -1;
}

// Whether a is displaced before b: controllers that never sent a command before those that did, then the one
// that has been idle for longer.
static int is_displaced_before(const struct controller *a, const struct controller *b) {
  if (!a->tried_ms != !b->tried_ms)
    return !a->tried_ms;
  return a->tried_ms != b->tried_ms ? a->tried_ms < b->tried_ms : a->number < b->number;
}

int gate_make_place(struct gate *gate) {
  int idlest = -1;
  for (int i = 0; i < GATE_CONTROLLERS; i++) {
    if (!gate->controller[i].used)
      return i;
    if (i != gate->in_command && gate->controller[i].seat < 0 &&
        (idlest < 0 || is_displaced_before(&gate->controller[i], &gate->controller[idlest])))
      idlest = i;
  }

  gate_displace(gate, idlest, GATE_CONTROLLERS);
  return idlest;
}

void gate_displace(struct gate *gate, int place, int limit) {
  char text[GATE_TEXT];
  snprintf(text, sizeof text, "%s, idle, is displaced by a new controller: at most %d controllers at a time",
           gate_controller_text(gate, place).text, limit);
  gate->counts.displaced++;
  gate->controller[place].used = 0;
  gate->on_event(gate->context, EVENT_NAME(controller_made_way), text);
}

int gate_find_namesake(const struct gate *gate, const char *name, const char *key) {
  for (int i = 0; i < GATE_CONTROLLERS; i++)
    if (gate->controller[i].used && peer_name_is_same(gate->controller[i].name, name) &&
        strcmp(gate->controller[i].key, key) != 0)
      return i;
  return -1;
}

static enum status refuse_ambiguous(const struct gate *gate, const char *name, struct reason *why) {
  char numbers[sizeof why->text] = "";
  size_t used = 0;
  for (int i = 0; i < GATE_CONTROLLERS && used < sizeof numbers; i++)
    if (gate->controller[i].used && peer_name_is_same(gate->controller[i].name, name))
      used += (size_t)snprintf(numbers + used, sizeof numbers - used, "%s%" PRIu64, used ? ", " : "",
                               gate->controller[i].number);
  return fail(why, STATUS_BAD_INPUT,
              "name: a number expected, got '%.63s', the name of several controllers: %s", name, numbers);
}

enum status gate_find_named(const struct gate *gate, const char *name_or_number, int *place,
                            struct reason *why) {
  int is_number = *name_or_number && !name_or_number[strspn(name_or_number, "0123456789")], count = 0;
  *place = is_number ? gate_find_number(gate, strtoull(name_or_number, NULL, 10)) : -1;
  for (int i = 0; i < GATE_CONTROLLERS && !is_number; i++)
    if (gate->controller[i].used && peer_name_is_same(gate->controller[i].name, name_or_number)) {
      *place = i;
      count++;
    }
  if (count > 1)
    return refuse_ambiguous(gate, name_or_number, why);
  return *place >= 0 ? STATUS_OK
                     : fail(why, STATUS_BAD_INPUT,
                            "name: the name or number of a connected controller expected, got '%.63s' ('ctl "
                            "status' lists them)",
                            name_or_number);
}

void gate_take_command(struct gate *gate, int place, uint64_t step, const char *how) {
  gate->in_command = place;
  gate->counts.changes++;
  gate->commanded_ms = gate_clock_ms(gate);
  gate->commanded_step = step;
  char text[GATE_TEXT];
  snprintf(text, sizeof text, "%s %s", gate_controller_text(gate, place).text, how);
  gate->on_event(gate->context, EVENT_NAME(controller_in_command), text);
}

void gate_join(struct gate *gate, int place, const char *id, const char *name, uint64_t step) {
  gate_join_with_key(gate, place, id, "", name, step);
}

static int is_predecessor(const struct controller *before, const struct controller *now) {
  return peer_name_is_same(before->name, now->name) && strcmp(before->key, now->key) == 0;
}

void gate_join_with_key(struct gate *gate, int place, const char *id, const char *key, const char *name,
                        uint64_t step) {
  struct controller *controller = &gate->controller[place];
  char text[GATE_TEXT];
  if (gate->in_command == place)
    gate->in_command = -1;
  *controller = (struct controller){
      .used = 1, .number = ++gate->newcomers, .heard_ms = gate_clock_ms(gate), .seat = -1};
  controller->joined_ms = controller->heard_ms;
  snprintf(controller->id, sizeof controller->id, "%s", id);
  snprintf(controller->key, sizeof controller->key, "%s", key);
  snprintf(controller->name, sizeof controller->name, "%s", name);
  snprintf(text, sizeof text, "%s joined", gate_controller_text(gate, place).text);
  gate->on_event(gate->context, EVENT_NAME(controller_joined), text);
  if (gate_has_seats(gate))
    gate_seat_joined(gate, place, step);
  else if (gate->in_command >= 0 && is_predecessor(&gate->controller[gate->in_command], controller))
    gate_take_command(gate, place, step, "takes over from its predecessor of that name");
}

void gate_heard(struct gate *gate, int place) {
  gate->controller[place].heard_ms = gate_clock_ms(gate);
}

void gate_forget_silent(struct gate *gate) {
  if (gate->lockstep)
    return;
  int64_t now = gate_clock_ms(gate);
  for (int i = 0; i < GATE_CONTROLLERS; i++)
    if (gate->controller[i].used && now - gate->controller[i].heard_ms > GATE_SILENCE_MS)
      gate_leave(gate, i);
}

// ------------------------------------------------------------
enum {
  AGAIN_AFTER_MS = 60000, // without refusals of its kind: the next is reported as the first was
  SUM_AFTER_AT_MOST_MS = 600000
};

static const char GOT[] = ", got "; // the text behind it is the value

static int is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Past the number that begins here, if one does: not inside a word, as in bow_tunnel_1.
static const char *skip_number(const char *at, const char *begin) {
  const char before = at > begin ? at[-1] : ' ';
  const char *digits = at + (*at == '-' || *at == '+');
  if (!is_digit(*digits) || before == '_' || before == '.' || (before >= 'a' && before <= 'z') ||
      (before >= 'A' && before <= 'Z'))
    return at;
  size_t size = strspn(digits, "0123456789.e+-");
  while (size > 1 && !is_digit(digits[size - 1])) // a full stop behind it
    size--;
  return digits + size;
}

// Whether what stands before the value that came is the same but for its numbers.
static int is_same(const char *a, const char *b) {
  const char *p = a, *q = b;
  for (;;) {
    if (!strncmp(p, GOT, strlen(GOT)) && !strncmp(q, GOT, strlen(GOT)))
      return 1;
    const char *after_p = skip_number(p, a), *after_q = skip_number(q, b);
    if ((after_p == p) != (after_q == q))
      return 0;
    if (after_p == p && *p != *q)
      return 0;
    if (after_p == p && !*p)
      return 1;
    p = after_p == p ? p + 1 : after_p;
    q = after_q == q ? q + 1 : after_q;
  }
}

static struct refused *find(struct refusals *refusals, const char *peer, enum refusal reason,
                            const char *text) {
  for (int i = 0; i < REFUSALS_KEPT; i++) {
    struct refused *entry = &refusals->entry[i];
    if (entry->count && entry->reason == reason && strcmp(entry->peer, peer) == 0 &&
        is_same(entry->text, text))
      return entry;
  }
  return NULL;
}

static struct refused *oldest(struct refusals *refusals) {
  struct refused *out = &refusals->entry[0];
  for (int i = 1; i < REFUSALS_KEPT; i++)
    out = refusals->entry[i].order < out->order ? &refusals->entry[i] : out;
  return out;
}

int refusals_keep(struct refusals *refusals, const char *peer, enum refusal reason, const char *text) {
  char kept_peer[REFUSED_PEER], kept_text[REFUSED_TEXT]; // as the entries have them: cut
  snprintf(kept_peer, sizeof kept_peer, "%s", peer);
  snprintf(kept_text, sizeof kept_text, "%s", text);
  int64_t now_ms = clock_ms();
  struct refused *entry = find(refusals, kept_peer, reason, kept_text);
  int is_first = !entry || now_ms - entry->newest_ms > AGAIN_AFTER_MS;
  if (!entry) {
    entry = oldest(refusals);
    entry->count = 0;
    entry->reason = reason;
    memcpy(entry->peer, kept_peer, sizeof kept_peer);
  }
  memcpy(entry->text, kept_text, sizeof kept_text);
  entry->count++;
  entry->order = ++refusals->count;
  entry->newest_ms = now_ms;
  return is_first;
}

const struct refused *refusals_newest(const struct refusals *refusals, int index) {
  const struct refused *out = NULL;
  uint64_t below = UINT64_MAX;
  for (int k = 0; k <= index; k++) {
    out = NULL;
    for (int i = 0; i < REFUSALS_KEPT; i++) {
      const struct refused *entry = &refusals->entry[i];
      if (entry->count && entry->order < below && (!out || entry->order > out->order))
        out = entry;
    }
    if (!out)
      return NULL;
    below = out->order;
  }
  return out;
}

void refusals_leave(struct refusals *refusals, enum refusal reason) {
  unreported_add(&refusals->unreported, (int)reason, clock_ms(), SUM_AFTER_AT_MOST_MS);
}

static const char *name_of(int reason) {
  return refusal_name((enum refusal)reason);
}

int refusals_sum(struct refusals *refusals, char *text, int size) {
  struct unreported *unreported = &refusals->unreported;
  if (!unreported_is_due(unreported, clock_ms()))
    return 0;
  snprintf(text, (size_t)size, "%" PRIu64 " more in %" PRId64 " s, %" PRIu64 " in all:", unreported->in_all,
           unreported->after_ms / 1000, refusals->count);
  unreported_take(unreported, name_of, text, (size_t)size);
  return 1;
}

// ------------------------------------------------------------
int64_t gate_clock_ms(const struct gate *gate) {
  return (gate->held ? gate->held_since_ms : clock_ms()) - gate->held_ms;
}
