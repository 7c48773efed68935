// Free bodies and the methods that cases of this room compare: the exact flow with its attitudes, and rivals.
#pragma once

#include "sagbend/math/free.h"
#include "sagbend/math/random.h"
#include "verification/rivals/free_body.h"

struct body {
  double moments[3], m[3]; // kg m2; kg m2/s, in the body's frame
  quat q;                  // from body to world
};

struct body_method {
  const char *name;
  enum rigid_attitude how; // of the exact body, where there is no rival
  rival_body_flow *rival;
  int preprocessed; // order of the preprocessing; 0: none
};

// Steps of h. Where the method finds no solution, m becomes NaN.
void body_advance(const struct body_method *m, struct body *b, double h, long steps);
int body_is_lost(const struct body *b); // m is NaN

// Moments with I1 < I2 < I3 = 1, the others at least this; a unit momentum in the first octant, attitude 1.
struct body body_random(struct random_stream *s, double least_moment);

double body_attitude_error(quat a, quat b); // largest entry of the difference of the matrices
double body_apart(quat a, quat b);          // distance of the unit quaternions, of either sign
// log10 of an attitude error at t = end against Taylor's series; NaN where the method has no solution.
double body_digits(const struct body_method *m, struct body b, double h, double end);
