// What the state of the vessel and of its thrusters from a file must be.
#include "core/math/trig.h"
#include "core/vessel/plant.h"
#include "core/vessel/vessel.h"

int vessel_state_is_valid(const struct vessel_state *s, struct reason *why) {
  const double x[3] = {s->x_n.x, s->x_n.y, s->x_n.z}, q[4] = {s->q_nb.w, s->q_nb.x, s->q_nb.y, s->q_nb.z};
  return valid_finite(x, 3, "x_n", why) && valid_unit_quaternion(q, "q_nb", why) &&
         valid_finite(s->nu, 6, "nu", why);
}

static int thruster_state_is_valid(const struct thruster_def *def, const struct thruster_state *s,
                                   struct reason *why) {
  const double rounding = 1 + 1e-9, rpm = def->revolutions_max_rpm * rounding;
  const double angle = def->kind == THRUSTER_MAIN ? def->rudder_max_rad * rounding : TRIG_PI * rounding;
  return valid_range(s->revolutions_rpm, -rpm, rpm, "revolutions_rpm", why) &&
         valid_range(s->revolutions_set_rpm, -rpm, rpm, "revolutions_set_rpm", why) &&
         valid_range(s->pitch, -rounding, rounding, "pitch", why) &&
         valid_range(s->pitch_set, -rounding, rounding, "pitch_set", why) &&
         valid_range(s->azimuth_rad, -angle, angle, "azimuth_rad", why) &&
         valid_range(s->azimuth_set_rad, -angle, angle, "azimuth_set_rad", why) &&
         valid_finite(&s->asked_azimuth_rad, 1, "asked_azimuth_rad", why) &&
         valid_range(s->start_left_s, 0, def->start_up_s * rounding, "start_left_s", why) &&
         valid_range(s->rate_share, 0, 1, "rate_share", why) && valid_whole(s->ready, 0, 1, "ready", why) &&
         valid_whole(s->running, 0, 1, "running", why) && valid_whole(s->stuck, 0, 1, "stuck", why);
}

static int bus_state_is_valid(const struct bus_def *def, const struct bus_state *s, struct reason *why) {
  return valid_range(s->available_w, 0, def->available_w, "available_w", why) &&
         valid_whole(s->closed, 0, 1, "closed", why) && valid_whole(s->limited, 0, 1, "limited", why);
}

int plant_state_is_valid(const struct plant_def *def, const struct plant_state *s, struct reason *why) {
  for (int i = 0; i < def->thruster_count; i++)
    if (!thruster_state_is_valid(&def->thruster[i], &s->thruster[i], why))
      return valid_within(why, "%s.", def->thruster[i].name);
  for (int i = 0; i < def->bus_count; i++)
    if (!bus_state_is_valid(&def->bus[i], &s->bus[i], why))
      return valid_within(why, "%s.", def->bus[i].name);
  return 1;
}
