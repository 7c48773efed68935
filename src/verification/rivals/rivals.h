// Rigid bodies in quaternions with the length held by a constraint: P. Betsch, R. Siebert, Rigid body
// dynamics in terms of quaternions: Hamiltonian formulation and conserving numerical integration (Int. J.
// Numer. Meth. Engng 79, 2009), equations as numbered there. A body that turns about a fixed point, with the
// potential weight_nm d3 . e3: a free one with weight 0.
#pragma once

#include "sagbend/math/math.h"
#include "sagbend/rigid/rigid.h"

#include <complex.h>

struct rival_top {
  double moments_kgm2[3]; // about the fixed point
  double weight_nm;       // M g L
};

// Quaternion and its momentum p = M4(q) dq/dt, (31): 8.
struct rival_quaternion {
  double q[4], p[4];
};

struct rival_quaternion rival_quaternion_of(const struct rival_top *top, quat q_nb, const double omega_b[3]);
quat rival_quaternion_attitude(const struct rival_quaternion *s);
double rival_quaternion_energy(const struct rival_top *top, const struct rival_quaternion *s);
vec3 rival_quaternion_momentum(const struct rival_quaternion *s); // in the world, (45)

// One step. 0: Newton's method found no solution, and the state is as it was.
typedef int rival_quaternion_step(const struct rival_top *top, double h, struct rival_quaternion *s);

// QUAT_EM: (51), as the reduced system (52), (53) of seven unknowns with the tangent (D1).
rival_quaternion_step rival_quat_em;
// QUAT_VI: the discrete Euler-Lagrange equations (E1) on the null space of the constraint. p is the momentum
// with which a step begins, projected to q . p = 0. Without a weight these are the discrete Moser-Veselov
// equations.
rival_quaternion_step rival_quat_vi;

// For tests: residual and tangent of (52), (53) at the increments theta, p_{n+1} = x.
void rival_quat_em_residual(const struct rival_top *top, double h, const struct rival_quaternion *s,
                            const double x[7], double residual[7], double *tangent);

// ------------------------------------------------------------
// ALGO_C1 of J. C. Simo and K. K. Wong, Unconditionally stable algorithms for rigid body dynamics that
// exactly preserve energy and momentum (Int. J. Numer. Meth. Engng 31, 1991), on a body about a fixed point
// (struct rival_top). The attitude moves by exp(theta) in the body's axes, theta by Newmark's rule with beta
// = 1/4 and gamma = 1/2, which is h/2 (W0 + W1) for the rates W; the momentum in the world is balanced over
// the step: R1 J W1 - R0 J W0 = h times the mean of the torques at both ends. It keeps the momentum and not
// the energy.

struct rival_c1 {
  quat q_nb;
  vec3 omega_b;
};

// One step. 0: Newton's method found no solution, and the state is as it was.
int rival_algo_c1(const struct rival_top *top, double h, struct rival_c1 *s);
double rival_c1_energy(const struct rival_top *top, const struct rival_c1 *s);
vec3 rival_c1_momentum(const struct rival_top *top, const struct rival_c1 *s); // in the world

// ------------------------------------------------------------
// The rigid body as three directors: DIR_EM of P. Betsch, R. Siebert (2009), section 3, after P. Betsch, P.
// Steinmann, Constrained integration of rigid body dynamics (Comput. Methods Appl. Mech. Engng 191, 2001):
// the mass matrix (19) is constant, the six constraints (17) are quadratic, so the midpoint rule with their
// gradients in the middle keeps energy and angular momentum.

struct rival_directors {
  vec3 d[3], v[3]; // directors and their own velocities: after a step not those of any rotation
};

struct rival_directors rival_directors_of(quat q_nb, const double omega_b[3]);
mat3 rival_directors_attitude(const struct rival_directors *s);
double rival_directors_energy(const struct rival_top *top,
                              const struct rival_directors *s); // (18) and the potential
vec3 rival_directors_momentum(const struct rival_top *top, const struct rival_directors *s); // (23)
// How far the velocities are from those of a rotation: the largest |d_i . v_j + d_j . v_i|.
double rival_directors_gap(const struct rival_directors *s);

// One step, on the null space of the discrete constraints. 0: no solution, the state is as it was.
int rival_dir_em(const struct rival_top *top, double h, struct rival_directors *s);

// ------------------------------------------------------------
// Methods that the splittings of the vessel are compared with: explicit Runge-Kutta methods on the vessel
// with its PID as one system of first order. The simulator does not link them. Neither method is passive.

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

// ------------------------------------------------------------
// A rigid body in spatial coordinates, its loads and their tangents, and the generalized-alpha method on R3 x
// SO(3): A. Giusti, Spatial formulation for the dynamics of floating rigid bodies (2016), equations as
// numbered there. All 6-vectors are (translation, rotation) in the axes of the world, about the centre of
// mass.

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

// ------------------------------------------------------------
// The generalized-alpha method in the three formulations that A. Giusti (2016) compares in section 7.4:
// spatial (2.2), mixed (2.3: the rotation in the body's axes) and local (2.4: all in the body's axes, on
// SE(3)). The equations of motion are those of rivals.h, turned to the axes of the formulation; Newton's
// matrix is by differences.

enum rival_formulation { RIVAL_SPATIAL, RIVAL_MIXED, RIVAL_LOCAL, RIVAL_FORMULATIONS };

// From and to a motion whose v and vdot are spatial; a is set to vdot in the axes of the formulation.
struct rival_motion rival_motion_to(enum rival_formulation f, const struct rival_motion *spatial);
struct rival_motion rival_motion_from(enum rival_formulation f, const struct rival_motion *s);

// Algorithm 1 from t_s to t_s + h; the motion is in the axes of the formulation. 0: no solution, the motion
// is as it was.
int rival_generalized_alpha_in(enum rival_formulation f, const struct rival_loads *l, double rho, double t_s,
                               double h, struct rival_motion *s);

// ------------------------------------------------------------
// Methods that the exact free body is compared with. The simulator does not link them. Momentum in the body
// frame, attitude from body to world, moments about the body's own axes.

typedef void rival_body_flow(const double moments[3], double h, double m_b[3], quat *q_nb);

// Rotations about the axes, symmetrically: S. Reich (1996), A. Dullweber, B. Leimkuhler, R. McLachlan,
// Symplectic splitting methods for rigid body molecular dynamics (J. Chem. Phys. 107, 1997). Order 2; 4 and 6
// by H. Yoshida, Construction of higher order symplectic integrators (Phys. Lett. A 150, 1990).
rival_body_flow rival_mclachlan_reich_2, rival_mclachlan_reich_4, rival_mclachlan_reich_6;

// The discrete Moser-Veselov equations, order 2: h m/2 = e0 I e + e x I e for the turn (e0, e) of a step, by
// iteration to rounding (J. Moser, A. P. Veselov, Commun. Math. Phys. 139, 1991, in the quaternions of E.
// Hairer, G. Vilmart, J. Phys. A 39, 2006). Where the iteration finds no solution, m_b becomes NaN.
rival_body_flow rival_moser_veselov;

// The preprocessing of Hairer and Vilmart: the same step with other moments of inertia has the even order
// asked for, 2 to 10. Their inverses are (1 + s)/I + d; s and d are power series of h^2 whose coefficients
// depend on the energy and |m_b| only, so that one call serves all steps of h. The moments must differ and
// m_b lie off the axes. 0: a modified moment would not be positive, and modified is not set.
int rival_preprocessed(const double moments[3], int order, double h, const double m_b[3], double modified[3]);

// Taylor's series of order 24 in extended precision, in steps that it resolves: a reference.
rival_body_flow rival_taylor;

// ------------------------------------------------------------
// The elastic rod as a constrained Hamiltonian system with a multi-symplectic integrator: E. Celledoni, N.
// Saefstroem, Hamiltonian and multi-symplectic structure of a rod model using quaternions (Paper V of
// Saefstroem's thesis, 2009), which gives the equations (6.35)-(6.39) and no scheme; its (6.38), (6.63) have
// the wrong sign: d_t p_phi = [w, D_N] gamma + D_N gamma'. It serves comparisons only; the simulator does not
// link it.
//
// Space, as its section 6.1 suggests: the Hamiltonian (6.30) on nodes. An element of length l between the
// nodes i and j takes its frame from the middle of its quaternions, m = (q_i + q_j)/|q_i + q_j|, its strains
// from their differences,
//     Gamma = E(m)' (phi_j - phi_i)/l - e1,   Omega = 2 Im(m^c (q_j - q_i))/l,   W = l/2 (Gamma' C_N Gamma +
//     Omega' C_M Omega);
// masses are lumped. Time: the variational integrator of the action whose potential stands at the nodes in
// time,
//     h [(m/2) |(x1 - x0)/h|^2 + (2/h^2) f' J f - W],   (f0, f) = q0^c q1 on S3:
// impulses from W, then x += h p/m and a turn (f0, f) of each node by the discrete Moser-Veselov equations.
// The angular momentum pi of a node, in space, stands for the conjugate p = 2 (0, pi) q of (6.29); |q| = 1
// needs no multiplier, since q turns.
//
// One scheme for two kinds of number: double, and double complex, where the imaginary part carries an exact
// first variation (a complex step, too small to be rounded into the real part).

enum { HAMILTONIAN_ROD_NODES = 401 };

struct hamiltonian_rod_section {
  double mass_kgpm, inertia_kgm[3]; // J_rho per length, in the section frame
  double stretch_n[3], bend_nm2[3]; // C_N = (EA, GA, GA), C_M = (GJ, EI, EI), (6.5)
};

// All vectors in space. Neighbouring quaternions have a positive product; their signs matter.
#define HAMILTONIAN_ROD(rod, number)                                                                         \
  struct rod##_node {                                                                                        \
    number x_m[3], q[4];             /* phi; the section's attitude, scalar first */                         \
    number p_ns[3], pi_nms[3];       /* momentum; angular momentum about the node */                         \
    number force_n[3], moment_nm[3]; /* of the elements at it, up to date after start and drift */           \
  };                                                                                                         \
  struct rod {                                                                                               \
    struct hamiltonian_rod_section section;                                                                  \
    int elements;                                                                                            \
    double element_m;                                                                                        \
    int held[2];                  /* the first and the last node stay where they are */                      \
    double load_n[3], load_nm[3]; /* on the last node, at the time of the next kick */                       \
    int newton_iterations;        /* the most a node took so far */                                          \
    struct rod##_node node[HAMILTONIAN_ROD_NODES];                                                           \
  };                                                                                                         \
  struct rod##_slope { /* of an element's W by the poses of its two nodes; by q as an element of R4 */       \
    number x_n[2][3], q_nm[2][4];                                                                            \
  };                                                                                                         \
  void rod##_start(struct rod *r); /* after the nodes have been set */                                       \
  void rod##_kick(struct rod *r, double h);                                                                  \
  void rod##_drift(struct rod *r, double h);                                                                 \
  number rod##_element(const struct rod *r, int element, struct rod##_slope *slope); /* W in J */

HAMILTONIAN_ROD(hamiltonian_rod, double)
HAMILTONIAN_ROD(varied_rod, double complex)

// kick, drift, kick; a load may change between the two kicks only if the caller takes them one by one.
void hamiltonian_rod_step(struct hamiltonian_rod *r, double h);

struct hamiltonian_rod_totals {
  double kinetic_j, potential_j;
  double linear_ns[3], angular_nms[3]; // angular momentum about the origin
};
// At the nodes in time, that is between steps.
struct hamiltonian_rod_totals hamiltonian_rod_totals(const struct hamiltonian_rod *r);

double hamiltonian_rod_lump_m(int elements, double element_m, int node); // length of rod that a node carries

// ------------------------------------------------------------
// The two forms of the multi-symplectic conservation law of Paper V of Saefstroem's thesis, (6.41), (6.42),
// on two first variations dz of one solution: d_t omega + d_S kappa = 0 with omega = dz ^ M dz, kappa = dz ^
// K dz, z = (phi, q, p_phi, p, v_phi, v, lambda), M = [[0,-1,0],[1,0,0],[0,0,0]], K =
// [[0,0,-1],[0,0,0],[1,0,0]] in blocks of 7, with a zero row for lambda ((6.54)-(6.57)). On the mesh of
// rivals.h: omega of a node from its pose u = (phi, q) and its momenta (p_phi, 2 (0, pi) q) between
// two kicks; kappa of an element from its left node, with v = dW/du there. At each free node and the time of
// each kick
//     omega(after) - omega(before) + h (kappa(right of the node) - kappa(left of it)) = 0.

// The rods have the same real parts; imaginary parts are ROD_VARIATION times a variation, whose squares
// vanish beside any real part.
#define ROD_VARIATION 1e-40

// dx, dp, dpi; the attitude turns by theta in space, dq = (0, theta) q/2.
struct rod_variation {
  double x[3], theta[3], p[3], pi[3];
};
// A node that starts with this variation.
struct varied_rod_node rod_varied(const struct hamiltonian_rod_node *node, const struct rod_variation *by);

double rod_omega(const struct varied_rod *a, const struct varied_rod *b, int node);
double rod_kappa(const struct varied_rod *a, const struct varied_rod *b, int element);
