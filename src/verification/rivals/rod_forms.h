// The two forms of the multi-symplectic conservation law of Paper V of Saefstroem's thesis, (6.41), (6.42),
// on two first variations dz of one solution: d_t omega + d_S kappa = 0 with omega = dz ^ M dz, kappa = dz ^
// K dz, z = (phi, q, p_phi, p, v_phi, v, lambda), M = [[0,-1,0],[1,0,0],[0,0,0]], K =
// [[0,0,-1],[0,0,0],[1,0,0]] in blocks of 7, with a zero row for lambda ((6.54)-(6.57)). On the mesh of
// rivals.h: omega of a node from its pose u = (phi, q) and its momenta (p_phi, 2 (0, pi) q) between
// two kicks; kappa of an element from its left node, with v = dW/du there. At each free node and the time of
// each kick
//     omega(after) - omega(before) + h (kappa(right of the node) - kappa(left of it)) = 0.
#pragma once

#include "verification/rivals/rivals.h"

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
