// Free bodies and the methods that cases of this room compare: the exact flow with its attitudes, and rivals.
#pragma once

#include "sagbend/math/math.h"
#include "sagbend/rigid/rigid.h"
#include "verification/harness/harness.h"
#include "verification/rivals/rivals.h"

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

// ------------------------------------------------------------
// A rigid body in a potential: kicks of the potential and flows of the free body, composed; the free body
// exactly or by a rival. Saefstroem's thesis (2009), (2.10), (2.11) and (3.27), (3.28).

struct torqued {
  double moments[3], m[3];
  quat q;
  struct rigid_inertia inertia;
  enum rigid_attitude how; // exact, where there is no rival
  rival_body_flow *rival;
  double weight;   // of a top: V = weight e3 . u, u the centre of mass as the body sees it
  double gradient; // of a satellite: 3 mu/r^3, V = gradient/2 c . I c, c = Q'e3
};

struct torqued torqued_of(const double moments[3], const double omega_b[3]);
vec3 torqued_vertical(const struct torqued *t); // e3 as the body sees it: u of a top, Q'e3 of a satellite
double torqued_energy(const struct torqued *t);

// One step. V2 as the thesis takes it, kick, body, kick; other schemes with the body as a.
void torqued_step(struct torqued *t, const struct scheme *scheme, double h);

struct torqued_drift {
  double largest, mean; // of |H - H0|
};
// Steps of h to the duration. line: log10 of |H - H0|/|H0| over time, or NULL.
struct torqued_drift torqued_follow(struct torqued t, const struct scheme *scheme, double h, double duration,
                                    struct verify_result *r, struct verify_series *line);
