// Thrust allocation: from a demanded surge, sway and yaw to set-points of tunnel thrusters, azimuth thrusters
// and main propellers with rudders. docs/controller.md. Two stages:
//   1. Directions: the attainable wrench nearest to the demand at the least cost, with free directions
//   outside the
//      forbidden sectors (allocation_plan.c; sectors leave convex parts, which are enumerated). Azimuths turn
//      there at their rate, around the sectors. So no thruster stays stuck behind a rate limit.
//   2. Thrusts: the same problem along the directions in which the thrusters point now, by their feedback,
//   within
//      the rates of thrust (allocation_thrust.c).
// A thruster that is not ready or not running is left out at once. One that does not follow its set-points
// (thruster_watch.h) counts with the force of its feedback, against which the others work; one that gives
// much more than it is told is stopped. Where a bus has too little power, its thrusters are limited and the
// others take over.
#pragma once

#include "sagbend/dp/actuator.h"
#include "sagbend/dp/allocation_solve.h"
#include "sagbend/dp/power_watch.h"
#include "sagbend/dp/thruster_watch.h"
#include "sagbend/base/nonblocking.h"
#include "sagbend/base/base.h"

struct allocation_bus {
  char name[SIGNAL_NAME];
  double power_w;
};

struct allocation_def {
  int actuator_count; // 0: no allocation; the command is a wrench
  struct actuator_def actuator[MAX_THRUSTERS];
  int bus_count;
  struct allocation_bus bus[MAX_BUSES];
  // Weights of the errors in surge, sway and yaw if the demand cannot be met; yaw as a force at the longest
  // lever arm.
  double error_weight[3];
  double change_weight; // cost of changing a force since the last sample, relative to the cost of the force
  double least_share;   // below this share of its thrust an azimuth thruster keeps its direction
  struct thruster_watch_def watch;
  double stop_share;  // thrust beyond the set-point, as a share of full thrust, at which one that deviates is
                      // stopped; 0: never
  double hand_over_s; // period in which the wrench in addition to the thrusters at take-over moves to them
};

// State of a thruster in the allocation.
enum actuator_state {
  ACTUATOR_IN_USE,
  ACTUATOR_ABSENT,   // the vessel has no thruster of that name
  ACTUATOR_OUT,      // not ready or not running
  ACTUATOR_DEVIATING // does not follow its set-point
};

struct allocation_state {
  double thrust_n[MAX_THRUSTERS];    // latest set-points
  double azimuth_rad[MAX_THRUSTERS]; // latest set-points; main propeller: rudder angle
  double force_n[MAX_THRUSTERS][2];  // latest result of stage 1, b
  int32_t state[MAX_THRUSTERS];      // enum actuator_state
  struct thruster_watch watch;
  struct power_watch power;

  // Of the latest sample.
  double demand[3], given[3];   // surge, sway N, yaw N m; given: by set-points and by deviating thrusters
  int32_t in_use, deviating;    // numbers of thrusters
  double told_n[MAX_THRUSTERS]; // largest set-point of the last minute
  double harm_s[MAX_THRUSTERS]; // time in which one that deviates has done harm
  double gave_n[MAX_THRUSTERS]; // thrust by the feedback of the latest sample
  int32_t off[MAX_THRUSTERS];   // 1: it is switched off, because its bus is short of power
  int32_t stops[MAX_THRUSTERS]; // 1: it is to be stopped
  double edge_s[MAX_THRUSTERS]; // for so long it has waited at the edge of a sector for its drive to come to
                                // rest
  int32_t restless[MAX_THRUSTERS]; // 1: the drive did not, and the thruster crossed; until it is seen at rest
  int32_t saturated;     // 1: the thrusters cannot give the demand in steady state, or wrench_limit cuts it
  int32_t power_limited; // 1: power limits the thrusters
};

// Returns 1 if a state read from a file is possible under this definition. Otherwise returns 0 and fills why
// (sagbend/base/base.h).
int allocation_state_is_valid(const struct allocation_def *def, const struct allocation_state *state,
                              struct reason *why);

// Wrench of the thrusters whose bits are set in which, by their feedback, without losses: surge, sway N, yaw
// N m.
enum { ALL_THRUSTERS = (1 << MAX_THRUSTERS) - 1 };
void allocation_feedback_wrench(const struct allocation_def *def, const struct readings *readings,
                                uint32_t which, double wrench[3]) NONBLOCKING;

// Starts with the set-points that the feedback shows.
void allocation_start(struct allocation_state *state, const struct allocation_def *def,
                      const struct readings *readings, double time_s) NONBLOCKING;

// Judges thrusters and power by the feedback, before allocation_sample, and replaces what is wrong in it by
// what the thrusters were told. acting_step: step of the Sensors that the command acting at the vessel
// answers; 0: unknown.
void allocation_watch(struct allocation_state *state, const struct allocation_def *def,
                      struct readings *readings, uint64_t acting_step, double time_s) NONBLOCKING;

// Computes the set-points for a demand (surge, sway N, yaw N m) and writes them to out->thrusters. dt_s: time
// since the last sample.
void allocation_sample(struct allocation_state *state, const struct allocation_def *def,
                       const struct readings *readings, const double demand[3], double time_s, double dt_s,
                       struct command *out) NONBLOCKING;

// Input of stage 1.
struct allocation_wish {
  double demand[3];                     // surge, sway N, yaw N m
  double share[MAX_THRUSTERS];          // share of each thruster's thrust that power allows
  int fixed[MAX_THRUSTERS];             // 1: the thruster gives force_n
  double force_n[MAX_THRUSTERS][2];     // b
  double preferred_n[MAX_THRUSTERS][2]; // forces from which a change costs, with change_weight
  unsigned lifted[MAX_THRUSTERS];       // bits of its forbidden sectors that are not in force
  double azimuth_rad[MAX_THRUSTERS];    // direction of an azimuth thruster now
  double under_thrust[MAX_THRUSTERS]; // its present thrust as a share of its largest: crossing a sector costs
  int stays;                          // 1: no azimuth under thrust crosses a sector if there is another plan
};
struct allocation_plan {
  struct allocation_solution solution;
  struct force_part part[MAX_THRUSTERS];
};

// Stage 1 alone: the best forces in steady state.
void allocation_plan(const struct allocation_def *def, const struct allocation_wish *wish,
                     struct allocation_plan *out) NONBLOCKING;

// Sets prices, positions, error weights and demand of the problem that both stages share; sets and preferred
// forces remain zero.
void allocation_problem_of(const struct allocation_def *def, const double demand[3],
                           struct allocation_problem *out) NONBLOCKING;

// Sum of the largest thrusts, N.
double allocation_total_thrust(const struct allocation_def *def) NONBLOCKING;
