// Track mode of the DP controller: a point of the vessel, as a rule the hang-off, follows a route at a speed,
// in one go or joint by joint. The reference moves along the route by the clock; its speed changes smoothly.
// While pipe is laid its moves can wait for the tensioner: track_wait.c.
#pragma once

#include "sagbend/dp/route.h"
#include "sagbend/base/status.h"
#include "sagbend/signals/tensioner_order.h"
#include "sagbend/signals/track_order.h"

#include <stdint.h>

// Moves that wait for the pay-out.
struct track_payout_def {
  int is_followed;
  double first_m;  // of a joint's pipe, paid out before its move begins; 0: the move begins at once
  double behind_m; // by which the pay-out may be short of the way; > 0
};

// Share of a joint that may be missing where the tensioner holds the pipe at its end.
#define TRACK_SHORT_SHARE 0.05

struct track_def {
  struct route route;  // route.count 0: no track mode
  double point_b_m[2]; // the point of the vessel on the route: forward, to starboard of the reference point
  double heading_offset_rad; // heading less the course of the route
  double start_s;            // earliest time of the first move
  double speed_mps, ramp_s;  // of a move, and the time in which it is reached or given up
  double stop_s;             // time in which a stop brings the reference to rest
  double joint_m, hold_s;    // moves of this length, and the time between two; joint_m 0: one move
  double away_m; // distance of the vessel's point from the reference at which the reference stops; 0: never
  double tension_n; // set-point that the controller orders at the tensioner; 0: it gives it no orders
  double tension_low_n, tension_high_n; // outside of them the reference stops; both 0: never
  struct track_payout_def payout;
};

// What the controller knows of the pipe at a sample.
struct track_pipe {
  int is_length_known; // an encoder is in use
  double paid_out_m;   // by it
  int is_braked;       // by the tensioner's own signals
  int is_tension_known;
  double tension_n;
};

enum track_phase {
  TRACK_NONE,    // no route, or not in control yet
  TRACK_WAITING, // at the begin, or at the point of the route nearest to the vessel
  TRACK_MOVING,
  TRACK_HOLDING, // between two joints
  TRACK_STOPPED, // in a move, for the reason in wait
  TRACK_ENDED,   // at the end of the route
  TRACK_LEFT,    // an operator's set-point has replaced the route
  TRACK_PHASE_COUNT
};

// Why the reference does not move on.
enum track_wait {
  TRACK_GOES,
  TRACK_WAITS_FOR_OPERATOR, // who has stopped it
  TRACK_WAITS_FOR_VESSEL,   // too far from the reference
  TRACK_WAITS_FOR_TENSION,  // outside of its limits
  TRACK_WAITS_FOR_LENGTH,   // no encoder of the pay-out is in use
  TRACK_WAITS_FOR_BRAKE,    // the tensioner holds the pipe
  TRACK_WAITS_FOR_PAYOUT,   // the pipe is not paid out, or the encoder does not show it
  TRACK_WAIT_COUNT
};

struct track_state {
  int32_t phase;                    // enum track_phase
  int32_t joints;                   // completed
  double since_s;                   // begin of the phase
  double begin_s, from_m, from_mps; // of the newest move of the reference
  double speed_mps, to_m;           // the speed that it reaches, and where it ends
  double target_m;                  // end of the joint, or of the route
  double along_m, cross_m;          // of the vessel's point from the reference; ahead, to starboard
  double cross_most_m;              // largest magnitude since the first move
  int32_t wait;                     // enum track_wait
  int32_t is_paid_known;            // paid_from_m is
  double joint_from_m;              // where the joint begins
  double paid_from_m;               // pay-out from which that of the joint counts
  double tension_good_s;            // time since which the tension is within its limits
  struct track_orders orders;       // of operators
  double planned_mps;               // speed for which the present move is planned
};

// Returns 1 if a state from a file is possible. Otherwise returns 0 and fills why (sagbend/base/base.h).
int track_state_is_valid(const struct track_def *def, const struct track_state *s, struct reason *why);

// Position north, east of the vessel's point, from that of its reference point.
void track_point(const struct track_def *def, const double position_m[2], double heading_rad,
                 double point_m[2]) NONBLOCKING;

// Begins at the point of the route that is nearest to the vessel: a controller that starts again goes on from
// where the vessel is. position_m: north, east of the reference point.
void track_begin(struct track_state *s, const struct track_def *def, const double position_m[2],
                 double heading_rad, double time_s) NONBLOCKING;

// What happens at a sample: a move begins or ends. ready_s: when the vessel is at the begin.
void track_advance(struct track_state *s, const struct track_def *def, const double position_m[2],
                   double heading_rad, const struct track_pipe *pipe, double ready_s,
                   double time_s) NONBLOCKING;

// Why the reference may not move on at a sample (track_wait.c). at_m: way of the reference; next_m: end of
// the joint that would begin, where the reference rests between two; otherwise that of the present one.
enum track_wait track_wait_for(struct track_state *s, const struct track_def *def,
                               const struct track_pipe *pipe, double at_m, double next_m,
                               double time_s) NONBLOCKING;

// Counts the pay-out of the joint that begins now. A shortfall of the one before within the limit is
// forgiven, as on a curve, where the laid pipe is shorter than the way; a surplus is kept.
void track_count_joint(struct track_state *s, const struct track_pipe *pipe) NONBLOCKING;

// The order for the tensioner: from take-over on, the tension of the definition.
struct tensioner_setpoint track_tensioner(const struct track_state *s,
                                          const struct track_def *def) NONBLOCKING;

// Way of the reference along the route, and its speed.
double track_way(const struct track_state *s, const struct track_def *def, double time_s,
                 double *speed_mps) NONBLOCKING;

// Pose of the vessel's reference point with its point at a way along the route: north, east, heading.
void track_pose(const struct track_def *def, double way_m, double pose[3]) NONBLOCKING;

// Reference at a time: north, east, heading, and their rates.
void track_reference(const struct track_state *s, const struct track_def *def, double time_s, double pose[3],
                     double rate[3]) NONBLOCKING;
