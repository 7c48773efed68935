// Validity of a command or latch from a file.
#include "core/signals/command.h"

static int setpoint_is_valid(const struct thruster_setpoint *setpoint, struct reason *why) {
  return valid_flag(setpoint->enable, "enable", why) &&
         valid_finite(&setpoint->revolutions_rpm, 1, "revolutions_rpm", why) &&
         valid_finite(&setpoint->pitch, 1, "pitch", why) &&
         valid_finite(&setpoint->azimuth_rad, 1, "azimuth_rad", why);
}

static int thruster_command_is_valid(const struct thruster_command *thruster, struct reason *why) {
  const struct thruster_setpoint setpoint = {thruster->enable, thruster->revolutions_rpm, thruster->pitch,
                                             thruster->azimuth_rad};
  return valid_text(thruster->name, sizeof thruster->name, "name", why) && setpoint_is_valid(&setpoint, why);
}

static int is_well_formed(const struct command *command, struct reason *why) {
  if (!valid_flag(command->standby, "standby", why) || !valid_finite(command->wrench_b, 6, "wrench_b", why) ||
      !valid_index(command->thruster_count, 0, MAX_THRUSTERS, "thruster_count", why))
    return 0;
  for (int i = 0; i < command->thruster_count; i++)
    if (!thruster_command_is_valid(&command->thrusters[i], why))
      return valid_fail_in(why, "thrusters[%d].", i);
  return tensioner_setpoint_is_valid(&command->tensioner, why);
}

int command_is_valid(const struct command_def *def, const struct command *command, struct reason *why) {
  return is_well_formed(command, why) && command_check(def, command, why) == STATUS_OK;
}

int command_latch_is_valid(const struct command_def *def, const struct command_latch *latch, uint64_t step,
                           struct reason *why) {
  // Before the first command, last need not pass command_check.
  if (!is_well_formed(&latch->last, why) || (latch->has_command && !command_is_valid(def, &latch->last, why)))
    return valid_fail_in(why, "last.");

  for (int i = 0; i < MAX_THRUSTERS; i++)
    if (!setpoint_is_valid(&latch->setpoint[i], why) ||
        !valid_whole(latch->set_at_step[i], 0, step, "set_at_step", why))
      return valid_fail_in(why, "setpoint[%d].", i);

  return valid_whole(latch->latched_at_step, 0, step, "latched_at_step", why) &&
         valid_index((int64_t)latch->state, 0, COMMAND_STATE_COUNT - 1, "state", why) &&
         valid_flag(latch->has_command, "has_command", why) &&
         valid_whole(latch->lost_count, 0, step + 1, "lost_count", why) &&
         valid_finite(latch->applied_b, 6, "applied_b", why) &&
         valid_range(latch->hold_share, 0, 1, "hold_share", why);
}
