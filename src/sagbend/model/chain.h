// For the other files of this room: the chain of nodes in w->rhs, several nodes at once.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/model/model.h"

// The larger value; a NaN in a is kept.
static inline double chain_larger(double a, double b) {
  return a >= b || a != a ? a : b;
}

// Cayley vector theta after a further spatial rotation phi.
static inline vec3 chain_rotated(vec3 theta, vec3 phi) {
  return vec3_add(theta, cayley_derivative_inverse(theta, phi));
}

// rhs = -balance of the nodes of the chain, with the boundary conditions of the ends; updates
// largest_force_n.
void chain_rhs(const struct pipe_mesh *p, struct model_work *w) NONBLOCKING;

// Adds scale times the correction in rhs to the increments of the chain.
void chain_correct(struct model_work *w, double scale) NONBLOCKING;
