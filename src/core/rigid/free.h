// The free rigid body, exactly: momentum by Jacobi's elliptic functions, attitude by the elliptic integral of
// the third kind, or by a quadrature or a Magnus series on the exact momentum. Source: E. Celledoni, F.
// Fasso, N. Saefstroem, A. Zanna, The exact computation of the free rigid body motion and its use in
// splitting methods (SIAM J. Sci. Comput. 30, 2008), with the errata of docs/rigid-bodies.md; equations as
// numbered in Saefstroem's thesis (2009), chapter 3.
//
// Momentum m in the body frame (kg m^2/s), attitude q_nb from body to world, dm/dt = m x m/I, dQ/dt = Q
// hat(m/I). No state, no allocation; + - * / sqrt, trig and explog only.
#pragma once

#include "core/base/nonblocking.h"
#include "core/math/so3.h"

// The principal moments in ascending order, and where each of them was.
struct rigid_inertia {
  double moment_kgm2[3];
  int axis[3]; // of the body, of the sorted moments
  int odd;     // the sorting changes the handedness, so one of the sorted axes counts backwards
};

// Any order; all must be positive.
struct rigid_inertia rigid_inertia_of(const double moments_kgm2[3]);

// How the attitude follows. Order in the step: of Magnus 2, 4, 6, of Gauss 6, 8, 10 in the quadrature only.
enum rigid_attitude {
  RIGID_MAGNUS_2,
  RIGID_MAGNUS_4,
  RIGID_MAGNUS_6,
  RIGID_GAUSS_6, // 3, 4, 5 nodes for the angle of Proposition 3.2.5
  RIGID_GAUSS_8,
  RIGID_GAUSS_10,
  RIGID_EXACT_FRAME,      // Corollary 3.2.3: the frame of the momentum and its derivative
  RIGID_EXACT_QUATERNION, // Corollary 3.2.7: the shortest rotation to the axis that the momentum circles
  RIGID_ATTITUDES
};

// Advances both over h seconds, of either sign.
void rigid_free_flow(const struct rigid_inertia *i, enum rigid_attitude how, double h, double m_b[3],
                     quat *q_nb) NONBLOCKING;

// The momenta at these times from m_b, with one arithmetic-geometric mean for all.
void rigid_free_momenta(const struct rigid_inertia *i, const double m_b[3], const double *h, int count,
                        double out[][3]);

double rigid_free_energy_j(const struct rigid_inertia *i, const double m_b[3]);
