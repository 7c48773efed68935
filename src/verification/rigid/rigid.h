// A rigid body in a potential: kicks of the potential and flows of the free body, composed; the free body
// exactly or by a rival. Saefstroem's thesis (2009), (2.10), (2.11) and (3.27), (3.28).
#pragma once

#include "sagbend/math/compose.h"
#include "sagbend/math/free.h"
#include "verification/harness/result.h"
#include "verification/rivals/free_body.h"

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
