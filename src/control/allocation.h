// Thrust allocation: a demanded surge, sway and yaw -> set-points of tunnels, azimuths and main propellers
// with rudders. docs/controller.md. In two stages:
//   1. Where the forces should point: the nearest attainable wrench at the least price, free in direction but
//   for
//      forbidden sectors (allocation_solve.h; sectors leave convex parts, which are enumerated). Azimuths go
//      there at their rate, round the sectors. So nothing is ever stuck behind a rate limit.
//   2. How much each gives now: the same problem along the directions in which the thrusters point now, by
//   their
//      feedback, within the rates of thrust.
// A thruster that is not ready or not running is left out at once; one whose feedback does not follow its
// set-point for some time is taken for what its feedback says. Where a bus has not the power, its thrusters
// are held back and the others asked.
#pragma once

#include "control/actuator.h"
#include "control/allocation_solve.h"
#include "core/base/nonblocking.h"
#include "core/base/valid.h"

struct allocation_bus {
  char name[SIGNAL_NAME];
  double power_w;
};

struct allocation_def {
  int actuator_count; // 0: no allocation, the command is a wrench
  struct actuator_def actuator[MAX_THRUSTERS];
  int bus_count;
  struct allocation_bus bus[MAX_BUSES];
  double error_weight[3]; // of surge, sway, yaw where the demand cannot be met; yaw as a force at the longest
                          // arm
  double change_weight; // price of the change of a force since the last sample, beside the price of the force
  double least_share;   // an azimuth keeps its direction for less than this share of its thrust
  double deviation_share; // between feedback and set-point, of full thrust, for
  double deviation_s;     // so long: it does not follow; 0: not looked at
  double hand_over_s;     // in which the wrench beside the thrusters at take-over goes over to them
};

// What the controller makes of a thruster.
enum actuator_state {
  ACTUATOR_IN_USE,
  ACTUATOR_ABSENT,   // the vessel has none of that name
  ACTUATOR_OUT,      // not ready or not running
  ACTUATOR_DEVIATING // does not do what it is told
};

struct allocation_state {
  double thrust_n[MAX_THRUSTERS];    // newest set-points
  double azimuth_rad[MAX_THRUSTERS]; // of the thrust; main: the rudder's angle
  double force_n[MAX_THRUSTERS][2];  // newest result of stage 1
  double followed_s[MAX_THRUSTERS];  // when its feedback last agreed with its set-point
  int32_t state[MAX_THRUSTERS];      // enum actuator_state
  // of the newest sample
  double demand[3], given[3]; // N, N, N m; given: by the set-points, and by what deviating ones do
  int32_t in_use, deviating;  // thrusters
  int32_t saturated;          // the demand is beyond what the thrusters can give in the long run
  int32_t power_limited;      // they are held back for want of power
};

// Whether a state from a file is one that this definition can have led to (core/base/valid.h).
int allocation_state_is_valid(const struct allocation_def *def, const struct allocation_state *s,
                              struct reason *why);

// The wrench of all thrusters by their feedback (surge N, sway N, yaw N m), without losses.
void allocation_feedback_wrench(const struct allocation_def *def, const struct readings *r,
                                double wrench[3]) NONBLOCKING;

// Begins with the set-points that the feedback shows.
void allocation_start(struct allocation_state *s, const struct allocation_def *def, const struct readings *r,
                      double time_s) NONBLOCKING;

// The set-points that answer this demand, dt_s after the last ones, into out->thrusters.
void allocation_sample(struct allocation_state *s, const struct allocation_def *def, const struct readings *r,
                       const double demand[3], double time_s, double dt_s, struct command *out) NONBLOCKING;

// The best set of forces in the long run (stage 1 alone): share[i] of each thrust is left, those with
// fixed[i] give force_n[i]; under_thrust[i], share of its thrust under which an azimuth now stands in arc[i]:
// to leave it costs.
struct allocation_wish {
  double demand[3];
  double share[MAX_THRUSTERS];
  int fixed[MAX_THRUSTERS];
  double force_n[MAX_THRUSTERS][2];
  double preferred_n[MAX_THRUSTERS][2]; // of a change, with change_weight
  int arc[MAX_THRUSTERS];
  double under_thrust[MAX_THRUSTERS];
};
struct allocation_plan {
  struct allocation_solution solution;
  struct force_part part[MAX_THRUSTERS];
};
void allocation_plan(const struct allocation_def *def, const struct allocation_wish *wish,
                     struct allocation_plan *out) NONBLOCKING;

// Shared by the stages: prices, places, error weights and demand of the problem; without sets and
// preferences.
void allocation_problem_of(const struct allocation_def *def, const double demand[3],
                           struct allocation_problem *out) NONBLOCKING;
double allocation_total_thrust(const struct allocation_def *def);
