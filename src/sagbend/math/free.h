// Exact motion of the free rigid body: the momentum by Jacobi's elliptic functions, the attitude by the
// elliptic integral of the third kind, or by a quadrature or a Magnus series on the exact momentum. Source:
// Celledoni, Fasso, Saefstroem and Zanna 2008, The exact computation of the free rigid body motion and its
// use in splitting methods (SIAM J. Sci. Comput. 30), with the errata of docs/rigid-bodies.md; equations are
// numbered as in Saefstroem 2009, chapter 3.
//
// Momentum m in the body frame b (kg m^2/s), attitude q_nb from body to world; dm/dt = m x m/I, dQ/dt = Q
// hat(m/I). The functions keep no state, take no memory, and use + - * / sqrt, trig.h and explog.h only.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/math/so3.h"

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
// higher precision (core_math_attitude_test).

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
