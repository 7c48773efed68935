#include "verification/rigid/bodies.h"
#include "sagbend/base/steps.h"

#include <math.h>

void body_advance(const struct body_method *m, struct body *b, double h, long steps) {
  struct rigid_inertia inertia = rigid_inertia_of(b->moments);
  double moments[3] = {b->moments[0], b->moments[1], b->moments[2]};
  if (m->preprocessed && !rival_preprocessed(b->moments, m->preprocessed, h, b->m, moments))
    b->m[0] = b->m[1] = b->m[2] = (double)NAN;
  for (long k = 0; k < steps && !body_is_lost(b); k++)
    if (m->rival)
      m->rival(moments, h, b->m, &b->q);
    else
      rigid_free_flow(&inertia, m->how, h, b->m, &b->q);
}

int body_is_lost(const struct body *b) {
  return isnan(b->m[0]);
}

struct body body_random(struct random_stream *s, double least_moment) {
  double a = least_moment + (1 - least_moment) * random_uniform(s),
         b = least_moment + (1 - least_moment) * random_uniform(s), norm = 0;
  struct body body = {.moments = {fmin(a, b), fmax(a, b), 1}, .q = {1, 0, 0, 0}};
  for (int i = 0; i < 3; i++) {
    body.m[i] = random_uniform(s);
    norm += body.m[i] * body.m[i];
  }
  for (int i = 0; i < 3; i++)
    body.m[i] /= sqrt(norm);
  return body;
}

double body_attitude_error(quat a, quat b) {
  mat3 x = quat_matrix(a), y = quat_matrix(b);
  double worst = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      worst = fmax(worst, fabs(x.m[i][j] - y.m[i][j]));
  return worst;
}

double body_apart(quat a, quat b) {
  double sign = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z < 0 ? -1 : 1;
  return sqrt(pow(a.w - sign * b.w, 2) + pow(a.x - sign * b.x, 2) + pow(a.y - sign * b.y, 2) +
              pow(a.z - sign * b.z, 2));
}

double body_digits(const struct body_method *m, struct body b, double h, double end) {
  struct body exact = b;
  long steps = (long)steps_nearest_to(end, h);
  body_advance(m, &b, end / (double)steps, steps);
  if (body_is_lost(&b))
    return (double)NAN;
  rival_taylor(exact.moments, end, exact.m, &exact.q);
  return log10(fmax(body_attitude_error(b.q, exact.q), 1e-17));
}
