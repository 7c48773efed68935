#include "control/command.h"

#include <string.h>

const char *command_state_name(enum command_state s) {
  static const char *const names[] = {"waiting", "standby", "fresh", "held", "lost"};
  return (unsigned)s < COMMAND_STATE_COUNT ? names[s] : "unknown";
}

void command_latch_init(struct command_latch *latch, const struct command_def *def) {
  memset(latch, 0, sizeof *latch);
  latch->state = COMMAND_WAITING;
  memcpy(latch->applied_b, def->hold_wrench_b, sizeof latch->applied_b);
}

static enum command_state state_at(const struct command_latch *latch, const struct command_def *def,
                                   uint64_t step) {
  if (!latch->any)
    return COMMAND_WAITING;
  uint64_t age = step - latch->latched_at_step;
  if (age > def->timeout_steps)
    return COMMAND_LOST;
  if (latch->last.standby)
    return COMMAND_STANDBY;
  return age < def->period_steps ? COMMAND_FRESH : COMMAND_HELD;
}

// The wrench of a state. A lost controller that was on standby has no last wrench to hold but the hold
// wrench.
static const double *wrench_of(const struct command_latch *latch, const struct command_def *def) {
  static const double zero[6] = {0};
  const double *last = latch->last.standby ? def->hold_wrench_b : latch->last.wrench_b;
  switch (latch->state) {
  case COMMAND_FRESH:
  case COMMAND_HELD:
    return last;
  case COMMAND_LOST:
    if (def->reaction == REACTION_HOLD_LAST)
      return last;
    return def->reaction == REACTION_ZERO ? zero : def->hold_wrench_b;
  default:
    return def->hold_wrench_b;
  }
}

void command_latch_step(struct command_latch *latch, const struct command_def *def,
                        const struct command *newest, uint64_t step) {
  if (newest) {
    latch->last = *newest;
    latch->latched_at_step = step;
    latch->any = 1;
  }
  enum command_state state = state_at(latch, def, step);
  if (state == COMMAND_LOST && latch->state != COMMAND_LOST)
    latch->lost_count++;
  latch->state = state;
  memcpy(latch->applied_b, wrench_of(latch, def), sizeof latch->applied_b);
}
