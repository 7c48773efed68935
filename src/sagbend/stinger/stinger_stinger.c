#include "sagbend/stinger/stinger_stinger.h"

#include "sagbend/math/trig.h"

#include <math.h>

static vec3 listed(const struct stinger_def *def, int k) {
  return vec3_of(def->support[k].at_b_m);
}

// Unit vector from support k to support j, towards the hang-off.
static vec3 chord(const struct stinger_def *def, int k, int j) {
  const vec3 d = vec3_sub(listed(def, j), listed(def, k));
  return vec3_scale(1 / vec3_norm(d), d);
}

static vec3 listed_direction(const struct stinger_def *def, int k) {
  const int last = def->support_count - 1;
  if (last == 0)
    return (vec3){1, 0, 0};
  if (k > 0 && k < last)
    return chord(def, k + 1, k - 1);
  const vec3 end = k == 0 ? chord(def, 1, 0) : chord(def, last, last - 1);
  if (last == 1)
    return end;
  const vec3 beside = listed_direction(def, k == 0 ? 1 : last - 1); // mirrored in the chord
  return vec3_axpy(2 * vec3_dot(beside, end), end, vec3_scale(-1, beside));
}

static struct stinger_support listed_support(const struct stinger_def *def, int k) {
  const vec3 along = listed_direction(def, k), up = vec3_cross(along, (vec3){0, 1, 0});
  return (struct stinger_support){listed(def, k), along, vec3_scale(-1 / vec3_norm(up), up)};
}

double stinger_spacing(const struct stinger_def *def) {
  double least = (double)INFINITY;
  if (def->support_count == 0)
    return def->spacing_m;
  for (int k = 1; k < def->support_count; k++)
    least = fmin(least, vec3_norm(vec3_sub(listed(def, k), listed(def, k - 1))));
  return least;
}

struct stinger_support stinger_support_of(const struct stinger_def *def, int k) {
  if (def->support_count > 0)
    return listed_support(def, k);
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
