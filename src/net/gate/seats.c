// Redundant controllers: who of the case's list commands, and changeovers.
#include "net/gate/gate.h"

#include "net/zmtp/zmtp.h"
#include "sagbend/base/base.h"
#include "sagbend/events/events.h"
#include "sagbend/faults/faults.h"
#include "sagbend/signals/signals.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct controllers_def *list_of(const struct gate *gate) {
  return &gate->rules.controllers;
}

int gate_has_seats(const struct gate *gate) {
  return list_of(gate)->count > 0;
}

static int seat_named(const struct gate *gate, const char *name) {
  for (int i = 0; i < list_of(gate)->count; i++)
    if (peer_name_is_same(list_of(gate)->item[i].name, name))
      return i;
  return -1;
}

// The controller that has joined at the seat; -1: none.
static int gate_place_of_seat(const struct gate *gate, int seat) {
  for (int i = 0; i < GATE_CONTROLLERS && seat >= 0; i++)
    if (gate->controller[i].used && gate->controller[i].seat == seat)
      return i;
  return -1;
}

static enum controller_side side_of(const struct gate *gate, int seat) {
  return controllers_side(list_of(gate), (uint64_t)(seat + 1));
}

static int seat_of_least_rank(const struct gate *gate) {
  int least = -1;
  for (int i = 0; i < list_of(gate)->count; i++)
    if (side_of(gate, i) == SIDE_MAIN &&
        (least < 0 || list_of(gate)->item[i].rank < list_of(gate)->item[least].rank))
      least = i;
  return least;
}

void gate_begin_seats(struct gate *gate, int seat, uint64_t term) {
  gate->seat = seat >= 0 && seat < list_of(gate)->count ? seat : seat_of_least_rank(gate);
  gate->term = term;
  gate->cause = CHANGEOVER_NONE;
  gate->has_left = 0;
  gate->seen = 0;
  gate->changed_step = 0;
  gate->lost_reported = 0;
  gate->commanded_ms = gate_clock_ms(gate);
  memset(&gate->newest, 0, sizeof gate->newest);
}

// Whether so much time has passed: of the wall clock, in lockstep of the simulation.
int gate_is_over(const struct gate *gate, int64_t since_ms, uint64_t since_step) {
  return gate->lockstep ? gate->step > since_step && gate->step - since_step > gate->timeout_steps
                        : gate_clock_ms(gate) - since_ms > (int64_t)gate->timeout_ms;
}

int gate_has_shown_life(const struct gate *gate, int place) {
  const struct controller *c = &gate->controller[place];
  return c->shadow_ms && !gate_is_over(gate, c->shadow_ms, c->shadow_step);
}

int gate_is_ready(const struct gate *gate, int place) {
  const struct controller *c = &gate->controller[place];
  return c->used && c->seat >= 0 && c->seat != gate->seat && gate_has_shown_life(gate, place) &&
         !gate_flaws(gate, c);
}

int gate_follows(const struct gate *gate, int place) {
  const struct controller *c = &gate->controller[place];
  return gate_is_ready(gate, place) && side_of(gate, c->seat) == side_of(gate, gate->seat) &&
         gate_is_compared(gate, c) && c->differs <= GATE_DIFFERS;
}

// What the controller at this place has shown: 3 it is ready, 2 it is there and has a flaw, 0 it was in
// command and fell silent, 1 none of these.
static int sign_of_life(const struct gate *gate, int place) {
  return gate_is_ready(gate, place)         ? 3
         : gate_has_shown_life(gate, place) ? 2
                                            : !gate->controller[place].fell_silent;
}

// The best of those that stand by on the side of the switch that commands: ready before connected, one that
// fell silent last, then the least rank.
int gate_next_seat(const struct gate *gate) {
  int best = -1, best_sign = 0;
  for (int seat = 0; seat < list_of(gate)->count; seat++) {
    const int place = seat == gate->seat ? -1 : gate_place_of_seat(gate, seat);
    if (place < 0 || side_of(gate, seat) != side_of(gate, gate->seat))
      continue;
    const int sign = sign_of_life(gate, place);
    if (best < 0 || sign > best_sign ||
        (sign == best_sign && list_of(gate)->item[seat].rank < list_of(gate)->item[best].rank)) {
      best = seat;
      best_sign = sign;
    }
  }
  return best;
}

static void change(struct gate *gate, int seat, enum changeover_cause cause, uint64_t step, const char *how) {
  char text[GATE_TEXT];
  const int place = gate_place_of_seat(gate, seat), before = gate_place_of_seat(gate, gate->seat);
  if (before >= 0) { // it has answered the present step, or was about to
    gate->controller[before].shadow_ms = 0;
    gate->controller[before].shadow.based_on_step = step;
    gate->controller[before].has_answered = 1;
  }
  for (int i = 0; i < GATE_CONTROLLERS; i++)
    gate->controller[i].compared_ms = 0;
  gate->seat = seat;
  gate->cause = cause;
  gate->changed_step = step;
  gate->has_left = place < 0 && (gate->seen >> seat & 1u);
  gate->in_command = place;
  gate->commanded_ms = gate_clock_ms(gate);
  gate->commanded_step = step;
  gate->counts.changes++;
  if (cause == CHANGEOVER_ORDER && gate->lockstep && gate->answered_step == step + 1)
    gate->answered_step = step; // the answer that came before the order does not count
  if (place >= 0) {
    gate->controller[place].claims = gate->controller[place].differs_reported = 0;
    gate->controller[place].differs_ms = 0;
    gate->controller[place].is_announced = gate->controller[place].has_lived = 0;
    gate->controller[place].flaws_reported = gate->controller[place].flaws_seen = 0;
  }
  snprintf(text, sizeof text, "%s %s",
           place >= 0 ? gate_controller_text(gate, place).text : list_of(gate)->item[seat].name, how);
  if (!gate->lost_reported) // else one silent controller follows the other
    gate->on_event(gate->context, EVENT_NAME(controller_in_command), text);
  if (gate->on_changeover)
    gate->on_changeover(gate->context);
}

// A given command is not the next of a row of silent ones.
static void give(struct gate *gate, int seat, uint64_t term, uint64_t step, const char *how) {
  const int is_switched = side_of(gate, seat) != side_of(gate, gate->seat);
  gate->term = term;
  gate->lost_reported = 0;
  change(gate, seat, is_switched ? CHANGEOVER_SWITCH : CHANGEOVER_ORDER, step, how);
}

int gate_find_listed(const struct gate *gate, const char *name) {
  const int is_number = *name && !name[strspn(name, "0123456789")];
  int place;
  if (is_number && gate_find_named(gate, name, &place, NULL) == STATUS_OK)
    return gate->controller[place].seat;
  return seat_named(gate, name);
}

int gate_place_at(const struct gate *gate, int seat) {
  return gate_place_of_seat(gate, seat);
}

int gate_is_behind_switch(const struct gate *gate, int seat) {
  return side_of(gate, seat) != side_of(gate, gate->seat);
}

// The term of an order is above all before it, whatever has changed since the last order. To the one in
// command nothing happens.
void gate_give_by_order(struct gate *gate, int seat, uint64_t order, uint64_t step, const char *how) {
  if (seat != gate->seat || gate->in_command < 0)
    give(gate, seat, order * CHANGEOVER_TERMS, step, how);
}

// The steps have seen the event first; its term is above all that this gate has begun meanwhile.
void gate_give_by_event(struct gate *gate, uint64_t seat, uint64_t term, uint64_t step) {
  if (!gate_has_seats(gate) || !seat || term <= gate->term)
    return;
  if ((int)seat - 1 != gate->seat)
    give(gate, (int)seat - 1, term, step, "takes over: an event of the scenario");
  gate->term = term;
}

// ------------------------------------------------------------
// Loss, and who stands by.

// With a backup in the list: all on the side that commands are lost, and the switch decides what comes next.
static void report_side_lost(struct gate *gate, int next, const char *why) {
  const uint64_t backup = controllers_backup(list_of(gate));
  const int is_last = next < 0 || gate->controller[gate_place_of_seat(gate, next)].fell_silent;
  char text[GATE_TEXT];
  if (!backup || !is_last || gate->lost_reported)
    return;
  const enum controller_side side = side_of(gate, gate->seat);
  const int other = gate_place_of_seat(gate, (int)backup - 1);
  snprintf(text, sizeof text, "%s %s, and no other %s controller is left: %s",
           list_of(gate)->item[gate->seat].name, why, controller_side_name(side),
           side == SIDE_BACKUP                        ? "order take-over of a main one"
           : other >= 0 && gate_is_ready(gate, other) ? "the backup is ready, order its take-over"
                                                      : "the backup is not ready either");
  gate->lost_reported = 1;
  gate->on_event(gate->context, EVENT_NAME(controllers_lost), text);
}

static void change_after_loss(struct gate *gate, const char *why) {
  char how[2 * GATE_NAME + 160];
  const int seat = gate_next_seat(gate), lost = gate->seat;
  report_side_lost(gate, seat, why);
  if (seat < 0)
    return;
  const int place = gate_place_of_seat(gate, seat);
  snprintf(how, sizeof how, "takes over%s: %s %s",
           gate_is_ready(gate, place)         ? ""
           : gate_has_shown_life(gate, place) ? " although it is not ready"
                                              : " although it has shown no sign of life",
           list_of(gate)->item[lost].name, why);
  gate->term++;
  change(gate, seat, CHANGEOVER_LOSS, gate->step, how);
}

// In lockstep the first controller is waited for, and time stands while it is.
static void watch_commander(struct gate *gate) {
  const int place = gate_place_of_seat(gate, gate->seat);
  char why[96];
  const int is_waited_for = gate->lockstep && !gate_is_cut(gate, gate->seat);
  if (place >= 0 && !is_waited_for && gate_is_over(gate, gate->commanded_ms, gate->commanded_step)) {
    gate->controller[place].fell_silent = 1;
    snprintf(why, sizeof why, "has not commanded for %g s", 1e-3 * (double)gate->timeout_ms);
    change_after_loss(gate, why);
  } else if (place < 0 && gate->has_left) {
    change_after_loss(gate, "has gone");
  } else if (place < 0 && !gate->lockstep && gate_is_over(gate, gate->commanded_ms, gate->commanded_step)) {
    change_after_loss(gate, "has not come");
  }
}

static void report_standby(struct gate *gate, const char *event, int place, const char *what) {
  char text[GATE_TEXT];
  snprintf(text, sizeof text, "%s %s", gate_controller_text(gate, place).text, what);
  gate->on_event(gate->context, event, text);
}

// A line when its reasons have stayed the same for the time-out: what flickers is seen in the status.
static void watch_flaws(struct gate *gate, int place) {
  struct controller *c = &gate->controller[place];
  const uint32_t flaws = gate_flaws(gate, c);
  char why[FLAW_TEXT], what[FLAW_TEXT + 40];
  if (flaws != c->flaws_seen) {
    c->flaws_seen = flaws;
    c->flaws_seen_ms = gate_clock_ms(gate);
    c->flaws_seen_step = gate->step;
  }
  if (flaws == c->flaws_reported || !gate_is_over(gate, c->flaws_seen_ms, c->flaws_seen_step))
    return;
  gate_flaw_text(gate, c, why);
  snprintf(what, sizeof what, "stands by, and is not ready: %.200s", why);
  if (flaws)
    report_standby(gate, EVENT_NAME(standby_not_ready), place, what);
  else
    report_standby(gate, EVENT_NAME(standby_ready), place, "stands by, and is ready now");
  c->is_announced |= !flaws;
  c->flaws_reported = flaws;
}

static void watch_standby(struct gate *gate, int place) {
  struct controller *c = &gate->controller[place];
  const int lives = gate_has_shown_life(gate, place), had_lived = c->has_lived;
  c->has_lived = lives;
  if (!lives) {
    if (had_lived)
      report_standby(gate, EVENT_NAME(standby_lost), place,
                     "stands by, and has sent no shadow command within network.command_timeout_s");
    c->is_announced = 0;
    c->flaws_reported = c->flaws_seen = 0;
  } else {
    if (!c->is_announced && !c->flaws_reported && gate_is_ready(gate, place)) {
      report_standby(gate, EVENT_NAME(standby_ready), place, "stands by");
      c->is_announced = 1;
    }
    watch_flaws(gate, place);
  }
  if (c->differs_ms && !c->differs_reported && gate_is_over(gate, c->differs_ms, c->differs_step)) {
    char what[96];
    snprintf(what, sizeof what, "would command something else: %.0f %% of the full thrust of a thruster",
             100 * c->differs);
    c->differs_reported = 1;
    report_standby(gate, EVENT_NAME(controllers_differ), place, what);
  }
}

void gate_watch_seats(struct gate *gate, uint64_t step) {
  if (!gate_has_seats(gate) || gate->held)
    return;
  gate->step = step;
  watch_commander(gate);
  for (int i = 0; i < GATE_CONTROLLERS; i++)
    if (gate->controller[i].used && gate->controller[i].seat >= 0 && gate->controller[i].seat != gate->seat)
      watch_standby(gate, i);
}

void gate_seat_joined(struct gate *gate, int place, uint64_t step) {
  struct controller *c = &gate->controller[place];
  char text[GATE_TEXT];
  const int seat = seat_named(gate, c->name);
  if (gate_place_of_seat(gate, seat) >= 0) // one is here that has this name
    return;
  c->seat = seat;
  if (seat >= 0 && !gate_is_behind_switch(gate, seat))
    gate->lost_reported = 0;
  if (seat >= 0)
    gate->seen |= UINT32_C(1) << seat;
  if (seat < 0 || seat != gate->seat)
    return;
  gate->in_command = place;
  gate->has_left = 0;
  gate->commanded_ms = gate_clock_ms(gate);
  gate->commanded_step = step;
  gate->counts.changes++;
  snprintf(text, sizeof text, "%s is in command", gate_controller_text(gate, place).text);
  gate->on_event(gate->context, EVENT_NAME(controller_in_command), text);
}

void gate_seat_left(struct gate *gate, int place) {
  const struct controller *c = &gate->controller[place];
  if (c->seat < 0)
    return;
  if (c->seat == gate->seat)
    gate->has_left = 1;
  else if (c->shadows > 0)
    report_standby(gate, EVENT_NAME(standby_lost), place, "stood by, and has gone");
}

int gate_seat_is_taken(const struct gate *gate, const char *name, const char *id, struct gate_text *who) {
  const int place = gate_place_of_seat(gate, seat_named(gate, name));
  if (place < 0 || strcmp(gate->controller[place].id, id) == 0)
    return 0;
  *who = gate_controller_text(gate, place);
  return 1;
}

// ------------------------------------------------------------
// Faults of a controller. They act here, before the log, so that a replay has the commands that came.

int gate_is_cut(const struct gate *gate, int seat) {
  return seat >= 0 && (gate->cut >> seat & 1u);
}

static int is_silenced(const struct gate *gate, const struct fault_set *faults, int seat) {
  return fault_find(faults, FAULT_CONTROLLER_SILENT, seat) ||
         (controllers_backup(list_of(gate)) && fault_find(faults, FAULT_ZONE_LOST, (int)side_of(gate, seat)));
}

void gate_take_faults(struct gate *gate, const struct fault_set *faults) {
  gate->cut = 0;
  for (int seat = 0; seat < list_of(gate)->count; seat++)
    if (is_silenced(gate, faults, seat))
      gate->cut |= UINT32_C(1) << seat;
}

static void take_effort(struct command *to, const struct command *from) {
  to->standby = from->standby;
  memcpy(to->wrench_b, from->wrench_b, sizeof to->wrench_b);
  to->thruster_count = from->thruster_count;
  memcpy(to->thrusters, from->thrusters, sizeof to->thrusters);
}

static double within(double x, double most) {
  return x > most ? most : x < -most ? -most : x;
}

// As far as the limits allow: a controller that is wrong keeps them.
static void multiply(const struct gate *gate, struct command *command, double factor) {
  for (int i = 0; i < 6; i++) {
    const double most = gate->rules.wrench_limit[i];
    command->wrench_b[i] *= factor;
    command->wrench_b[i] = most > 0 ? within(command->wrench_b[i], most) : command->wrench_b[i];
  }
  for (int i = 0; i < command->thruster_count; i++) {
    struct thruster_command *t = &command->thrusters[i];
    double most_rpm = 0;
    for (int k = 0; k < gate->rules.thruster_count; k++)
      if (strcmp(gate->rules.thruster[k].name, t->name) == 0)
        most_rpm = gate->rules.thruster[k].revolutions_max_rpm;
    t->revolutions_rpm = within(factor * t->revolutions_rpm, most_rpm);
    t->pitch = within(factor * t->pitch, 1);
  }
}

int gate_apply_faults(struct gate *gate, int place, const struct fault_set *faults, struct command *command) {
  struct controller *c = &gate->controller[place];
  if (c->seat < 0)
    return 1;
  if (is_silenced(gate, faults, c->seat)) {
    gate->counts.cut++;
    return 0;
  }
  const struct fault *frozen = fault_find(faults, FAULT_CONTROLLER_FROZEN, c->seat);
  const struct fault *wrong = fault_find(faults, FAULT_CONTROLLER_WRONG, c->seat);
  if (frozen && !c->is_frozen)
    c->frozen = *command;
  c->is_frozen = frozen != NULL;
  if (frozen)
    take_effort(command, &c->frozen);
  if (wrong)
    multiply(gate, command, wrong->value[0]);
  return 1;
}

// ------------------------------------------------------------
// Commands and shadow commands.

// A command that answers Sensors from before the changeover was on its way; one that answers later Sensors
// comes from a controller that has been told, over the same connection, that it stands by.
static int is_claim(const struct gate *gate, const struct command *command) {
  const int knows =
      command->based_on_step > gate->changed_step ||
      (gate->step > gate->changed_step && gate->step - gate->changed_step > gate->max_age_steps);
  return knows && gate->in_command >= 0 && gate->controller[gate->in_command].commands > 0;
}

const char *gate_awaits_listed(const struct gate *gate) {
  for (int seat = 0; seat < list_of(gate)->count; seat++)
    if (!(gate->seen >> seat & 1u) && !gate_is_cut(gate, seat))
      return list_of(gate)->item[seat].name;
  return NULL;
}

int gate_awaits_shadow_of(const struct gate *gate, int place, uint64_t step) {
  const struct controller *c = &gate->controller[place];
  return c->used && c->seat >= 0 && c->seat != gate->seat && !gate_is_cut(gate, c->seat) &&
         (!c->has_answered || c->shadow.based_on_step < step);
}

int gate_awaits_shadow(const struct gate *gate, uint64_t step) {
  for (int i = 0; i < GATE_CONTROLLERS; i++)
    if (gate_awaits_shadow_of(gate, i, step))
      return 1;
  return 0;
}

static void report_claim(struct gate *gate, int place) {
  char text[GATE_TEXT];
  snprintf(text, sizeof text, "%s commands, and %s is in command and stays so: the other is refused",
           gate_controller_text(gate, place).text, gate_controller_text(gate, gate->in_command).text);
  gate->on_event(gate->context, EVENT_NAME(split_brain), text);
}

static enum refusal refuse_standby(struct gate *gate, int place, const struct command *command,
                                   struct reason *why) {
  struct controller *c = &gate->controller[place];
  c->standby++;
  if (c->seat < 0) {
    fail(why, STATUS_BAD_INPUT, "controllers does not list %.63s: a listed name expected", c->name);
    return REFUSED_STANDBY;
  }
  fail(why, STATUS_BAD_INPUT, "%s stands by, %s is in command: a shadow command expected, until a changeover",
       list_of(gate)->item[c->seat].name, list_of(gate)->item[gate->seat].name);
  if (!is_claim(gate, command)) {
    gate->counts.late++;
    return REFUSED_STANDBY;
  }
  gate->counts.claims++;
  if (!c->claims++ && event_budget_take(&gate->claim_budget, clock_ms()))
    report_claim(gate, place);
  return REFUSED_STANDBY;
}

enum refusal gate_check_seat(struct gate *gate, int place, const struct command *command,
                             uint64_t current_step, struct reason *why) {
  if (!gate_has_seats(gate))
    return REFUSAL_COUNT;
  gate->step = current_step;
  return gate->controller[place].seat >= 0 && gate->controller[place].seat == gate->seat
             ? REFUSAL_COUNT
             : refuse_standby(gate, place, command, why);
}

enum refusal gate_take_shadow(struct gate *gate, int place, uint64_t sequence, const struct command *command,
                              uint64_t current_step, struct reason *why) {
  struct controller *c = &gate->controller[place];
  if (!gate_has_seats(gate) || c->seat < 0) {
    fail(why, STATUS_BAD_INPUT,
         "shadow: false expected of a controller that the case does not list in controllers");
    return REFUSED_RANGE;
  }
  if (sequence <= c->last_sequence) {
    fail(why, STATUS_BAD_INPUT, "a sequence above %" PRIu64 " expected, got %" PRIu64, c->last_sequence,
         sequence);
    return REFUSED_SEQUENCE;
  }
  c->last_sequence = sequence;
  if (command_check(&gate->rules, command, why) != STATUS_OK)
    return REFUSED_RANGE;
  if (command->based_on_step > current_step) {
    fail(why, STATUS_BAD_INPUT, "based_on_step %" PRIu64 " is ahead, the newest step is %" PRIu64,
         command->based_on_step, current_step);
    return REFUSED_STALE;
  }
  if (current_step - command->based_on_step > gate->max_age_steps) {
    fail(why, STATUS_BAD_INPUT,
         "based_on_step %" PRIu64 " is %" PRIu64 " steps old: an age of at most %" PRIu64
         " steps expected (network.command_max_age_s)",
         command->based_on_step, current_step - command->based_on_step, gate->max_age_steps);
    return REFUSED_STALE;
  }
  gate->step = current_step;
  c->fell_silent = 0;
  gate->lost_reported &= gate_is_behind_switch(gate, c->seat);
  c->shadows++;
  c->shadow_ms = gate_clock_ms(gate);
  c->shadow_ms += c->shadow_ms == 0;
  c->shadow_step = current_step;
  c->shadow = *command;
  c->has_answered = 1;
  c->claims = 0;
  gate->counts.shadows++;
  gate_compare(gate, c);
  return REFUSAL_COUNT;
}

enum status gate_find_hand_over(const struct gate *gate, const char *name, uint64_t *seat,
                                struct reason *why) {
  const int at = seat_named(gate, name);
  *seat = 0;
  if (!*name)
    return STATUS_OK;
  if (at < 0 || at == gate->seat || gate_place_of_seat(gate, at) < 0 || gate_is_behind_switch(gate, at))
    return fail(
        why, STATUS_BAD_INPUT,
        "hand_over: the name of a connected controller of the list that stands by expected, got '%.23s'",
        name);
  *seat = (uint64_t)at + 1;
  return STATUS_OK;
}

// Before the command is compared with the answers to the same Sensors: in lockstep the counts follow from the
// sample before, for which it waited, and not from which answer came first.
static void count_standbys(const struct gate *gate, struct command *command) {
  command->standbys_ready = command->standbys_following = 0;
  for (int i = 0; i < GATE_CONTROLLERS; i++) {
    const struct controller *c = &gate->controller[i];
    if (!c->used || c->seat < 0 || c->seat == gate->seat ||
        side_of(gate, c->seat) != side_of(gate, gate->seat)) // only the switch leads there
      continue;
    const int is_ready =
        gate->lockstep ? gate_is_compared(gate, c) && !gate_flaws(gate, c) : gate_is_ready(gate, i);
    command->standbys_ready += (uint64_t)is_ready;
    command->standbys_following +=
        (uint64_t)(is_ready && gate_is_compared(gate, c) && c->differs <= GATE_DIFFERS);
  }
}

void gate_stamp(struct gate *gate, struct command *command, uint64_t current_step) {
  if (!gate_has_seats(gate))
    return;
  command->seat = (uint64_t)gate->seat + 1;
  command->term = gate->term;
  command->cause = gate->cause;
  count_standbys(gate, command);
  gate->newest = *command;
  for (int i = 0; i < GATE_CONTROLLERS; i++)
    if (gate->controller[i].used && gate->controller[i].seat >= 0 && gate->controller[i].seat != gate->seat)
      gate_compare(gate, &gate->controller[i]);
  if (!command->hands_to)
    return;
  char how[GATE_NAME + 64];
  snprintf(how, sizeof how, "takes over: %s hands over", list_of(gate)->item[gate->seat].name);
  gate->term++;
  change(gate, (int)command->hands_to - 1, CHANGEOVER_MESSAGE, current_step, how);
}
