// Rigid bodies in quaternions with the length held by a constraint: P. Betsch, R. Siebert, Rigid body
// dynamics in terms of quaternions: Hamiltonian formulation and conserving numerical integration (Int. J.
// Numer. Meth. Engng 79, 2009), equations as numbered there. A body that turns about a fixed point, with the
// potential weight_nm d3 . e3: a free one with weight 0.
#pragma once

#include "sagbend/math/so3.h"

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
