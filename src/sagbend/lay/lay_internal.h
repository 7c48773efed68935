// The nodes at the top after a split or a merge: places in which the forces of the new elements are those of
// the old ones, and velocities that keep them so. With others the stiff elements would vibrate, by the step
// method with another sign in each step and for long.
#pragma once

#include "sagbend/model/model.h"

enum { SETTLED = 5 }; // nodes below the new one that move, at most
enum { SETTLE_UNKNOWNS = 6 * (SETTLED + 1) + 3 };

// The motion that goes on while the nodes settle.
struct settle_motion {
  vec3 grip_mps;    // velocity of the top, n
  double speed_mps; // at which the top element grows
  double step_s;
  vec3 weight_rate; // of the weight of the node below the top as the element grows, N/s, n
  // Of the axial stress of the top element over the last conservative step, from places, N/s; none where the
  // step did not change the length or was not solved.
  int is_rate_known;
  double axial_rate_nps;
};

// What the nodes from first to last hold: the opposite of what the elements exert on them, n. It balances
// their weight, inertia and drag. There is none where first > last.
struct settle_hold {
  int first, last;
  double load[SETTLE_UNKNOWNS]; // forces and moments, node by node; the caller adds the loads of new nodes
  vec3 rate;                    // of the force of the node below last, N/s
  double tension_n;             // below the nodes
};

// Call before the mesh changes; last: the node below those that come or go. Lets the rotation rates of these
// nodes and grip_mps keep the equilibrium, without the vibration that is there.
struct settle_hold settle_hold_of(const struct model *m, struct model_state *s, int last,
                                  struct settle_motion *motion) NONBLOCKING;

// Brings these nodes, a new one and the rotation of a top that can turn into equilibrium. Nodes below move
// along the axis, so that the tension stays. Returns 0 where Newton's method fails; nothing changes then.
int settle_places(struct model_state *s, const struct settle_hold *hold,
                  const struct settle_motion *motion) NONBLOCKING;

// Gives a new node the velocity, and all these nodes the rotation rates, that keep the equilibrium. The
// present ones are the guess.
void settle_velocities(struct model_state *s, const struct settle_hold *hold,
                       const struct settle_motion *motion) NONBLOCKING;

// ------------------------------------------------------------
// Turn of the tower since the statics by the operations, ahead_s after the beginning of the step, rad.
double operations_tower_turn(const struct model *m, const struct model_state *s, double ahead_s) NONBLOCKING;
