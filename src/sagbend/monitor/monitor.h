// Mistakes of a controller that the simulator recognises by what the commands do to the vessel.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/events/events.h"
#include "sagbend/signals/signals.h"
#include "sagbend/sim/sim.h"

#include <stdint.h>

// Notices: mistakes of a controller that the simulator recognises by what the commands do to the vessel. Each
// kind is raised once, and again only after the mistake was gone for a while. They follow from commands and
// states alone, so that a replay raises them at the same steps. Plain data.

// What was found when the notice was raised last.
struct notice {
  uint64_t count;  // times raised; 0: never
  uint64_t step;   // at which it was raised last
  uint64_t active; // 1: what raised it still goes on
  uint64_t gone;   // steps for which it has not, while active
  // Commanded and expected: force N (weak wrench), largest share of full stroke (weak thrusters), azimuth rad
  // and full turns (azimuth); distance from the target, m, and heading, rad (weak wrench and thrusters).
  // Feedback and frame: angle of the force, rad, heading, rad, direction of the motion from north, rad, and
  // deviation, m or rad.
  double value[4];
  // Directions: enum direction_reading, way in m and turn in rad since it was suspected, heading, rad.
  // Unnamed: thrusters without a command, all thrusters that run.
  int64_t thruster; // its index, where value is of one; -1: none
};

struct notices {
  struct notice kind[NOTICE_COUNT];
};

// What a person reads: at most 159 characters. name: of the thruster with an index.
void notice_text(int kind, const struct notice *notice, const char *thruster, char *out, size_t size);

// A notice that is not raised for so long is active no more.
static const double NOTICE_QUIET_S = 60;

// ------------------------------------------------------------
// The monitor of positive feedback: a wrong sign or a wrong frame in a controller.
//
// It compares, in the world frame, the commanded horizontal force f with the position x and the velocity v of
// the vessel, as complex numbers (north + i east), and the commanded moment with heading and rate of turn.
// Each is the mean over a second. The window has FEEDBACK_WINDOW of them; a prime is the deviation from the
// mean in the window, so that mean forces against weather do not count, nor a set-point. Correlations are
//   c(p, q) = Re sum p' conj(q') / sqrt(sum |p'|^2 sum |q'|^2).
//
// Sign. A law f = -K x - D v with K, D >= 0 cannot have c(f,x) > 0 and c(f,v) > 0 in one window: that would
// mean D (v.x) < -K (x.x) and K (v.x) < -D (v.v), hence (v.x)^2 > (x.x)(v.v), against Cauchy and Schwarz. A
// move that a controller plans itself can, for a while; therefore f = A x' + B v' by least squares must have
// A > 0, B > 0 in its real parts as well (unless x' and v' are parallel, as in a motion that grows
// exponentially), and the force must be what moves the vessel, c(f, dv/dt) > 0. In waves and slow drift it is
// not. In an oscillation f in phase with x opposes dv/dt.
//
// Frame. A law whose force is turned by an angle phi has A = -K exp(i phi), B = -D exp(i phi). It raises a
// notice where both angles lie beyond 40 degrees on the same side, f is explained by x' and v' but for 3 % of
// its variance, and x' and v' are not parallel, which would leave A and B undetermined. A vessel that goes
// straight ahead while one axis is held hard and the other softly, by hand, or to a reference that moves,
// looks like it: therefore a right law with gains of its own in surge and sway must leave ten times as much
// of the variance.
//
// Either must hold for FEEDBACK_ROWS seconds in a row, with a deviation (root mean square of x') of at least
// 0.5 m or 0.5 degrees, and a force that deviates by a twentieth of what has to be held. The window begins
// again with each other set-point and whenever no command acts.

enum { FEEDBACK_WINDOW = 20, FEEDBACK_ROWS = 4 };
enum { FEEDBACK_HORIZONTAL, FEEDBACK_YAW, FEEDBACK_PLANES };

// Mean over a second. [0] horizontal: north and east; [1] yaw: the first component only.
struct feedback_sample {
  double force[FEEDBACK_PLANES][2];    // N, n; N m
  double place[FEEDBACK_PLANES][2];    // m from the initial position; rad, continuous
  double velocity[FEEDBACK_PLANES][2]; // m/s, n; rad/s
};

// 8-byte members only; zero at the start.
struct feedback_monitor {
  struct feedback_sample sum;                     // over the present second
  uint64_t steps;                                 // in it
  struct feedback_sample sample[FEEDBACK_WINDOW]; // a ring
  uint64_t count, next;                           // samples in it; the place of the next one
  uint64_t wrong_sign[FEEDBACK_PLANES];           // seconds in a row
  uint64_t wrong_frame;
  double last_heading_rad, turned_rad; // for a heading without jumps
};

// What a window shows of one plane.
struct feedback_finding {
  double deviation, force;          // root mean square of x', m or rad, and of f', N or N m
  double with_place, with_velocity; // c(f,x), c(f,v)
  double with_acceleration;         // c(f, dv/dt)
  double stiffness[2], damping[2];  // A and B, real and imaginary
  double explained;                 // share of the variance of f that A x' + B v' explains
  double explained_right; // variance explained by a right law with gains of its own in surge and sway
  double apart;           // 1 - |c(v,x)|^2: 0 where x' and v' are parallel
  double direction_rad;   // of the motion, from north
};

// One step: commanded wrench in b, N and N m, and the state. NULL: no command acts, or another set-point
// holds. Returns 1 after the last step of a second with a full window: judge then.
struct feedback_input {
  const double *wrench_b;       // 6
  const double *quaternion_nb;  // 4
  const double *position_n_m;   // 3
  const double *velocity_n_mps; // 3
  double heading_rad, rate_radps;
};
int feedback_step(struct feedback_monitor *monitor, const struct feedback_input *input,
                  uint64_t steps_in_second) NONBLOCKING;

// Raises the notices of the window. A horizontal force that deviates by less than smallest_n (root mean
// square of f') counts as constant.
void feedback_judge(struct feedback_monitor *monitor, uint64_t step, double smallest_n,
                    struct notices *notices) NONBLOCKING;

int feedback_is_valid(const struct feedback_monitor *monitor, struct reason *why); // sagbend/base/base.h

// ------------------------------------------------------------
// The monitor of directions: azimuths that a controller counts in another way than clockwise from the bow.
//
// Twice a second, while no thruster is at its limit, it takes the wrench that the set-points give in still
// water, with the azimuths as they were sent and in each other reading, and the motion of the vessel in its
// own axes. A prime is the deviation from the mean in a window of 20 s, at first of 8; moments and angles
// count at the mean lever of the thrusters. A right law has f = -k x' - d v' with k, d >= 0 on each axis,
// whatever its gains, mean force, set-point and allocation. A reading is suspected where in three windows in
// a row
//   - such a law explains f' of this reading but for half a per cent of its variance, and f' as sent leaves
//     fifty times as much,
//   - f' as sent does work on the motion, sum f'.v' > 0, and in this reading takes it away,
//   - the vessel goes away ever faster: its way in the first half of the window is at most a third.
// The notice comes when the vessel, within a minute, has gone 2 m or turned 5 degrees from where it was then.
// So no law is accused that holds the vessel. A law that goes away on its own account, by a ramp of force or
// a smooth route, has a force that falls behind its way and speed, t before t^3 and t^2: what grows with
// them, as only feedback that drives on does, explains 94 % of it. As the mistake is there from the first
// command, the first two minutes of commands, and of each set-point, are judged.

enum direction_reading {
  DIRECTION_AS_SENT,
  DIRECTION_STARBOARD, // counted from there, clockwise
  DIRECTION_PORT,
  DIRECTION_WASH,
  DIRECTION_MIRRORED, // anticlockwise from the bow
  DIRECTION_MATHEMATICAL,
  DIRECTION_MIRRORED_PORT,
  DIRECTION_MIRRORED_STERN,
  DIRECTION_NORTH, // clockwise from north
  DIRECTION_READINGS
};
const char *direction_reading_text(int reading); // "clockwise from starboard"; "sent" outside the enum

enum { DIRECTION_WINDOW = 40 };

// [0] surge, [1] sway, [2] yaw.
struct direction_sample {
  uint64_t step;
  double place[3], velocity[3];        // m north and east, heading rad; b, m/s, rad/s
  double force[DIRECTION_READINGS][3]; // b, N; the moment over the lever
};

// 8-byte members only; zero at the start.
struct direction_monitor {
  struct direction_sample sample[DIRECTION_WINDOW]; // a ring
  uint64_t count, next;                             // samples in it; the place of the next one
  uint64_t seen, rows;                              // reading of the newest window, windows in a row
  uint64_t since;                                   // 1 + step of the first command; 0: none
  uint64_t suspected, suspected_step;               // the first reading that was; last step at which one was
  uint64_t is_sure;                                 // 1: the vessel has left its place
  double from[3];                                   // place where that began
  double lever_m;                                   // 0: not known yet
};

// One step. stroke: the largest of all thrusters, as a share of its full value.
struct direction_input {
  const struct command_def *def;
  const struct command_latch *latch;
  const struct sim *sim;
  const struct sim_output *now;
  double stroke, step_s;
};

// NULL: no command acts, or another set-point holds. Returns 1 if the notice is due, with its values.
int direction_step(struct direction_monitor *monitor, const struct direction_input *input,
                   double value[4]) NONBLOCKING;

int direction_is_valid(const struct direction_monitor *monitor, uint64_t step,
                       struct reason *why); // sagbend/base/base.h

// ------------------------------------------------------------
// Watches what the commands do to the vessel, and raises the notices of mistakes. A pure function
// of the commands in use and of the states after the steps; it changes nothing, and no state hash contains
// it.
//
// Weak wrench: kN in the place of N. The commanded horizontal force stays below a hundredth of the hold
// wrench for MONITOR_WEAK_S, while the vessel comes to lie MONITOR_LEAVES_M further from its target. Where
// nothing has to be held (an initial holding force below a thousandth of network.wrench_limit) a tenth of
// that limit takes the place of the initial holding force, and five times that distance is asked for. A first
// command of zero is therefore legitimate. Weak thrusters: revolutions per second for revolutions per minute.
// The largest set-point, as a share of its full value, stays below a tenth of the largest that holds the
// vessel, which is a hundredth of its thrust. Azimuth: degrees for radians. An azimuth of more than two full
// turns stays commanded for MONITOR_WEAK_S. Per cent for a share of pitch, and a rudder in degrees, are
// beyond the limits and are refused. Positive feedback and directions: above. Unnamed: a thruster that runs
// has been in none of the commands for MONITOR_UNNAMED_S, while another one was: it keeps the set-point that
// holds the vessel at the start.

static const double MONITOR_WEAK_S = 10, MONITOR_LEAVES_M = 1, MONITOR_UNNAMED_S = 20;

// 8-byte members only; zero at the start.
struct command_monitor {
  uint64_t weak_since;    // 1 + step since which commands are weak; 0: they are not
  double weak_from_m;     // distance from the target at that step
  uint64_t azimuth_since; // 1 + step since which an azimuth is of many turns; 0: none is
  uint64_t consequence_alarm, consequence_alarms; // in the newest command; times that it came
  uint64_t setpoint_order;                        // of the target on which the window of feedback counts
  uint64_t thrusters_since;                       // 1 + step at which commands of thrusters began; 0: none is
  uint64_t thrusters_named;                       // by one of them since then, a bit each
  struct feedback_monitor feedback;
  struct direction_monitor directions;
  struct notices notices;
};

// What the vessel is to hold.
struct monitor_target {
  double position_n_m[2], step_s;
  uint64_t order; // number of the set-point, which only grows
};

// After a step: the latch that it used, and its state.
void command_monitor_step(struct command_monitor *monitor, const struct command_def *def,
                          const struct command_latch *latch, const struct sim *sim,
                          const struct sim_output *now, const struct monitor_target *target) NONBLOCKING;

// Whether a state from a file is possible at this step (sagbend/base/base.h).
int command_monitor_is_valid(const struct command_monitor *monitor, uint64_t step, struct reason *why);
