// The vessel: a rigid body with a full 6 x 6 mass matrix (Kirchhoff) and nonlinear hydrostatics, stepped by
// an energy-momentum scheme. docs/model.md, sections 2 and 5. Frames as in vessel.h.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/base/base.h"
#include "sagbend/env/env.h"
#include "sagbend/math/dense6.h"
#include "sagbend/math/so3.h"
#include "sagbend/vessel/hull_drag.h"
#include "sagbend/vessel/radiation.h"
#include "sagbend/vessel/vessel.h"

// Constant during a run.
struct vessel {
  double bare_inertia[6][6];        // M of the vessel alone, about the reference point, b
  double damping_linear[6][6];      // in the axes below
  int damping_is_level;             // 1: level axes with the vessel's heading; 0: b
  struct mat6_squares damping_loss; // of the linear damping, in its axes
  double damping_quadratic[6];
  struct hull_drag hull;
  int current_acts;             // 1: damping and added mass are relative to the current at the surface
  double added_mass[6][6];      // M_A; with memory of the radiation A(infinity)
  double added_mass_slow[6][6]; // of slow motion; with memory A(0), otherwise M_A
  struct radiation radiation;
  double heave_stiffness_npm; // rho g A_wp
  double pitch_stiffness_nm;  // m g GM_L
  double roll_stiffness_nm;   // m g GM_T
  vec3 flotation_b_m;         // r_F
  double equilibrium_z_m;     // z of the centre of flotation at equilibrium, n
};

// Hashed and part of snapshots.
struct vessel_state {
  vec3 x_n;     // position of the reference point, n, m
  quat q_nb;    // attitude, unit quaternion from b to n
  double nu[6]; // velocity v and angular velocity omega, b, m/s and rad/s
};

struct vessel vessel_of(const struct vessel_def *def, const struct env_def *env);
struct vessel_state vessel_initial_state(const struct vessel_def *def);

// Returns 1 if a state read from a file is a valid one. Otherwise returns 0 and fills why
// (sagbend/base/base.h).
int vessel_state_is_valid(const struct vessel_state *state, struct reason *why);

// Adds a mass at a point of b to an inertia. The mass is a matrix in b, because added mass depends on the
// direction.
void vessel_attach_mass(double inertia[6][6], const mat3 *mass_b_kg, vec3 at_b_m) NONBLOCKING;

// Adds a moment of inertia, given in b, to an inertia.
void vessel_attach_inertia(double inertia[6][6], const mat3 *inertia_b_kgm2) NONBLOCKING;

// Kirchhoff's terms of the added mass that the memory adds at low frequency, A(0) - A(infinity), in surge,
// sway and yaw. Heave, roll and pitch are not slow: at the frequencies of the waves A(0) would push the
// vessel sideways by a mean force many times the mean drift. They do no work. wrench_b about the reference
// point, N, N m.
void vessel_slow_wrench(const struct vessel *vessel, const double nu[6], double wrench_b[6]) NONBLOCKING;

// Change of the added-mass force by a uniform, steady current water_b (b, m/s): the velocity in Kirchhoff's
// terms is the velocity through the water (Munk's moment; added mass of slow motion), and the water does not
// turn with the vessel.
// wrench_b about the reference point, N, N m.
void vessel_current_wrench(const struct vessel *vessel, const double nu[6], vec3 water_b,
                           double wrench_b[6]) NONBLOCKING;

// Kinetic and hydrostatic energy, J. inertia here and below: M with everything that is rigidly attached.
double vessel_kinetic(const double (*inertia)[6], const double nu[6]) NONBLOCKING;
double vessel_potential(const struct vessel *vessel, const struct vessel_state *state) NONBLOCKING;

// One conservative step from a state: the unknown increments, the displacement dx (m) and the rotation vector
// theta (rad; the rotation is cay(theta)), both in n.
struct vessel_step {
  vec3 dx_n, theta_n;
  double inverse_h; // 1 / step, 1/s; 0: statics; negative in a part of a step that runs backwards
};

// Balance of the step in n: inertia minus hydrostatics minus the given force (N) and moment (N m, about the
// reference point with mean arms). Rows: force, moment. The work of the balance is dx . force + theta .
// moment.
void vessel_residual(const struct vessel *vessel, const double (*inertia)[6],
                     const struct vessel_state *state, const struct vessel_step *step, vec3 force_n,
                     vec3 moment_n, double residual[6]) NONBLOCKING;

// Derivative of vessel_residual with respect to (dx, phi) with the force and moment held constant. phi is the
// spatial variation of the rotation at the end of the step.
void vessel_tangent(const struct vessel *vessel, const double (*inertia)[6], const struct vessel_state *state,
                    const struct vessel_step *step, double tangent[6][6]) NONBLOCKING;

// Applies the increments to the state; nu1 = 2 nu_m - nu0, or unchanged in statics.
void vessel_commit(struct vessel_state *state, const struct vessel_step *step) NONBLOCKING;
