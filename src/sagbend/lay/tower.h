// A J-lay tower: the clamp of the hang-off turns about the vessel's y axis, slowly, by a table over time or
// as an operation orders (sagbend/lay/operations.h). It turns between the parts of a step, with all positions
// held: by the first half before the conservative part, by the second half after it, so that the step stays
// symmetric in time. What this does to the energy is the tower's work, part of the port `motion`. The
// velocity of the turn itself is neglected.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/model/model.h"

// Turns the clamp to its angle ahead_s after time_s, the beginning of the step. Returns the work, J.
double tower_turn(const struct model *m, struct model_state *s, struct model_work *w, double time_s,
                  double ahead_s) NONBLOCKING;

// Lets the model follow a state that was set otherwise, at time_s.
void tower_follow(const struct model *m, struct model_state *s, struct model_work *w,
                  double time_s) NONBLOCKING;
