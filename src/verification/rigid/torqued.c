#include "verification/rigid/rigid.h"
#include "sagbend/base/steps.h"

#include <math.h>
#include <string.h>

struct torqued torqued_of(const double moments[3], const double omega_b[3]) {
  struct torqued t = {.q = {1, 0, 0, 0}, .how = RIGID_EXACT_QUATERNION};
  memcpy(t.moments, moments, sizeof t.moments);
  t.inertia = rigid_inertia_of(moments);
  for (int i = 0; i < 3; i++)
    t.m[i] = moments[i] * omega_b[i];
  return t;
}

vec3 torqued_vertical(const struct torqued *t) {
  mat3 q = quat_matrix(t->q);
  return (vec3){q.m[2][0], q.m[2][1], q.m[2][2]};
}

double torqued_energy(const struct torqued *t) {
  vec3 c = torqued_vertical(t);
  double shape = t->moments[0] * c.x * c.x + t->moments[1] * c.y * c.y + t->moments[2] * c.z * c.z;
  return rigid_free_energy_j(&t->inertia, t->m) + t->weight * c.z + 0.5 * t->gradient * shape;
}

static void turn_freely(void *torqued, double h) {
  struct torqued *t = torqued;
  if (t->rival)
    t->rival(t->moments, h, t->m, &t->q);
  else
    rigid_free_flow(&t->inertia, t->how, h, t->m, &t->q);
}

static void kick(void *torqued, double h) {
  struct torqued *t = torqued;
  vec3 c = torqued_vertical(t), ic = {t->moments[0] * c.x, t->moments[1] * c.y, t->moments[2] * c.z};
  vec3 torque = vec3_axpy(t->gradient, vec3_cross(c, ic), vec3_scale(t->weight, (vec3){c.y, -c.x, 0}));
  vec3_to(vec3_axpy(h, torque, vec3_of(t->m)), t->m);
}

void torqued_step(struct torqued *t, const struct scheme *scheme, double h) {
  if (scheme == &scheme_v2)
    compose(scheme, kick, turn_freely, t, h);
  else
    compose(scheme, turn_freely, kick, t, h);
}

struct torqued_drift torqued_follow(struct torqued t, const struct scheme *scheme, double h, double duration,
                                    struct verify_result *r, struct verify_series *line) {
  struct torqued_drift d = {0, 0};
  double start = torqued_energy(&t);
  long steps = (long)steps_nearest_to(duration, h), every = steps > 400 ? steps / 400 : 1;
  for (long k = 1; k <= steps; k++) {
    torqued_step(&t, scheme, h);
    double off = fabs(torqued_energy(&t) - start);
    d.largest = fmax(d.largest, off);
    d.mean += off / (double)steps;
    if (line && k % every == 0)
      verify_point(r, line, h * (double)k, log10(fmax(off / fabs(start), 1e-17)));
  }
  return d;
}
