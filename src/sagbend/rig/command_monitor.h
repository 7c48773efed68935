// Watches what the commands do to the vessel, and raises the notices of mistakes (notice.h). A pure function
// of the commands in use and of the states after the steps; it changes nothing, and no state hash contains
// it.
//
// Weak wrench: kN in the place of N. The commanded horizontal force stays below a hundredth of the hold
// wrench for MONITOR_WEAK_S, while the vessel comes to lie MONITOR_LEAVES_M further from its target. Where
// nothing has to be held (a hold wrench below a thousandth of network.wrench_limit) a tenth of that limit
// takes the place of the hold wrench, and five times that distance is asked for. A first command of zero is
// therefore legitimate. Weak thrusters: revolutions per second for revolutions per minute. The largest
// set-point, as a share of its full value, stays below a tenth of the largest that holds the vessel, which is
// a hundredth of its thrust. Azimuth: degrees for radians. An azimuth of more than two full turns stays
// commanded for MONITOR_WEAK_S. Per cent for a share of pitch, and a rudder in degrees, are beyond the limits
// and are refused. Positive feedback: feedback.h.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/signals/signals.h"
#include "sagbend/sim/sim.h"
#include "sagbend/rig/feedback.h"
#include "sagbend/rig/frame.h"
#include "sagbend/rig/notice.h"

static const double MONITOR_WEAK_S = 10, MONITOR_LEAVES_M = 1;

// 8-byte members only; zero at the start.
struct command_monitor {
  uint64_t weak_since;    // 1 + step since which commands are weak; 0: they are not
  double weak_from_m;     // distance from the target at that step
  uint64_t azimuth_since; // 1 + step since which an azimuth is of many turns; 0: none is
  uint64_t consequence_alarm, consequence_alarms; // in the newest command; times that it came
  uint64_t setpoint_order;                        // of the target on which the window of feedback counts
  struct feedback_monitor feedback;
  struct notices notices;
};

// After a step: the latch that it used, and its state.
void command_monitor_step(struct command_monitor *monitor, const struct command_def *def,
                          const struct command_latch *latch, const struct sim_output *now,
                          const struct loop_target *target) NONBLOCKING;

// Whether a state from a file is possible at this step (sagbend/base/base.h).
int command_monitor_is_valid(const struct command_monitor *monitor, uint64_t step, struct reason *why);
