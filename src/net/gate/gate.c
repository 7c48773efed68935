// Commands of controllers, and why a command is refused.
#include "net/gate/gate.h"

#include "net/counts/counts.h"
#include "net/zmtp/zmtp.h"
#include "sagbend/events/events.h"
#include "sagbend/signals/signals.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void gate_init(struct gate *gate) {
  memset(gate->controller, 0, sizeof gate->controller);
  gate->newcomers = 0;
  gate->in_command = -1;
  gate->commanded_ms = 0;
  gate->commanded_step = gate->answered_step = gate->beyond_limits = 0;
  gate->idle.text[0] = 0;
  gate->counts = (struct command_counts){0};
  gate->refusals = (struct refusals){.count = 0};
  gate->step = 0;
  gate_begin_seats(gate, -1, 0);
}

void gate_hold(struct gate *gate, int on) {
  if (!gate->held == !on)
    return;
  if (on)
    gate->held_since_ms = clock_ms();
  else
    gate->held_ms += clock_ms() - gate->held_since_ms;
  gate->held = on;
}

// Whether a command is based on sensors that are too old, or on a step that has not been published; why names
// the step that was sent and the one that is now. In lockstep a step accepts the first answer to its own
// Sensors only: which of two answers arrives first would depend on the wall clock.
static int is_stale(const struct gate *gate, const struct command *command, uint64_t current_step,
                    struct reason *why) {
  const uint64_t answered = command->based_on_step;
  if (answered > current_step)
    fail(why, STATUS_BAD_INPUT,
         "based_on_step %" PRIu64 " is ahead, the newest step is %" PRIu64
         ": header.step of the Sensors that the command answers expected",
         answered, current_step);
  else if (gate->lockstep && answered != current_step)
    fail(why, STATUS_BAD_INPUT,
         "answers the sensors of step %" PRIu64 ", in lockstep those of step %" PRIu64 " expected", answered,
         current_step);
  else if (gate->lockstep && gate->answered_step == current_step + 1)
    fail(why, STATUS_BAD_INPUT, "step %" PRIu64 " accepts no further answer", current_step);
  else if (!gate->lockstep && current_step - answered > gate->max_age_steps)
    fail(why, STATUS_BAD_INPUT,
         "based_on_step %" PRIu64 " is %" PRIu64 " steps old, the newest step is %" PRIu64
         ": an age of at most %" PRIu64 " steps expected (network.command_max_age_s)",
         answered, current_step - answered, current_step, gate->max_age_steps);
  else
    return 0;
  return 1;
}

// Whether another controller is in command and has not timed out. In lockstep the time-out counts simulated
// time: a controller may take any time to answer, and has gone only when its connection has.
static int commanded_by_another(const struct gate *gate, int place, uint64_t current_step,
                                struct reason *why) {
  if (gate->in_command < 0 || gate->in_command == place)
    return 0;
  const int64_t silent_ms = gate_clock_ms(gate) - gate->commanded_ms;
  if (gate->lockstep ? current_step - gate->commanded_step > gate->timeout_steps
                     : silent_ms > (int64_t)gate->timeout_ms)
    return 0;
  fail(why, STATUS_BAD_INPUT,
       "another controller is in command: %.120s; until it is silent for network.command_timeout_s, or an "
       "operator's take-over",
       gate_controller_text(gate, gate->in_command).text);
  return 1;
}

static enum refusal find_refusal(struct gate *gate, int place, uint64_t sequence,
                                 const struct command *command, uint64_t current_step, struct reason *why) {
  struct controller *sender = &gate->controller[place];
  if (sequence <= sender->last_sequence) {
    fail(why, STATUS_BAD_INPUT,
         "a sequence above %" PRIu64 " expected, got %" PRIu64 ": send Hello to start a new sequence",
         sender->last_sequence, sequence);
    return REFUSED_SEQUENCE;
  }
  sender->last_sequence = sequence;
  sender->tried_ms = gate_clock_ms(gate);
  if (command_check(&gate->rules, command, why) != STATUS_OK)
    return REFUSED_RANGE;
  const enum refusal refusal = gate_check_seat(gate, place, command, current_step, why);
  if (refusal != REFUSAL_COUNT)
    return refusal;
  if (!gate_has_seats(gate) && commanded_by_another(gate, place, current_step, why))
    return REFUSED_NOT_CONTROLLER;
  if (is_stale(gate, command, current_step, why))
    return REFUSED_STALE;
  return REFUSAL_COUNT;
}

// A command out of range is refused; a hundred in a row are in another unit, of a law that is not stable, or
// for another vessel.
static void count_beyond_limits(struct gate *gate, int place, enum refusal reason, const struct reason *why) {
  char text[GATE_TEXT];
  if (reason == REFUSAL_COUNT)
    gate->beyond_limits = 0;
  if (reason != REFUSED_RANGE || ++gate->beyond_limits != COMMANDS_BEYOND_LIMITS)
    return;
  const int is_number = strstr(why->text, " at most ") != NULL && !strchr(why->text, '?');
  snprintf(text, sizeof text, "%d commands in a row of %s are refused; the last: %.200s%s",
           COMMANDS_BEYOND_LIMITS, gate_controller_text(gate, place).text, why->text,
           is_number ? "; are its units right (N, N m, rpm, rad, a share from -1 to 1)?" : "");
  gate->on_event(gate->context, EVENT_NAME(command_limits), text);
}

enum refusal gate_admit(struct gate *gate, int place, uint64_t sequence, struct command *command,
                        uint64_t current_step, struct reason *why) {
  enum refusal reason = find_refusal(gate, place, sequence, command, current_step, why);
  count_beyond_limits(gate, place, reason, why);
  if (reason == REFUSED_RANGE && gate->controller[place].commands)
    gate->commander_refused++;
  if (reason != REFUSAL_COUNT)
    return reason;
  gate->controller[place].commands++;
  gate->controller[place].fell_silent = gate->lost_reported = 0;
  if (gate->in_command != place)
    gate_take_command(gate, place, current_step, "is in command");
  gate->commanded_ms = gate_clock_ms(gate);
  gate->commanded_step = current_step;
  gate->answered_step = current_step + 1;
  gate->counts.accepted++;
  gate_stamp(gate, command, current_step);
  return REFUSAL_COUNT;
}

static int keep(struct gate *gate, const char *peer, enum refusal reason, const char *text) {
  gate->counts.refused[reason]++;
  return refusals_keep(&gate->refusals, peer, reason, text ? text : refusal_help(reason));
}

void gate_refuse_silently(struct gate *gate, const char *peer, enum refusal reason, const char *text) {
  keep(gate, peer, reason, text);
}

void gate_refuse(struct gate *gate, const char *peer, enum refusal reason, const char *text) {
  char name[GATE_NAME], line[GATE_TEXT];
  if (!keep(gate, peer, reason, text) || !event_budget_take(&gate->refusals.budget[reason], clock_ms())) {
    refusals_leave(&gate->refusals, reason);
    return;
  }
  snprintf(name, sizeof name, "refused_%s", refusal_name(reason));
  snprintf(line, sizeof line, "%s: %s", peer, text ? text : refusal_help(reason));
  if (gate->on_event)
    gate->on_event(gate->context, name, line);
}

void gate_report_refused(struct gate *gate) {
  char text[GATE_TEXT];
  if (refusals_sum(&gate->refusals, text, (int)sizeof text) && gate->on_event)
    gate->on_event(gate->context, EVENT_NAME(refused), text);
}

void gate_refuse_answers(struct gate *gate, uint64_t step) {
  gate->answered_step = step + 1;
}

// ------------------------------------------------------------
int bus_master_place(const struct bus_master *master, const struct gate *gate) {
  return master->number ? gate_find_number(gate, master->number) : -1;
}

void bus_master_heard(struct bus_master *master, struct gate *gate) {
  int place = bus_master_place(master, gate);
  if (place >= 0)
    gate_heard(gate, place);
  else if (master->number)
    bus_master_leave(master, gate); // it was forgotten, or another session has begun
}

void bus_master_leave(struct bus_master *master, struct gate *gate) {
  int place = bus_master_place(master, gate);
  if (place >= 0)
    gate_leave(gate, place);
  master->number = 0;
  master->alarms.count = 0;
}

static int join(struct bus_master *master, const struct bus_inbox *inbox) {
  int place = bus_master_place(master, inbox->gate);
  if (place < 0) {
    place = gate_make_place(inbox->gate);
    gate_join(inbox->gate, place, "", master->name, inbox->current_step);
    master->number = inbox->gate->controller[place].number;
    master->written = 0;
  }
  gate_heard(inbox->gate, place);
  return place;
}

enum refusal bus_master_refuse(struct bus_master *master, enum refusal reason, const struct bus_inbox *inbox,
                               const struct reason *why) {
  join(master, inbox);
  gate_refuse(inbox->gate, master->name, reason, *why->text ? why->text : NULL);
  return reason;
}

// The order that the image contains: its mode, and the set-point of this mode.
static struct tensioner_setpoint order_of(const struct tensioner_setpoint *image) {
  return (struct tensioner_setpoint){.given = 1,
                                     .mode = image->mode,
                                     .tension_n = image->mode == TENSIONER_TENSION ? image->tension_n : 0,
                                     .speed_mps = image->mode == TENSIONER_SPEED ? image->speed_mps : 0};
}

static void make_command(const struct gate *gate, const struct bus_image *image, uint32_t thrusters,
                         struct command *out) {
  if (thrusters & BUS_TENSIONER)
    out->tensioner = order_of(&image->tensioner);
  for (int i = 0; i < image->thruster_count; i++) {
    const struct thruster_setpoint *setpoint = &image->setpoint[i];
    struct thruster_command *thruster = &out->thrusters[out->thruster_count];
    if (!(thrusters >> i & 1u))
      continue;
    memcpy(thruster->name, gate->rules.thruster[i].name, sizeof thruster->name);
    thruster->enable = setpoint->enable;
    thruster->revolutions_rpm = setpoint->revolutions_rpm;
    thruster->pitch = setpoint->pitch;
    thruster->azimuth_rad = setpoint->azimuth_rad;
    out->thruster_count++;
  }
}

enum refusal bus_master_write(struct bus_master *master, struct bus_image *image,
                              const struct bus_image *next, uint32_t thrusters, uint64_t based_on_step,
                              const struct bus_inbox *inbox, struct reason *why) {
  struct gate *gate = inbox->gate;
  int place = join(master, inbox);
  uint64_t sequence = gate->controller[place].last_sequence + 1;
  struct command command = {.sequence = sequence, .based_on_step = based_on_step};

  // A set-point is checked even while the master asks for nothing, because it acts later.
  make_command(gate, next, master->written | thrusters, &command);
  if (command.thruster_count > 0 && command_check(&gate->rules, &command, why) != STATUS_OK)
    return bus_master_refuse(master, REFUSED_RANGE, inbox, why);
  if (next->standby || command.thruster_count == 0) {
    const struct tensioner_setpoint order = command.tensioner;
    command = (struct command){.sequence = sequence, .based_on_step = based_on_step, .standby = 1};
    if (!next->standby)
      command.tensioner = order;
  }

  enum refusal reason = gate_admit(gate, place, sequence, &command, inbox->current_step, why);
  if (reason != REFUSAL_COUNT)
    return bus_master_refuse(master, reason, inbox, why);
  master->written |= thrusters;
  *image = *next;
  gate->counts.from_buses++;
  gate->alarms = &master->alarms;
  inbox->on_command(inbox->context, &command);
  gate->alarms = NULL;
  return REFUSAL_COUNT;
}
