// What the thrusters that a failure leaves can give.
#pragma once

#include "sagbend/dp/allocation.h"
#include "sagbend/base/nonblocking.h"
#include "sagbend/base/status.h"
#include "sagbend/dp/reach.h"

// Scratch, some 95 kB: of the controller, not of the stack.
struct thrust_left_work {
  struct reach set;
  struct reach_answer answer;
};

// Finds the largest k for which they can give fixed_b + k load_b (surge, sway N, yaw N m) in steady state,
// with the sectors and buses as after the failure; a thruster that does not follow gives what its feedback
// says. lost: bits of the thrusters that the failure stops. power_w: what each bus has left, NULL: as in def;
// less what the allocation knows to be missing on it already.
// 0: not even fixed_b; infinite: there is no load. is_closed: 0 if the search has ended with a gap; the
// margin is attained, a larger one is not ruled out. Fails if the search does not end: then there is no
// number.
enum status thrust_left_margin(const struct allocation_def *def, const struct allocation_state *state,
                               const struct readings *readings, uint32_t lost, const double *power_w,
                               const double fixed_b[3], const double load_b[3], struct thrust_left_work *work,
                               double *margin, int *is_closed) NONBLOCKING;
