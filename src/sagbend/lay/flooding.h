// Water that floods the pipe, as after a wet buckle: from one place on, up to the surface, the bore of the
// elements fills at a constant rate. A conservative step works with the mean of the shares at its start and
// its end. Between two steps the share changes at once, and mass and weight with it: this is the work of the
// port `flooding`, exact because the energies are linear in the share.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/model/model.h"
#include "sagbend/signals/flooding_input.h"

// Before a step: takes over whether water flows. The first time it sets the place.
void flooding_latch(struct model_state *s, const struct flooding_input *input) NONBLOCKING;

// At the beginning of a step: lets the water of the step in, and what has come to the tensioner out. Returns
// the work, J.
double flooding_advance(struct model_state *s, double step_s) NONBLOCKING;

// Lets the model follow a state that was set otherwise, or elements that were filled again.
void flooding_follow(struct model_state *s) NONBLOCKING;

// Whether a state from a file is one that a run can have (conventions: sagbend/base/base.h).
int flooding_is_valid(const struct model *m, const struct model_state *s, struct reason *why);
