// The row of a conservative step whose unknown is the length of the top element at the end of the step, where
// a tensioner obeys a law (sagbend/lay/tensioner.h).
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/model/model.h"
#include "sagbend/pipe/growing_element.h"

// Mass of the half element at the top with these lengths, which moves with the pipe through the grip, kg.
double tensioner_half_mass(const struct pipe_mesh *p, const struct pipe_top_load *load) NONBLOCKING;

// Whether anything is left of the top element after this change of its length.
int tensioner_has_element(const struct model_state *s, double grown_m) NONBLOCKING;

// Balance of the length for the increments in w, N: force of the tensioner minus tension at the grip. NaN if
// nothing is left of the top element. Call after pipe_residual.
double tensioner_balance(const struct model_state *s, struct model_work *w) NONBLOCKING;

// Its derivatives, with the column of the length; the law's derivative is in own_npm.
struct growing_length_tangent tensioner_tangent(const struct model_state *s,
                                                const struct model_work *w) NONBLOCKING;
