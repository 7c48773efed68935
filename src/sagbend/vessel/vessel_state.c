// Checks of a vessel and plant state that comes from a file.
#include "sagbend/math/trig.h"
#include "sagbend/vessel/plant.h"
#include "sagbend/vessel/vessel_vessel.h"

int vessel_state_is_valid(const struct vessel_state *state, struct reason *why) {
  const double x[3] = {state->x_n.x, state->x_n.y, state->x_n.z},
               q[4] = {state->q_nb.w, state->q_nb.x, state->q_nb.y, state->q_nb.z};
  return valid_finite(x, 3, "x_n", why) && valid_unit_quaternion(q, "q_nb", why) &&
         valid_finite(state->nu, 6, "nu", why);
}

static int thruster_state_is_valid(const struct thruster_def *def, const struct thruster_state *state,
                                   struct reason *why) {
  const double rounding = 1 + 1e-9, rpm = def->revolutions_max_rpm * rounding;
  const double angle =
      thruster_steering(def->kind) == STEERING_RUDDER ? def->rudder_max_rad * rounding : TRIG_PI * rounding;
  return valid_range(state->revolutions_rpm, -rpm, rpm, "revolutions_rpm", why) &&
         valid_range(state->revolutions_set_rpm, -rpm, rpm, "revolutions_set_rpm", why) &&
         valid_range(state->pitch, -rounding, rounding, "pitch", why) &&
         valid_range(state->pitch_set, -rounding, rounding, "pitch_set", why) &&
         valid_range(state->azimuth_rad, -angle, angle, "azimuth_rad", why) &&
         valid_range(state->azimuth_set_rad, -angle, angle, "azimuth_set_rad", why) &&
         valid_finite(&state->asked_azimuth_rad, 1, "asked_azimuth_rad", why) &&
         valid_range(state->start_left_s, 0, def->start_up_s * rounding, "start_left_s", why) &&
         valid_range(state->rate_share, 0, 1, "rate_share", why) &&
         valid_whole(state->ready, 0, 1, "ready", why) && valid_whole(state->running, 0, 1, "running", why) &&
         valid_whole(state->stuck, 0, 1, "stuck", why);
}

static int bus_state_is_valid(const struct bus_def *def, const struct bus_state *state, struct reason *why) {
  return valid_range(state->available_w, 0, def->available_w, "available_w", why) &&
         valid_whole(state->closed, 0, 1, "closed", why) && valid_whole(state->limited, 0, 1, "limited", why);
}

int plant_state_is_valid(const struct plant_def *def, const struct plant_state *state, struct reason *why) {
  for (int i = 0; i < def->thruster_count; i++)
    if (!thruster_state_is_valid(&def->thruster[i], &state->thruster[i], why))
      return valid_fail_in(why, "%s.", def->thruster[i].name);
  for (int i = 0; i < def->bus_count; i++)
    if (!bus_state_is_valid(&def->bus[i], &state->bus[i], why))
      return valid_fail_in(why, "%s.", def->bus[i].name);
  return 1;
}
