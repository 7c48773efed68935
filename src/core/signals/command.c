#include "core/signals/command.h"

#include "core/base/number_text.h"

#include <math.h>
#include <string.h>

const char *command_state_name(enum command_state s) {
  static const char *const names[] = {"waiting", "standby", "fresh", "held", "lost"};
  return (unsigned)s < COMMAND_STATE_COUNT ? names[s] : "unknown";
}

void command_latch_init(struct command_latch *latch, const struct command_def *def) {
  memset(latch, 0, sizeof *latch);
  latch->state = COMMAND_WAITING;
  latch->hold_share = 1;
  memcpy(latch->applied_b, def->hold_wrench_b, sizeof latch->applied_b);
  memcpy(latch->setpoint, def->hold_setpoint, sizeof latch->setpoint);
}

static int thruster_named(const struct command_def *def, const char *name) {
  int i = 0;
  while (i < def->thruster_count && strcmp(def->thruster[i].name, name) != 0)
    i++;
  return i < def->thruster_count ? i : -1;
}

static enum status check_thruster(const struct command_def *def, const struct thruster_command *t,
                                  struct reason *why) {
  int at = thruster_named(def, t->name);
  if (at < 0)
    return fail(why, STATUS_BAD_INPUT, "thruster %s: the vessel has none of that name", t->name);
  const struct thruster_rule *rule = &def->thruster[at];
  if (rule->revolutions_max_rpm > 0 && !(fabs(t->revolutions_rpm) <= rule->revolutions_max_rpm))
    return fail(why, STATUS_BAD_INPUT, "thruster %s: at most %s rpm expected, got %s", t->name,
                number_text(rule->revolutions_max_rpm).text, number_text(t->revolutions_rpm).text);
  if (!(rule->revolutions_max_rpm > 0) && !(fabs(t->pitch) <= 1))
    return fail(why, STATUS_BAD_INPUT, "thruster %s: a pitch of -1 to 1 expected, got %s", t->name,
                number_text(t->pitch).text);
  double most =
      rule->rudder_max_rad < 0 ? 100 : rule->rudder_max_rad; // 100: some turns, so that rounding is none
  if (!(fabs(t->azimuth_rad) <= most))
    return fail(why, STATUS_BAD_INPUT, "thruster %s: an angle of at most %s rad expected, got %s", t->name,
                number_text(most).text, number_text(t->azimuth_rad).text);
  return STATUS_OK;
}

static const char *const wrench_names[] = {"surge_n", "sway_n", "heave_n", "roll_nm", "pitch_nm", "yaw_nm"};

static enum status check_wrench(const struct command_def *def, const struct command *c, struct reason *why) {
  const char *allows = "the vessel has thrusters (network.accept_wrench allows more)";
  if (def->thrusters_only && c->thruster_count == 0)
    return fail(why, STATUS_BAD_INPUT, "commands of thrusters expected, got a wrench: %s", allows);
  for (int i = 0; i < 6; i++) {
    double asked = fabs(c->wrench_b[i]), most = HAND_OVER_HOLD_WRENCHES * fabs(def->hold_wrench_b[i]);
    if (def->thrusters_only && !(asked <= most))
      return fail(why, STATUS_BAD_INPUT, "extra_wrench.%s: at most %s expected, got %s: %s", wrench_names[i],
                  number_text(most).text, number_text(c->wrench_b[i]).text, allows);
    if (def->wrench_limit[i] > 0 && !(asked <= def->wrench_limit[i]))
      return fail(why, STATUS_BAD_INPUT, "wrench.%s: at most %s expected, got %s", wrench_names[i],
                  number_text(def->wrench_limit[i]).text, number_text(c->wrench_b[i]).text);
  }
  return STATUS_OK;
}

enum status command_check(const struct command_def *def, const struct command *c, struct reason *why) {
  if (c->standby)
    return STATUS_OK;
  if (check_wrench(def, c, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  for (int i = 0; i < c->thruster_count; i++)
    if (check_thruster(def, &c->thrusters[i], why) != STATUS_OK)
      return STATUS_BAD_INPUT;
  return STATUS_OK;
}

static int holds(const struct command_latch *latch) {
  return !latch->has_command || latch->last.standby;
}

static void take_setpoints(struct command_latch *latch, const struct command_def *def, uint64_t step) {
  for (int k = 0; k < latch->last.thruster_count; k++) {
    const struct thruster_command *c = &latch->last.thrusters[k];
    int at = thruster_named(def, c->name);
    if (at < 0)
      continue; // the gate has refused it
    latch->setpoint[at] = (struct thruster_setpoint){c->enable, c->revolutions_rpm, c->pitch, c->azimuth_rad};
    latch->set_at_step[at] = step;
  }
}

static void set_thrusters(struct command_latch *latch, const struct command_def *def, uint64_t step) {
  for (int i = 0; i < def->thruster_count; i++)
    if (holds(latch)) {
      latch->setpoint[i] = def->hold_setpoint[i];
      latch->set_at_step[i] = step;
    } else if (def->thruster[i].stops_on_timeout &&
               step - latch->set_at_step[i] > def->thruster[i].timeout_steps) {
      latch->setpoint[i].revolutions_rpm = latch->setpoint[i].pitch = 0;
    }
}

// The hold wrench is what thrusters cannot make: it goes slowly where they rule, and comes back as slowly.
static void release_hold(struct command_latch *latch, const struct command_def *def) {
  int thrusters_rule = !holds(latch) && latch->last.thruster_count > 0;
  double change = def->hold_release_steps > 0 ? 1 / (double)def->hold_release_steps : 1;
  double share = latch->hold_share + (thrusters_rule ? -change : change);
  latch->hold_share = share < 0 ? 0 : share > 1 ? 1 : share;
}

static enum command_state state_at(const struct command_latch *latch, const struct command_def *def,
                                   uint64_t step) {
  if (!latch->has_command)
    return COMMAND_WAITING;
  uint64_t age = step - latch->latched_at_step;
  if (age > def->timeout_steps)
    return COMMAND_LOST;
  if (latch->last.standby)
    return COMMAND_STANDBY;
  return age < def->period_steps ? COMMAND_FRESH : COMMAND_HELD;
}

// The wrench of a state. A lost controller that was on standby has no last wrench to hold but the hold
// wrench; one that commanded thrusters leaves what is left of it.
static void set_wrench(struct command_latch *latch, const struct command_def *def) {
  int rules = latch->state == COMMAND_FRESH || latch->state == COMMAND_HELD;
  int keeps = latch->state == COMMAND_LOST && def->reaction == REACTION_HOLD_LAST;
  int commanded = (rules || keeps) && !latch->last.standby;
  int nothing = latch->state == COMMAND_LOST && def->reaction == REACTION_ZERO;
  int held = !nothing && (!commanded || latch->last.thruster_count > 0);
  for (int i = 0; i < 6; i++) {
    latch->applied_b[i] = held ? latch->hold_share * def->hold_wrench_b[i] : 0;
    if (commanded)
      latch->applied_b[i] = held ? latch->applied_b[i] + latch->last.wrench_b[i] : latch->last.wrench_b[i];
  }
}

void command_latch_step(struct command_latch *latch, const struct command_def *def,
                        const struct command *newest, uint64_t step) {
  if (newest) {
    latch->last = *newest;
    latch->latched_at_step = step;
    latch->has_command = 1;
    if (!newest->standby)
      take_setpoints(latch, def, step);
  }
  enum command_state state = state_at(latch, def, step);
  if (state == COMMAND_LOST && latch->state != COMMAND_LOST)
    latch->lost_count++;
  latch->state = state;
  set_thrusters(latch, def, step);
  release_hold(latch, def);
  set_wrench(latch, def);
}
