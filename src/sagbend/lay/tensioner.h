// A tensioner that obeys a law (sagbend/pipe/tensioner.h): its orders, modes and limits. Its row of the
// conservative step is in sagbend/model/tensioner.h. All functions do nothing where model.tensioner has no
// orders.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/lay/lay.h"
#include "sagbend/model/model.h"

// State at the start, after the statics: the first order, holding the tension of the equilibrium.
void tensioner_start(const struct model *m, struct model_state *s);

// Whether a state from a file is one that this model can have (conventions: sagbend/base/base.h).
int tensioner_is_valid(const struct model *m, const struct model_state *s, struct reason *why);

// Before a step: takes over the orders that have come for it, and the faults. An operator's order goes before
// those of controllers, and these before the programme's.
void tensioner_latch(const struct model *m, struct model_state *s,
                     const struct tensioner_input *input) NONBLOCKING;

// At the beginning of a step: the order in force, with that of the programme which is due, or the brake where
// no element is left. A mode takes over the force of the one before. Returns the work that this does on the
// grip, J.
double tensioner_obey(const struct model *m, struct model_state *s, double time_s, double step_s) NONBLOCKING;

// Whether the pipe drags the drive, or slips in the grip, where the brake holds no less.
int tensioner_is_dragged(const struct model *m, const struct model_state *s) NONBLOCKING;

// Sets in w the tensioner over a conservative step.
void tensioner_begin(const struct model *m, const struct model_state *s, struct model_work *w,
                     double step_s) NONBLOCKING;

// Takes over the end of the step, and what the tensioner has done.
void tensioner_end(const struct model *m, struct model_state *s, const struct model_work *w,
                   struct payout_work *work) NONBLOCKING;
