// For the files of the rollers only.
#pragma once

#include "sagbend/stinger/stinger.h"

// Derivatives at a closest point with the places: p.r_a, n.r_a' and dx*/dy_a.
struct roller_turns {
  double p[ROLLER_PLACES], w[ROLLER_PLACES], x[ROLLER_PLACES];
};

// v times four factors, on the places of the element.
static inline void roller_put(double to[ROLLER_PLACES], const struct roller_touch *t, const double factor[4],
                              vec3 v) {
  for (int n = 0; n < 4; n++)
    vec3_to(vec3_scale(factor[n], v), to + 6 * t->element + 3 * n);
}

// Friction over a step.
struct roller_drag {
  int sign, released; // sign 0: sticks
  double end_m, mean_n, loss_j, bound_rate;
  vec3 axis;                 // unit vector along the pipe
  double way[ROLLER_PLACES]; // S
};

// Whether there is friction.
static inline int roller_rubs(const struct roller_step *x, int with_friction) {
  return with_friction && x->roller->friction > 0;
}

static inline double roller_dot(const double a[ROLLER_PLACES], const double b[ROLLER_PLACES]) {
  double sum = 0;
  for (int k = 0; k < ROLLER_PLACES; k++)
    sum += a[k] * b[k];
  return sum;
}
