// The operations of a lay, as one state machine. Before each step it looks whether the present operation has
// ended, and gives the tensioner the order of the one that is on, with the rank of the configuration. While
// an order from outside is in force, the operation is held: its times stand still and nothing ends. After the
// last one the pipe comes to rest in the brake. All functions do nothing without operations.
//
// The brake of an operation engages at rest. Until then the tracks slow down, so that the tension does not
// rise by the momentum of the pipe.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/model/model.h"

// State at the start, after that of the tensioner.
void operations_start(const struct model *m, struct model_state *s);

// Whether a state from a file is one that this model can have (conventions: sagbend/base/base.h).
int operations_is_valid(const struct model *m, const struct model_state *s, struct reason *why);

// Before a step: the way of the hang-off along the route. NaN: there is no route.
void operations_latch(const struct model *m, struct model_state *s, double way_m) NONBLOCKING;

// At the beginning of a step: ends what has ended. Returns the order for the tensioner, with given 0 where
// the operations are held.
struct tensioner_setpoint operations_advance(const struct model *m, struct model_state *s,
                                             double step_s) NONBLOCKING;

// Turn of the tower since the statics, ahead_s after the beginning of the step, rad.
double operations_tower_turn(const struct model *m, const struct model_state *s, double ahead_s) NONBLOCKING;

// Of a move: lowers the speed that the tracks reach at the end of a step, and the way of the step, so that
// they come to rest at its end.
struct track_step {
  double end_mps, way_m;
};
void operations_land(const struct model *m, const struct model_state *s, double step_s,
                     struct track_step *tracks) NONBLOCKING;

// The tracks have moved so far in the mode speed.
void operations_have_moved(const struct model *m, struct model_state *s, double way_m) NONBLOCKING;

// At the end of a step.
void operations_count(const struct model *m, struct model_state *s, double step_s) NONBLOCKING;

// Share of the present operation that is done, 0 to 1. 0 where its end cannot be foreseen.
double operations_progress(const struct model *m, const struct model_state *s) NONBLOCKING;
