// For the files of the rollers only.
#pragma once

#include "core/pipe/roller.h"

// Unstressed length of an element with these places.
double roller_length(const struct roller_step *x, const double places[ROLLER_PLACES],
                     int element) NONBLOCKING;

// Derivatives at a closest point with respect to the places that it depends on: p.r_a, n.r_a', dx*/dy_a.
struct roller_turns {
  int count, place[13];
  double p[13], w[13], x[13];
};
void roller_touch_turns(const struct roller_step *x, const struct roller_touch *t,
                        struct roller_turns *turns) NONBLOCKING;

// Second derivatives of the overlap; hessian is 0 before.
void roller_touch_hessian(const struct roller_step *x, const struct roller_touch *t,
                          double hessian[ROLLER_PLACES][ROLLER_PLACES]) NONBLOCKING;
