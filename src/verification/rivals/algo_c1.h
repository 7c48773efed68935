// ALGO_C1 of J. C. Simo and K. K. Wong, Unconditionally stable algorithms for rigid body dynamics that
// exactly preserve energy and momentum (Int. J. Numer. Meth. Engng 31, 1991), on a body about a fixed point
// (struct rival_top). The attitude moves by exp(theta) in the body's axes, theta by Newmark's rule with beta
// = 1/4 and gamma = 1/2, which is h/2 (W0 + W1) for the rates W; the momentum in the world is balanced over
// the step: R1 J W1 - R0 J W0 = h times the mean of the torques at both ends. It keeps the momentum and not
// the energy.
#pragma once

#include "verification/rivals/quaternions.h"

struct rival_c1 {
  quat q_nb;
  vec3 omega_b;
};

// One step. 0: Newton's method found no solution, and the state is as it was.
int rival_algo_c1(const struct rival_top *top, double h, struct rival_c1 *s);
double rival_c1_energy(const struct rival_top *top, const struct rival_c1 *s);
vec3 rival_c1_momentum(const struct rival_top *top, const struct rival_c1 *s); // in the world
