// A vessel with mass matrix (m I, T) and constant diagonal damping, integrated as a composition of two flows
// that are both exact: S1, the free rigid body, and S2, damping, hydrostatics, controller and held wrenches
// at a frozen attitude. Source: Celledoni, Hoiseth and Ramzina 2018, Passivity-preserving splitting methods
// for rigid body systems (Multibody Syst. Dyn. 44), eqs. 40 and 41, with the errata of docs/rigid-bodies.md.
//
// The restoring moment is a function of the tilt, the world's vertical as seen from the body. S2 moves the
// tilt as a variable of its own; S1 moves the attitude and leaves the tilt. Energies are those of the tilt.
// After each step the vessel is turned by the smallest rotation that makes the attitude agree with the tilt.
// This costs no energy, and the tilt need not be kept from step to step.
//
// V2 dissipates for any step size. S4_6 and S6_10 run S2 backwards in parts and are not passive: with steps
// of 10 s and more they have produced energy, visible in split_account.loss_j.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/math/compose.h"
#include "sagbend/math/free.h"

struct split_vessel {
  double mass_kg;
  struct rigid_inertia inertia;
  double moment_kgm2[3];  // about x, y, z of b
  double damping[6];      // diagonal in b, N s/m and N m s
  double heave_npm;       // heave stiffness rho g A_wp
  double tilt_nm[2];      // moments m g GM_L (pitch) and m g GM_T (roll) per unit of tilt
  double equilibrium_z_m; // z of the reference point in equilibrium, n
};

// tau = -J' (Kp e + Kd de/dt + Ki integral e) with e = eta - eta_ref, eta = (x, y, z, roll, pitch, yaw): eqs.
// 29 to 34 of the source. Diagonals of the gains, SI; reference in m and rad.
struct split_pid {
  double kp[6], kd[6], ki[6], reference[6];
};

struct split_state {
  vec3 x_n;           // reference point, m
  quat q_nb;          // attitude, body to world
  double nu[6];       // velocity and angular velocity in b, m/s and rad/s
  double integral[6]; // of e
};

// External load held through a step: wrench_b about the reference point in b at this attitude, N and N m.
typedef void split_wrench(const void *load_of, const mat3 *q_nb, double wrench_b[6]) NONBLOCKING;

// Account of one step.
struct split_account {
  double control_j, load_j; // work of controller and load
  double loss_j;            // of the damping; may be negative where the scheme runs S2 backwards
  double control_b[6];      // the controller's wrench at the end of the last S2, N and N m
  double correction_rad;    // rotation that made the attitude agree with the tilt
  int solved; // 0: not finite, or a tilt beyond the horizontal; the state is unchanged and the rest 0
};

struct split_step {
  const struct split_vessel *vessel;
  const struct scheme *scheme; // V2 (SP2), S4_6 (SP4) or S6_10 (SP6); flow a is S2, b is S1
  enum rigid_attitude how;     // attitude in S1
  int keep_tilt; // 1: no correction after the step, to show its effect; the caller keeps the tilt
  const struct split_pid *pid; // NULL: no controller
  const double *control_b;     // held wrench of a command, 6 components; NULL: none
  split_wrench *load;          // NULL: no load
  const void *load_of;         // passed to load
};

// The tilt of an attitude: the first two components of the world's vertical in b.
void split_tilt_of(quat q_nb, double tilt[2]);

// Advances the state by h seconds. tilt: with keep_tilt the tilt before and after the step, else NULL.
struct split_account split_vessel_step(const struct split_step *step, struct split_state *state,
                                       double tilt[2], double h) NONBLOCKING;

// Kinetic and hydrostatic energy, J.
double split_energy_j(const struct split_vessel *vessel, const struct split_state *state,
                      const double tilt[2]);
