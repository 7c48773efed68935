// The thrusters of the model as sets of forces: azimuths ahead only, out of the forbidden sectors in force;
// main propellers ahead with the rudder, or astern.
#include "lab/capability/level2.h"

#include "sagbend/math/trig.h"

#include <math.h>
#include <string.h>

static int is_in_force(const struct plant_def *plant, const struct sector *sector, unsigned stopped) {
  for (int i = 0; i < plant->thruster_count; i++)
    if (sector->against[0] && !strncmp(plant->thruster[i].name, sector->against, SIGNAL_NAME))
      return !(stopped >> i & 1);
  return 1;
}

static double upward(double from_rad, double to_rad) { // angle from one direction to another, in [0, 2 pi)
  double angle = trig_wrap(to_rad - from_rad);
  return angle < 0 ? angle + 2 * TRIG_PI : angle;
}

// The sectors do not overlap. An allowed arc goes from the end of one to the beginning of the next.
static int add_azimuth(const struct plant_def *plant, const struct thruster_def *t, unsigned stopped,
                       double thrust_n, struct reach_unit *unit) {
  const struct sector *closed[MAX_SECTORS];
  int count = 0, good = 1;
  for (int i = 0; i < t->sector_count; i++)
    if (is_in_force(plant, &t->sector[i], stopped)) {
      int at = count++;
      for (; at > 0 && upward(-TRIG_PI, closed[at - 1]->to_rad) > upward(-TRIG_PI, t->sector[i].to_rad); at--)
        closed[at] = closed[at - 1];
      closed[at] = &t->sector[i];
    }
  if (count == 0)
    return reach_add_sector(unit, 0, 2 * TRIG_PI, thrust_n);
  for (int i = 0; good && i < count; i++) {
    double from = closed[i]->to_rad, width = upward(from, closed[(i + 1) % count]->from_rad);
    if (width > 0)
      good = reach_add_sector(unit, from, from + width, thrust_n);
  }
  return good;
}

static int add_main(const struct thruster_def *t, double thrust_n, struct reach_unit *unit) {
  enum { HALF = 20 };
  if (!(t->rudder_max_rad > 0) || !(t->rudder_lift > 0))
    return reach_add_segment(unit, 0, thrust_n, t->thrust_astern * thrust_n);
  int good = reach_begin_piece(unit);
  for (int i = -HALF; good && i <= HALF; i++) {
    double s = trig_sin(t->rudder_max_rad * i / HALF);
    good = reach_add_point(unit, thrust_n * (1 - t->rudder_drag * s * s), thrust_n * t->rudder_lift * s);
  }
  return good && (t->thrust_astern == 0 || reach_add_segment(unit, TRIG_PI, t->thrust_astern * thrust_n, 0));
}

unsigned level2_left_after(const struct plant_def *plant, unsigned buses, unsigned generators,
                           struct power_left *out) {
  unsigned dead = 0;
  if (power_is_present(&plant->power))
    power_left_after(&plant->power, buses, generators, out);
  else
    for (int b = 0; b < plant->bus_count; b++) {
      out->island[b] = b;
      out->live[b] = !(buses >> b & 1);
      out->drives_w[b] = out->live[b] ? plant->bus[b].available_w : 0;
    }
  for (int i = 0; i < plant->thruster_count; i++)
    if (plant->thruster[i].bus >= 0 && !out->live[plant->thruster[i].bus])
      dead |= 1u << i;
  return dead;
}

static int add_forces(const struct plant_def *plant, const struct thruster_def *t, unsigned stopped,
                      double thrust_n, struct reach_unit *unit) {
  switch (thruster_steering(t->kind)) {
  case STEERING_NONE:
    return reach_add_segment(unit, thruster_axis_rad(t->kind), thrust_n, t->thrust_astern * thrust_n);
  case STEERING_TURNS:
    return add_azimuth(plant, t, stopped, thrust_n, unit);
  case STEERING_RUDDER:
    return add_main(t, thrust_n, unit);
  }
  return 0;
}

static double fixed_power_w(const struct thruster_def *t) {
  return t->drive == DRIVE_CPP ? t->power_zero_pitch * t->power_max_w : 0;
}

enum status level2_thrust(const struct plant_def *plant, unsigned stopped, const struct power_left *power,
                          double current_mps, struct reach *out, int unit_of[REACH_UNITS],
                          struct reason *why) {
  reach_clear(out);
  for (int b = 0; b < plant->bus_count; b++) {
    double available = power->drives_w[b];
    for (int i = 0; i < plant->thruster_count; i++)
      if (plant->thruster[i].bus >= 0 && power->island[plant->thruster[i].bus] == b && !(stopped >> i & 1))
        available -= fixed_power_w(&plant->thruster[i]);
    reach_add_bus(out, available);
  }
  for (int i = 0; i < plant->thruster_count; i++) {
    const struct thruster_def *t = &plant->thruster[i];
    if (stopped >> i & 1)
      continue;
    double thrust = t->thrust_max_n * t->ventilation * fmax(1 - t->inflow_loss_spm * current_mps, 0);
    unit_of[out->unit_count] = i;
    struct reach_unit *unit =
        reach_add_unit(out, t->position_b_m[0], t->position_b_m[1], t->power_max_w - fixed_power_w(t),
                       t->bus < 0 ? -1 : power->island[t->bus]);
    if (!unit || !add_forces(plant, t, stopped, thrust, unit))
      return fail(why, STATUS_BAD_INPUT, "vessel.thrusters.%d: fewer sectors expected", i);
  }
  return STATUS_OK;
}
