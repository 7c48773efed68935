// For the files of the rollers only.
#pragma once

#include "sagbend/stinger/stinger.h"

// Unstressed length of an element with these places.
double roller_length(const struct roller_step *x, const double places[ROLLER_PLACES],
                     int element) NONBLOCKING;

// Derivatives at a closest point with the places: p.r_a, n.r_a' and dx*/dy_a.
struct roller_turns {
  double p[ROLLER_PLACES], w[ROLLER_PLACES], x[ROLLER_PLACES];
};
void roller_turns_of(const struct roller_step *x, const struct roller_touch *t,
                     struct roller_turns *to) NONBLOCKING;

// v times four factors, on the places of the element.
static inline void roller_put(double to[ROLLER_PLACES], const struct roller_touch *t, const double factor[4],
                              vec3 v) {
  for (int n = 0; n < 4; n++)
    vec3_to(vec3_scale(factor[n], v), to + 6 * t->element + 3 * n);
}

// The changes of the places that the overlaps of a passage depend on; the others are 0.
void roller_touched_change(const struct roller_step *x, const struct roller_passage *p,
                           double change[ROLLER_PLACES]) NONBLOCKING;

// Friction over a step.
struct roller_drag {
  int sign, released; // sign 0: sticks
  double end_m, mean_n, loss_j, bound_rate;
  vec3 axis;                 // unit vector along the pipe
  double way[ROLLER_PLACES]; // S
};
struct roller_drag roller_drag_of(const struct roller_step *x, const struct roller_passage *p) NONBLOCKING;

// Whether there is friction.
static inline int roller_rubs(const struct roller_step *x, int with_friction) {
  return with_friction && x->roller->friction > 0;
}

// Mean force of the normal spring between two overlaps, and its derivative with the second.
double roller_mean_force(const struct roller *roller, double k0, double k1, double *rate) NONBLOCKING;

static inline double roller_dot(const double a[ROLLER_PLACES], const double b[ROLLER_PLACES]) {
  double sum = 0;
  for (int k = 0; k < ROLLER_PLACES; k++)
    sum += a[k] * b[k];
  return sum;
}
