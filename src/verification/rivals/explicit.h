// Methods that the splittings of the vessel are compared with: explicit Runge-Kutta methods on the vessel
// with its PID as one system of first order. The simulator does not link them. Neither method is passive.
#pragma once

#include "sagbend/math/vessel_splitting.h"

typedef void rival_derivative(const void *of, const double *x, double *rate);
typedef void rival_method(rival_derivative *f, const void *of, int n, double *x,
                          double h); // n at most RIVAL_STATES

// x + h/2 (f(x) + f(x + h f(x))): footnote 2 of Celledoni, Hoiseth, Ramzina (2018).
rival_method rival_improved_euler;
// The classical method of order 4.
rival_method rival_rk4;

// (31) to (34) of the same paper in Euler parameters (its Appendix B): position, quaternion, velocities in b,
// integrals. The restoring moment is that of the attitude. held_b: a wrench held through the step instead of
// the controller or beside it.
enum { RIVAL_STATES = 19 };
struct rival_vessel {
  const struct split_vessel *vessel;
  const struct split_pid *pid; // NULL: none
  const double *held_b;        // 6; NULL: none
};
void rival_vessel_rate(const void *vessel, const double x[RIVAL_STATES], double rate[RIVAL_STATES]);
void rival_vessel_step(const struct rival_vessel *v, rival_method *method, struct split_state *s, double h);

// The controller's wrench in b, without the held one.
void rival_vessel_control(const struct rival_vessel *v, const struct split_state *s, double wrench_b[6]);

// A vessel of full mass matrix with nothing that dissipates: Kirchhoff's equations, hydrostatics about the
// centre of flotation.
struct rival_hull {
  double inertia[6][6], factor[6][6]; // the second by mat6_cholesky
  double heave_npm, tilt_nm[2], equilibrium_z_m;
  vec3 flotation_b_m;
};
void rival_hull_step(const struct rival_hull *v, rival_method *method, struct split_state *s, double h);
