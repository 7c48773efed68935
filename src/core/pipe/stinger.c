#include "core/pipe/stinger.h"

#include "core/math/trig.h"

struct stinger_support stinger_support_of(const struct stinger_def *def, int k) {
  const double s = (k - def->ramp_supports) * def->spacing_m, slope = def->slope_rad;
  const double angle = s > 0 ? slope + s / def->radius_m : slope;
  const double c = trig_cos(angle), d = trig_sin(angle);
  struct stinger_support x = {vec3_of(def->start_b_m), {c, 0, -d}, {-d, 0, -c}};
  if (s > 0) {
    x.at_b_m.x -= def->radius_m * (d - trig_sin(slope));
    x.at_b_m.z += def->radius_m * (trig_cos(slope) - c);
  } else {
    x.at_b_m = vec3_axpy(-s, x.along_b, x.at_b_m);
  }
  return x;
}

int stinger_rollers(const struct stinger_def *def, double pipe_radius_m, struct roller to[MAX_ROLLERS]) {
  const int each = stinger_rollers_each(def);
  int count = 0;
  for (int k = 0; k < stinger_supports(def); k++) {
    const struct stinger_support at = stinger_support_of(def, k);
    for (int side = 0; side < each; side++) {
      const double tilt = each == 1 ? 0 : side ? -def->v_angle_rad : def->v_angle_rad;
      const vec3 beam = {0, 1, 0};
      struct roller *r = &to[count++];
      *r = (struct roller){.reach_m = def->roller_radius_m + pipe_radius_m,
                           .spring = {def->stiffness_npm, def->soft_m},
                           .holds = def->holds,
                           .friction = def->friction,
                           .friction_stiffness_npm = def->friction_stiffness_npm};
      r->axis_b = vec3_axpy(trig_sin(tilt), at.up_b, vec3_scale(trig_cos(tilt), beam));
      r->up_b = vec3_axpy(-trig_sin(tilt), beam, vec3_scale(trig_cos(tilt), at.up_b));
      r->at_b_m = vec3_axpy(-r->reach_m, r->up_b, at.at_b_m);
    }
  }
  return count;
}
