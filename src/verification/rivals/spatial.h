// A rigid body in spatial coordinates, its loads and their tangents, and the generalized-alpha method on R3 x
// SO(3): A. Giusti, Spatial formulation for the dynamics of floating rigid bodies (2016), equations as
// numbered there. All 6-vectors are (translation, rotation) in the axes of the world, about the centre of
// mass.
#pragma once

#include "sagbend/math/so3.h"

struct rival_body {
  double mass_kg, moments_kgm2[3]; // principal, about the body's own axes
};

struct rival_motion {
  double x_n[3];
  quat q_nb;
  double v[6], vdot[6]; // velocity and acceleration
  double a[6];          // the method's own acceleration
};

// Loads at a point, (18) to (22) and (26) to (32), and linear transformations of the state, (23) to (25) and
// (33) to (37).
enum rival_load_kind {
  RIVAL_FORCE,
  RIVAL_TORQUE,
  RIVAL_OF_POSITION,
  RIVAL_OF_VELOCITY,
  RIVAL_OF_ACCELERATION
};
struct rival_load {
  enum rival_load_kind kind;
  int follower;                  // value or matrix in the body's axes; otherwise in the world's
  double value[3];               // N, N m
  double point_b[3];             // m, of a force
  double (*history)(double t_s); // factor; NULL: 1
  const double (
      *matrix)[6]; // the load is minus this times (position, rotation vector), velocity or acceleration
};

struct rival_loads {
  struct rival_body body;
  const struct rival_load *load;
  int count;
};

struct rival_tangents { // (2) to (4): by turns of the world, velocity, acceleration
  double k[6][6], c[6][6], m[6][6];
};

// Residual (1), inertia (12) to (17) included. tangents: NULL, if not wanted.
void rival_spatial_residual(const struct rival_loads *l, const struct rival_motion *s, double t_s,
                            double residual[6], struct rival_tangents *tangents);

vec3 rival_rotation_vector(quat q); // of a length up to pi
quat rival_rotation(vec3 psi);

// Sets the acceleration from the equations of motion, and a to it. 0: no solution.
int rival_spatial_start(const struct rival_loads *l, double t_s, struct rival_motion *s);
// Algorithm 1 from t_s to t_s + h; rho is the spectral radius at infinity, 0 to 1, in the parameters of Chung
// and Hulbert. 0: no solution, the state is as it was.
int rival_generalized_alpha(const struct rival_loads *l, double rho, double t_s, double h,
                            struct rival_motion *s);
