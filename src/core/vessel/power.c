// Scaling the revolutions of all fixed-pitch propellers and the pitch of all controllable-pitch propellers by
// a factor f scales their power by f^3, except for the power that controllable-pitch propellers draw at zero
// pitch. If that alone exceeds the available power, their revolutions are reduced as well.
#include "core/vessel/power.h"

#include "core/math/explog.h"

// Share of the available power that is used: the rounding of root and sum stays below the limit.
static const double POWER_SHARE = 1 - 0x1p-44;

static double cube_root(double x) {
  return x > 0 ? explog_exp(explog_log(x) / 3) : 0;
}

// Whether this thruster draws power from this bus.
static int draws_from_bus(const struct plant_def *def, const struct plant_state *state, int thruster,
                          int bus) {
  return def->thruster[thruster].bus == bus && state->thruster[thruster].running;
}

void power_limit(const struct plant_def *def, struct plant_state *state, int bus) {
  double asked = 0, fixed = 0, available = state->bus[bus].available_w;
  for (int i = 0; i < def->thruster_count; i++)
    if (draws_from_bus(def, state, i, bus)) {
      const struct thruster_state *thruster_state = &state->thruster[i];
      asked +=
          thruster_power_w(&def->thruster[i], thruster_state->revolutions_set_rpm, thruster_state->pitch_set);
      if (def->thruster[i].drive == DRIVE_CPP)
        fixed += thruster_power_w(&def->thruster[i], thruster_state->revolutions_set_rpm, 0);
    }

  uint64_t limited = asked > available;
  state->bus[bus].limited_count += limited && !state->bus[bus].limited;
  state->bus[bus].limited = limited;
  if (!limited)
    return;

  double stroke = fixed < available ? cube_root(POWER_SHARE * (available - fixed) / (asked - fixed)) : 0;
  double turning = fixed > available ? cube_root(POWER_SHARE * available / fixed) : 1;
  for (int i = 0; i < def->thruster_count; i++)
    if (draws_from_bus(def, state, i, bus)) {
      struct thruster_state *thruster_state = &state->thruster[i];
      thruster_state->revolutions_set_rpm *= def->thruster[i].drive == DRIVE_CPP ? turning : stroke;
      thruster_state->pitch_set *= stroke;
    }
}
