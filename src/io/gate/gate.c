// Commands of controllers, and why a command is refused.
#include "io/gate/gate.h"

#include "io/net/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void gate_init(struct gate *gate) {
  memset(gate->controller, 0, sizeof gate->controller);
  gate->newcomers = 0;
  gate->in_command = -1;
  gate->commanded_ms = 0;
  gate->commanded_step = gate->answered_step = 0;
  gate->counts = (struct command_counts){0};
  gate->refusals = (struct refusals){.count = 0};
}

int64_t gate_clock_ms(const struct gate *gate) {
  return (gate->held ? gate->held_since_ms : clock_ms()) - gate->held_ms;
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

// Whether a command is based on sensors that are too old, or on a step that has not been published. In
// lockstep a step accepts the first answer to its own Sensors only: which of two answers arrives first would
// depend on the wall clock.
static int is_stale(const struct gate *gate, const struct command *command, uint64_t current_step,
                    struct reason *why) {
  if (command->based_on_step > current_step)
    return 1;
  if (!gate->lockstep)
    return current_step - command->based_on_step > gate->max_age_steps;
  if (command->based_on_step == current_step && gate->answered_step != current_step + 1)
    return 0;
  if (command->based_on_step == current_step)
    fail(why, STATUS_BAD_INPUT, "step %" PRIu64 " accepts no further answer", current_step);
  else
    fail(why, STATUS_BAD_INPUT,
         "answers the sensors of step %" PRIu64 ", in lockstep those of step %" PRIu64 " expected",
         command->based_on_step, current_step);
  return 1;
}

// Whether another controller is in command and has not timed out. In lockstep the time-out counts simulated
// time: a controller may take any time to answer, and has gone only when its connection has.
static int commanded_by_another(const struct gate *gate, int place, uint64_t current_step) {
  if (gate->in_command < 0 || gate->in_command == place)
    return 0;
  return gate->lockstep ? current_step - gate->commanded_step <= gate->timeout_steps
                        : gate_clock_ms(gate) - gate->commanded_ms <= (int64_t)gate->timeout_ms;
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
  if (commanded_by_another(gate, place, current_step))
    return REFUSED_NOT_CONTROLLER;
  if (is_stale(gate, command, current_step, why))
    return REFUSED_STALE;
  return REFUSAL_COUNT;
}

enum refusal gate_admit(struct gate *gate, int place, uint64_t sequence, const struct command *command,
                        uint64_t current_step, struct reason *why) {
  enum refusal reason = find_refusal(gate, place, sequence, command, current_step, why);
  if (reason != REFUSAL_COUNT)
    return reason;
  if (gate->in_command != place)
    gate_take_command(gate, place, current_step, "is in command");
  gate->commanded_ms = gate_clock_ms(gate);
  gate->commanded_step = current_step;
  gate->answered_step = current_step + 1;
  gate->counts.accepted++;
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
  if (!keep(gate, peer, reason, text) || !event_budget_take(&gate->refusals.budget[reason])) {
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
    gate->on_event(gate->context, "refused", text);
}

void gate_refuse_answers(struct gate *gate, uint64_t step) {
  gate->answered_step = step + 1;
}
