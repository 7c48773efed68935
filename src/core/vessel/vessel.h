// The vessel as a rigid body with full inertia (Kirchhoff), nonlinear hydrostatics and damping.
// docs/model.md, 2 and 5.
#pragma once

#include "core/base/valid.h"
#include "core/env/env.h"
#include "core/math/so3.h"
#include "core/vessel/vessel_def.h"

// Constant through a run.
struct vessel {
  double inertia[6][6]; // M with whatever is rigidly attached, about the reference point, in b
  double damping_linear[6][6];
  double damping_quadratic[6];
  int current_acts;           // damping and added mass are relative to the current at the surface
  double added_mass[6][6];    // M_A
  double heave_stiffness_npm; // rho g A_wp
  double pitch_stiffness_nm;  // m g GM_L
  double roll_stiffness_nm;   // m g GM_T
  vec3 flotation_b_m;
  double equilibrium_z_m;
};

struct vessel_state {
  vec3 x_n;     // m
  quat q_nb;    // unit
  double nu[6]; // v and omega in b
};

// Whether a state from a file is one (core/base/valid.h).
int vessel_state_is_valid(const struct vessel_state *s, struct reason *why);

struct vessel vessel_of(const struct vessel_def *def, const struct env_def *env);
struct vessel_state vessel_initial_state(const struct vessel_def *def);

// Adds a mass at a point of b (a matrix in b: added mass has directions), or a rotary inertia given in b.
void vessel_attach_mass(struct vessel *v, const mat3 *mass_b_kg, vec3 at_b_m);
void vessel_attach_inertia(struct vessel *v, const mat3 *inertia_b_kgm2);

// What a uniform current, water_b in b, changes of the force of the added mass: Kirchhoff's terms are those
// of the velocity through the water (Munk's moment), and the water does not turn with the vessel. Its power
// is the current's.
void vessel_current_wrench(const struct vessel *v, const double nu[6], vec3 water_b, double wrench_b[6]);

double vessel_kinetic(const struct vessel *v, const double nu[6]);
double vessel_potential(const struct vessel *v, const struct vessel_state *s);

// A conservative step with increments dx and cay(theta), both in n. inverse_h = 0: statics; it is
// negative in a part that runs backwards.
struct vessel_step {
  vec3 dx_n, theta_n; // unknowns
  double inverse_h;
};

// Balance in n: inertia minus hydrostatics minus the given force and moment (about the reference point, with
// mean arms). Rows: force (N), moment (N m). The work of the balance is dx . force + theta . moment.
void vessel_residual(const struct vessel *v, const struct vessel_state *s, const struct vessel_step *k,
                     vec3 force_n, vec3 moment_n, double residual[6]);

// Its derivative with respect to (dx, phi), phi the spatial variation of the rotation at the end; force_n,
// moment_n held.
void vessel_tangent(const struct vessel *v, const struct vessel_state *s, const struct vessel_step *k,
                    double tangent[6][6]);

// Takes the increments; nu1 = 2 nu_m - nu0 unless statics.
void vessel_commit(struct vessel_state *s, const struct vessel_step *k);
