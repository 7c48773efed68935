// With every set-point of revolutions times f, and every pitch times f, power falls with f^3 but for what
// propellers of constant revolutions draw at zero pitch; if even that is too much, their revolutions fall as
// well.
#include "core/vessel/power.h"

#include "core/math/explog.h"

static const double WITHIN = 1 - 0x1p-44; // of the power, against the rounding of the root and of the sum

static double cube_root(double x) {
  return x > 0 ? explog_exp(explog_log(x) / 3) : 0;
}

static int draws(const struct plant_def *def, const struct plant_state *s, int thruster, int bus) {
  return def->thruster[thruster].bus == bus && s->thruster[thruster].running;
}

void power_limit(const struct plant_def *def, struct plant_state *s, int bus) {
  double asked = 0, fixed = 0, available = s->bus[bus].available_w;
  for (int i = 0; i < def->thruster_count; i++)
    if (draws(def, s, i, bus)) {
      const struct thruster_state *t = &s->thruster[i];
      asked += thruster_power_w(&def->thruster[i], t->revolutions_set_rpm, t->pitch_set);
      if (def->thruster[i].drive == DRIVE_CPP)
        fixed += thruster_power_w(&def->thruster[i], t->revolutions_set_rpm, 0);
    }
  uint64_t limited = asked > available;
  s->bus[bus].limited_count += limited && !s->bus[bus].limited;
  s->bus[bus].limited = limited;
  if (!limited)
    return;
  double stroke = fixed < available ? cube_root(WITHIN * (available - fixed) / (asked - fixed)) : 0;
  double turning = fixed > available ? cube_root(WITHIN * available / fixed) : 1;
  for (int i = 0; i < def->thruster_count; i++)
    if (draws(def, s, i, bus)) {
      struct thruster_state *t = &s->thruster[i];
      t->revolutions_set_rpm *= def->thruster[i].drive == DRIVE_CPP ? turning : stroke;
      t->pitch_set *= stroke;
    }
}
