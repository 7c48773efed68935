// The rigid body: its exact free motion, compositions of flows, a vessel as a composition of exact flows.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

// Exact motion of the free rigid body: the momentum by Jacobi's elliptic functions, the attitude by the
// elliptic integral of the third kind, or by a quadrature or a Magnus series on the exact momentum. Source:
// Celledoni, Fasso, Saefstroem and Zanna 2008, The exact computation of the free rigid body motion and its
// use in splitting methods (SIAM J. Sci. Comput. 30), with the errata of docs/rigid-bodies.md; equations are
// numbered as in Saefstroem 2009, chapter 3.
//
// Momentum m in the body frame b (kg m^2/s), attitude q_nb from body to world; dm/dt = m x m/I, dQ/dt = Q
// hat(m/I). The functions keep no state, take no memory, and use + - * / sqrt, math.h only.

// Principal moments in ascending order, and the body axis of each.
struct rigid_inertia {
  double moment_kgm2[3];
  int axis[3]; // of the body: 0 x, 1 y, 2 z
  int odd;     // 1: the order is an odd permutation, so that one of the sorted axes points backwards
};

// From the moments about x, y, z of the body, all positive, in any order.
struct rigid_inertia rigid_inertia_of(const double moments_kgm2[3]);

// Bound of the two exact ways. A component of the attitude quaternion errs after a flow of h by at most 60
// times 2^-53 (1 + |h| |m|/I_1), I_1 the smallest moment. Where the unit momentum lies 0.1 to 1e-11 from the
// middle axis, about which the motion is unstable and elliptic integrals that grow cancel each other, it is
// 400 times. The largest found: 27 and 195, among 50,000 bodies with moments from 0.2 to 5 against series in
// higher precision (sagbend_rigid_attitude_test).

// How the attitude is computed. The order in the step size is 2, 4, 6 for Magnus; for Gauss it is 6, 8, 10,
// from the quadrature alone.
enum rigid_attitude {
  RIGID_MAGNUS_2,
  RIGID_MAGNUS_4,
  RIGID_MAGNUS_6,
  RIGID_GAUSS_6, // Proposition 3.2.5: the angle by Gauss quadrature with 3, 4, 5 nodes
  RIGID_GAUSS_8,
  RIGID_GAUSS_10,
  RIGID_EXACT_FRAME,      // Corollary 3.2.3: through the frame of the momentum and its derivative
  RIGID_EXACT_QUATERNION, // Corollary 3.2.7: through the shortest rotation to the axis that the momentum
                          // circles
  RIGID_ATTITUDES
};

// Advances momentum and attitude by h seconds, of either sign.
void rigid_free_flow(const struct rigid_inertia *inertia, enum rigid_attitude how, double h, double m_b[3],
                     quat *q_nb) NONBLOCKING;

// Momenta at the times h[0 .. count-1] after m_b (s); one arithmetic-geometric mean serves all.
void rigid_free_momenta(const struct rigid_inertia *inertia, const double m_b[3], const double *h, int count,
                        double out[][3]);

// Kinetic energy, J.
double rigid_free_energy_j(const struct rigid_inertia *inertia, const double m_b[3]);

// ------------------------------------------------------------
// Symmetric compositions of two flows a and b: one step of h is a(a1 h) b(b1 h) a(a2 h) ..., the same read
// from either end. Sources: Blanes and Moan 2002, Practical symplectic partitioned Runge-Kutta and
// Runge-Kutta-Nystroem methods (J. Comput. Appl. Math. 142), as eqs. 3.38 to 3.42 of Saefstroem 2009, with
// one sign and one digit corrected (docs/rigid-bodies.md).

// Advances a system by h, of either sign.
typedef void compose_flow(void *system, double h);

struct scheme {
  const char *name;
  int order;            // of the error at a fixed time
  int stages;           // per step: flows of the kind that does not begin and end it
  int a_first;          // 1: a begins and ends the step; 0: b
  const double *a, *b;  // coefficients from the end of the step to its middle; the others follow by symmetry
  int a_count, b_count; // coefficients in a whole step
};

// For any two flows.
extern const struct scheme scheme_v2, scheme_s4_6, scheme_s6_10;

// Runge-Kutta-Nystroem schemes, only where [b, [b, [b, a]]] = 0: a is the drift (or a free body), b the kick
// of a potential.
extern const struct scheme scheme_rkn4b_6, scheme_rkn6a_14;

// One step of h.
void compose(const struct scheme *scheme, compose_flow *a, compose_flow *b, void *system,
             double h) NONBLOCKING;

// A number of steps of h. The last flow of each step and the first of the next are joined into one.
void compose_steps(const struct scheme *scheme, compose_flow *a, compose_flow *b, void *system, double h,
                   long steps) NONBLOCKING;

// Suppose one of the flows dissipates with rates between sigma_min and sigma_max. The composition is proved
// to dissipate up to the returned ratio sigma_max/sigma_min; infinite where the scheme has no negative
// coefficient of that flow. Source: Celledoni, Hoiseth and Ramzina 2018, Passivity-preserving splitting
// methods for rigid body systems (Multibody Syst. Dyn. 44), eq. 20.
enum scheme_flow { SCHEME_A, SCHEME_B };
double scheme_dissipation_bound(const struct scheme *scheme, enum scheme_flow dissipative);

// ------------------------------------------------------------
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
