// The rigid body as three directors: DIR_EM of P. Betsch, R. Siebert (2009), section 3, after P. Betsch, P.
// Steinmann, Constrained integration of rigid body dynamics (Comput. Methods Appl. Mech. Engng 191, 2001):
// the mass matrix (19) is constant, the six constraints (17) are quadratic, so the midpoint rule with their
// gradients in the middle keeps energy and angular momentum.
#pragma once

#include "verification/rivals/quaternions.h"

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
