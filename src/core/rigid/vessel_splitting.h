// A vessel of mass matrix (m I, T) with constant diagonal damping, as a composition of two flows that are
// integrable exactly: S1, the free rigid body, and S2, damping, hydrostatics, controller and held wrenches at
// a frozen attitude. Source: E. Celledoni, E. H. Hoiseth, N. Ramzina, Passivity-preserving splitting methods
// for rigid body systems (Multibody Syst. Dyn. 44, 2018), (40), (41), with the errata of
// docs/rigid-bodies.md.
//
// S2 moves the tilt, the body's view of the world's vertical that the restoring moment is computed from, as a
// variable of its own; S1 moves the attitude and not the tilt. The energy is that of the tilt. After each
// step the vessel is turned by the smallest rotation that makes the attitude agree with the tilt, which costs
// no energy; so the tilt is no state between steps.
//
// V2 dissipates at any step. S4_6 and S6_10 run S2 backwards in parts and are not passive: with steps of 10 s
// and more they have made energy. split_account.loss_j tells.
#pragma once

#include "core/base/nonblocking.h"
#include "core/rigid/compose.h"
#include "core/rigid/free.h"

struct split_vessel {
  double mass_kg;
  struct rigid_inertia inertia;
  double moment_kgm2[3]; // about x, y, z of b
  double damping[6];     // N s/m, N m s
  double heave_npm;      // rho g A_wp
  double tilt_nm[2];     // m g GM_L (pitch), m g GM_T (roll)
  double equilibrium_z_m;
};

// tau = -J' (Kp e + Kd de/dt + Ki integral e), e = eta - eta_ref, eta = (x, y, z, roll, pitch, yaw): (29) to
// (34).
struct split_pid {
  double kp[6], kd[6], ki[6], reference[6];
};

struct split_state {
  vec3 x_n;
  quat q_nb;
  double nu[6];       // v, omega in b
  double integral[6]; // of e
};

// What acts from outside, held through the step: about the reference point, as seen in b at this attitude.
typedef void split_wrench(const void *of, const mat3 *q_nb, double wrench_b[6]) NONBLOCKING;

struct split_account {      // of a step
  double control_j, load_j; // work
  double loss_j;            // of the damping; an S2 that runs backwards gives it back, so >= 0 for SP2 only
  double control_b[6];      // the controller's wrench at the end of the last S2
  double correction_rad;    // the turn that made attitude and tilt agree
  int solved;               // 0: not finite, or a tilt beyond the horizontal; the state is then as before
};

struct split_step {
  const struct split_vessel *vessel;
  const struct scheme *scheme; // V2 (SP2), S4_6 (SP4), S6_10 (SP6): a is S2, b is S1
  enum rigid_attitude how;
  int keep_tilt; // leave out the turn after the step: to show what it is good for. Then tilt is the caller's
  const struct split_pid *pid; // NULL: none
  const double *control_b;     // held command, 6; NULL: none
  split_wrench *load;          // NULL: none
  const void *load_of;
};

void split_tilt_of(quat q_nb, double tilt[2]);
// tilt: NULL unless keep_tilt.
struct split_account split_vessel_step(const struct split_step *k, struct split_state *s, double tilt[2],
                                       double h) NONBLOCKING;

double split_energy_j(const struct split_vessel *v, const struct split_state *s, const double tilt[2]);
