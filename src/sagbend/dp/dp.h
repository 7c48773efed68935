// A route in the horizontal plane: straight legs between waypoints, joined by arcs that touch both legs.
// Courses and headings in rad, clockwise from north. Bits as in sagbend/math/math.h.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/navigation/navigation.h"
#include "sagbend/signals/signals.h"
#include "sagbend/thrust/thrust.h"

#include <stdint.h>

// A waypoint as the DP file gives it. The first and the last have no corner.
struct waypoint {
  double position_m[2]; // north, east
  double radius_m;      // of the arc that rounds the corner; 0: no corner
};

// A leg or an arc.
struct route_part {
  double begin_m, length_m; // way along the route to its begin; its own length
  double start_m[2];        // north, east of its begin
  double course_rad;        // at its begin
  double curvature_1pm;     // 0: leg; positive: it turns to starboard
};

enum { MAX_WAYPOINTS = 64, MAX_ROUTE_PARTS = 2 * MAX_WAYPOINTS };
struct route {
  int count; // parts; 0: no route
  struct route_part part[MAX_ROUTE_PARTS];
  double length_m;
  int waypoint_count; // from which it is built
  struct waypoint waypoint[MAX_WAYPOINTS];
};

// A point of a route.
struct route_point {
  double position_m[2]; // north, east
  double course_rad, curvature_1pm;
};

// Why waypoints do not make a route.
enum route_fault {
  ROUTE_GOOD,
  ROUTE_SAME_POSITION, // the waypoint lies at the one before
  ROUTE_SHARP_CORNER,  // the route turns at the waypoint, and it has no radius
  ROUTE_WIDE_CORNER    // the arc begins before its leg, or ends behind it
};

// Fills route from 2 to MAX_WAYPOINTS waypoints. On a fault *at is the index of the waypoint; for
// ROUTE_WIDE_CORNER *most_m is the largest radius that the legs leave to it.
enum route_fault route_build(const struct waypoint *waypoint, int count, struct route *route, int *at,
                             double *most_m);

// The point at a way along the route; before the begin and behind the end the legs go on.
struct route_point route_at(const struct route *route, double way_m) NONBLOCKING;

// Way along the route of the point of it that is nearest to a position, and the distance from it, positive to
// starboard. Before the begin and behind the end the legs go on. Of two points at equal distance the first.
void route_nearest(const struct route *route, const double position_m[2], double *way_m,
                   double *cross_m) NONBLOCKING;

// ------------------------------------------------------------
// Track mode of the DP controller: a point of the vessel, as a rule the hang-off, follows a route at a speed,
// in one go or joint by joint. The reference moves along the route by the clock; its speed changes smoothly.
// While pipe is laid its moves can wait for the tensioner: route.c.

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
  TRACK_WAITS_FOR_OPERATOR, // the operator has stopped the track
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

// ------------------------------------------------------------
// The sampled DP controller: the PID law with start time, bumpless take-over, approach to the set-point or to
// the route that it follows, bounded integral, feed-forward of tension and wind, observer and thrust
// allocation. sagbend-dp runs it behind the protocol and `controller: sampled` runs it inside the simulator:
// the same code, the same bits. It knows only what the sensors report. docs/controller.md.

// Definition of the controller, as a DP file gives it.
struct dp_def {
  struct pid_def pid; // with a route its set-point is the pose at the route's begin
  struct track_def track;
  struct navigation_def navigation; // for vessels with instruments
  struct observer_def observer;
  struct wind_force_def wind;
  struct allocation_def allocation;
  struct consequence_def consequence;
};

// One sample of the sensors. With instruments the readings are all that is known: the exact values are zero,
// except step, time and wrench.
struct dp_sensors {
  uint64_t step;
  double time_s;
  double position_n_m[3];
  double euler_rad[3];
  double velocity_n_mps[3];
  double euler_rate_radps[3];
  double applied_wrench_b[6];     // acts now in addition to the thrusters, N, N m
  uint64_t command_based_on_step; // step that the command in use answers; 0: unknown, or none is in use

  // The pipe at the hang-off; zero without a pipe.
  double hangoff_tension_n;
  double hangoff_angle_rad; // of the axis in the lay plane, from the lay direction; beyond pi/2 it leans back
  double hangoff_lean_rad;  // of the axis out of the lay plane; 0 with instruments
  double hangoff_azimuth_rad; // direction in which the pipe pulls the vessel, clockwise from north
  int has_tensioner;          // the vessel has no instruments, and has a tensioner that follows orders:
  double paid_out_m;          // length since the start
  int tensioner_mode;         // in effect, enum tensioner_mode
  struct readings readings;
};

// The controller's time. The clock in the messages may jump, the steps beside it do not.
struct dp_clock {
  int heard;       // 1: a sample has arrived
  uint64_t step;   // of the latest sample
  double time_s;   // of the latest sample, as sent
  double step_s;   // s per step, from the first two samples; 0: not known yet
  double offset_s; // sum of the jumps so far
  uint64_t jumps;  // number of jumps
};

// What the samples show of the link, by the controller's time.
struct dp_link {
  uint64_t acting_step; // command_based_on_step of the latest sample
  double acting_s;      // since when it is that, while the controller is active
  double sampled_s;     // of the latest sample
  double gap_s;         // end of the latest gap between samples that was too long; 0: none
};

// A set-point that an operator has ordered. It replaces that of the definition.
struct dp_move {
  int ordered;         // 1: an operator has ordered one
  int moving;          // 1: the reference moves, or has moved, to it from the one at begin_s
  double reference[6]; // the set-point, like pid_def.reference
  double from[6], from_rate[6], begin_s;
};

struct dp_state {
  struct dp_clock clock;
  struct dp_link link;
  int active;         // 1: the controller has taken over
  double last_time_s; // of the latest sample that was integrated
  double last_error[6];
  double start_time_s;       // of the take-over
  double start_reference[6]; // start of the reference: the pose at take-over
  double offset_b[6];        // remainder of the preloaded integral, fades within approach_s; N, N m
  double integral[6];        // m s, rad s
  uint64_t sequence;         // of the last command
  struct dp_move move;
  struct track_state track;
  double beside_b[6]; // acted in addition to the thrusters at take-over, moves to them within hand_over_s; N,
                      // N m
  double allocated_s; // time of the latest allocation
  struct navigation_state navigation;
  struct allocation_state allocation;
  struct consequence_state consequence;
};

// Scratch of a sample: no part of the state.
struct dp_work {
  struct thrust_left_work thrust_left;
};

void dp_init(struct dp_state *state);

// It does not command: its next sample takes over again, from the pose and the wrench of that moment, so that
// it can be given the command at any time without a step of the thrust. The set-point stays.
void dp_stand_by(struct dp_state *state) NONBLOCKING;

// Returns 1 if a state read from a file is possible under this definition. Otherwise returns 0 and fills why
// (sagbend/base/base.h).
int dp_state_is_valid(const struct dp_def *def, const struct dp_state *state, struct reason *why);

// Computes the command for one sample of the sensors. The command is standby before pid.start_s, while the
// position is unknown, and if a sensor is not finite; in the last case only the sequence changes in the
// state. A time that is not later than the last one is not integrated; a jump of the time relative to the
// steps is removed. With actuators in def the command contains their set-points, otherwise a wrench.
void dp_sample(struct dp_state *state, const struct dp_def *def, const struct dp_sensors *sensors,
               struct dp_work *work, struct command *out) NONBLOCKING;

// The alarms after a sample: a pure function of the state, so that a controller inside reports the same ones.
void dp_alarms(const struct dp_state *state, const struct dp_def *def, struct dp_alarm_list *out) NONBLOCKING;

// What a person reads when an alarm of dp_alarms is over.
void dp_alarm_end_text(const struct dp_alarm *alarm, char out[DP_ALARM_TEXT]);

// Replaces the set-point by north, east (m) and heading (rad). After take-over the reference moves there
// within approach_s, from the latest sample on. It leaves a route for good.
void dp_set_setpoint(struct dp_state *state, const struct dp_def *def, const double setpoint[3]) NONBLOCKING;

// What operators have ordered for the route; before take-over as well.
void dp_set_track(struct dp_state *state, const struct track_orders *orders) NONBLOCKING;

// What a Welcome tells of operators' orders: adopts a set-point whose order has another number than the one
// adopted, and orders for the route with a higher number. *adopted becomes that number. Returns 1 if it did.
int dp_adopt_setpoint(struct dp_state *state, const struct dp_def *def, uint64_t *adopted, uint64_t order,
                      const double setpoint[3]) NONBLOCKING;
int dp_adopt_track(struct dp_state *state, uint64_t *adopted, uint64_t order,
                   const struct track_orders *orders) NONBLOCKING;

// Set-point to which the reference moves: as configured or ordered; on a route the end of the present move.
void dp_target(const struct dp_state *state, const struct dp_def *def, double target[6]) NONBLOCKING;

// Reference at time_s and its rate: from the pose at take-over, or from the reference at which another
// set-point was ordered, to the set-point, with continuous second derivative, within approach_s, yaw by the
// shorter turn; then along the route. A move that begins during another keeps its rate. Before take-over: the
// set-point. m, rad, n frame.
void dp_reference(const struct dp_state *state, const struct dp_def *def, double time_s, double reference[6],
                  double rate[6]) NONBLOCKING;

// Tension feed-forward: the body wrench opposite to the pipe's horizontal pull, N.
void dp_tension_feedforward(const struct dp_sensors *sensors, double wrench_b[6]) NONBLOCKING;
