// Laid pipe beyond an anchor length leaves the computation, node by node, and returns where it is recovered.
// docs/laying.md.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/model/model.h"

// State at the start, after the statics.
void retire_start(struct model_state *s);

// Whether a state from a file is one that this model can have (conventions: sagbend/base/base.h).
int retire_is_valid(const struct model *m, const struct model_state *s, struct reason *why);

// Between steps, at time_s and after model_energy_of: node 0 retires, or the one that retired last returns.
// Returns 1 if the pipe has changed. Brakes the tensioner where the store has no node to return.
int retire_update(const struct model *m, struct model_state *s, struct model_work *w,
                  double time_s) NONBLOCKING;

// The node that retired last; NULL: none, or the store no longer has it.
const struct laid_node *retire_newest(const struct model_state *s) NONBLOCKING;

// Curvature that bending beyond yield has left in the element above it, as a magnitude, 1/m.
double retire_newest_residual(const struct model *m, const struct model_state *s) NONBLOCKING;
