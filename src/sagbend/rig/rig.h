// What position references measure against: targets, structures that carry some of them, and boxes that stand
// in the line of sight. Pure functions of time and of the vessel's pose. World frame n: north, east, down, m.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/dp/dp.h"
#include "sagbend/events/events.h"
#include "sagbend/integrator/integrator.h"
#include "sagbend/math/math.h"
#include "sagbend/power/power.h"
#include "sagbend/signals/signals.h"
#include "sagbend/sim/sim.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_TARGETS = 24, MAX_STRUCTURES = 4, MAX_OBSTRUCTIONS = 16, SCENE_NAME = 24 };

// A platform or another vessel: its place at time 0 moves evenly, and swings about that.
struct structure_def {
  char name[SCENE_NAME];
  double position_n_m[3]; // at time 0
  double heading_rad;
  double velocity_n_mps[2];   // north, east
  double swing_m;             // amplitude
  double swing_period_s;      // > 0 where it swings
  double swing_direction_rad; // clockwise from north; the swing starts at 0 in this direction
};

// A transponder, a reflector or a clump weight.
struct target_def {
  char name[SCENE_NAME];
  char structure_name[SCENE_NAME]; // empty: of the world
  int structure;                   // index; -1: of the world
  double position_m[3];            // n, or in the axes of the structure: forward, starboard, down
};

enum obstruction_on { ON_WORLD, ON_VESSEL, ON_STRUCTURE };

// A box parallel to the axes of what it stands on. It moves evenly from from_s on, as a load in a crane does.
struct obstruction_def {
  char name[SCENE_NAME];
  char on_name[SCENE_NAME]; // "world", "vessel" or a structure
  enum obstruction_on on;
  int structure;
  double box_m[2][3]; // least and largest corner
  double velocity_mps[3];
  double from_s, to_s; // while it stands there; to_s 0: to the end
};

struct scene_def {
  int structure_count, target_count, obstruction_count;
  struct structure_def structure[MAX_STRUCTURES];
  struct target_def target[MAX_TARGETS];
  struct obstruction_def obstruction[MAX_OBSTRUCTIONS];
};

// A set of axes: vectors of it become n by attitude.
struct scene_frame {
  vec3 origin_n;
  mat3 attitude;
};

vec3 scene_target(const struct scene_def *scene, int target, double time_s) NONBLOCKING;

// Whether no box that stands at this time cuts the segment between two points (n). A point inside a box or on
// it is hidden.
int scene_is_in_sight(const struct scene_def *scene, const struct scene_frame *vessel, double time_s,
                      vec3 from_n, vec3 to_n) NONBLOCKING;

// Names to indices: structures of targets, and what obstructions stand on. STATUS_BAD_INPUT: key names the
// item and its member, as in "targets.2.structure".
enum status scene_resolve(struct scene_def *scene, char key[64], struct reason *why);

// ------------------------------------------------------------
// The path of sound in water whose speed changes evenly with depth, c = c0 + g z: a circle about the depth at
// which c would be 0 (Medwin and Clay 1998, section 3.3.4). Closed forms, regular at g = 0 and straight down.

struct sound_profile {
  double speed_mps;    // at the surface
  double gradient_1ps; // growth with depth
};

struct sound_ray {
  vec3 direction_n; // unit vector at the begin, towards the end
  double travel_s;
  double range_m; // travel time times the mean of the two ends' speeds
};

// From one point to another, n, m. The speed must be above 0 at both.
struct sound_ray sound_ray_of(const struct sound_profile *water, vec3 from_n_m, vec3 to_n_m) NONBLOCKING;

// ------------------------------------------------------------
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
  int64_t thruster; // its index, where value is of one; -1: none
};

struct notices {
  struct notice kind[NOTICE_COUNT];
};

// What a person reads: at most 159 characters. name: of the thruster with an index.
void notice_text(int kind, const struct notice *notice, const char *thruster, char *out, size_t size);

// Raises a notice that is not active, with its values; keeps one active that is. Not raised for
// NOTICE_QUIET_S: it is active no more.
void notice_raise(struct notice *notice, uint64_t step, const double value[4], int64_t thruster) NONBLOCKING;
void notice_rest(struct notice *notice, uint64_t quiet_steps) NONBLOCKING;
static const double NOTICE_QUIET_S = 60;

// Whether notices from a file are possible at this step (sagbend/base/base.h).
int notices_are_valid(const struct notices *notices, uint64_t step, struct reason *why);

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
// Active faults. Events of a scenario and orders of an operator begin and end them (sagbend/rig/rig.h);
// instruments, thrusters, power and link look them up. They act on a signal or on a switch of the plant,
// never on the physics.

enum { MAX_FAULTS = 64 + MAX_THRUSTERS, FAULT_PARAMETERS = 2 }; // the latter of the stopped thrusters
enum { LONGEST_DELAY_S = 10 }; // delay of a measurement in addition to its latency

// What a fault acts on.
enum fault_target {
  TARGET_INSTRUMENT, // the signal of an instrument: every measurement, in messages and in NMEA
  TARGET_COMMON,     // a common error of several instruments
  TARGET_SENTENCE,   // the NMEA sentences of an instrument, not the messages
  TARGET_THRUSTER,
  TARGET_BUS,
  TARGET_GENERATOR,
  TARGET_TIE,
  TARGET_MANAGEMENT, // power management
  TARGET_TENSIONER,
  TARGET_PIPE,
  TARGET_COMMAND,   // the commands on their way from the controller
  TARGET_SENSORS,   // the Sensors on their way to the controller
  TARGET_SETPOINT,  // what an operator orders; no fault
  TARGET_CONTROLLER // one of the case's list: what it sends, and what it is sent
};

// Enumerator, name, target, parameters in order (a name with its unit; "" none). "channel" is always the
// second one; a second parameter needs a first.
#define FAULT_TABLE(X)                                                                                       \
  X(FAULT_NO_OUTPUT, "no_output", TARGET_INSTRUMENT, "", "")                                                 \
  X(FAULT_FREEZE, "freeze", TARGET_INSTRUMENT, "", "")                                                       \
  X(FAULT_GARBAGE, "garbage", TARGET_INSTRUMENT, "amplitude", "")                                            \
  X(FAULT_BIAS, "bias", TARGET_INSTRUMENT, "bias", "channel")                                                \
  X(FAULT_DRIFT, "drift", TARGET_INSTRUMENT, "rate_per_s", "channel")                                        \
  X(FAULT_JUMP, "jump", TARGET_INSTRUMENT, "jump", "channel")                                                \
  X(FAULT_NOISE, "noise", TARGET_INSTRUMENT, "growth_per_s", "channel")                                      \
  X(FAULT_OUTLIERS, "outliers", TARGET_INSTRUMENT, "amplitude", "probability")                               \
  X(FAULT_SLOW, "slow", TARGET_INSTRUMENT, "period_s", "")                                                   \
  X(FAULT_DELAY, "delay", TARGET_INSTRUMENT, "delay_s", "")                                                  \
  X(FAULT_INTERMITTENT, "intermittent", TARGET_INSTRUMENT, "probability", "")                                \
  X(FAULT_INVALID, "invalid", TARGET_INSTRUMENT, "", "")                                                     \
  X(FAULT_FLAG_FORCED_VALID, "flag_forced_valid", TARGET_INSTRUMENT, "", "")                                 \
  X(FAULT_CONSTANT, "constant", TARGET_INSTRUMENT, "value", "channel")                                       \
  X(FAULT_LEVER_ARM, "lever_arm", TARGET_INSTRUMENT, "forward_m", "starboard_m")                             \
  X(FAULT_DUPLICATE_OF, "duplicate_of", TARGET_INSTRUMENT, "of_instrument", "")                              \
  X(FAULT_TARGET_MOVED, "target_moved", TARGET_INSTRUMENT, "north_m", "east_m")                              \
  X(FAULT_OBSTRUCTED, "obstructed", TARGET_INSTRUMENT, "", "")                                               \
  X(FAULT_OTHER_TARGET, "wrong_target", TARGET_INSTRUMENT, "", "")                                           \
  X(FAULT_REFLECTION, "reflection", TARGET_INSTRUMENT, "longer_m", "")                                       \
  X(FAULT_NOISE_BURST, "noise_burst", TARGET_INSTRUMENT, "times", "")                                        \
  X(FAULT_CLUMP_DRAGGING, "clump_dragging", TARGET_INSTRUMENT, "share", "")                                  \
  X(FAULT_WIRE_JAMMED, "wire_jammed", TARGET_INSTRUMENT, "", "")                                             \
  X(FAULT_WIRE_SLACK, "wire_slack", TARGET_INSTRUMENT, "longer_m", "")                                       \
  X(FAULT_COMMON_BIAS, "common_bias", TARGET_COMMON, "bias", "channel")                                      \
  X(FAULT_CHECKSUM, "checksum", TARGET_SENTENCE, "", "")                                                     \
  X(FAULT_TALKER, "talker", TARGET_SENTENCE, "", "")                                                         \
  X(FAULT_DUPLICATE_SENTENCE, "duplicate_telegram", TARGET_SENTENCE, "", "")                                 \
  X(FAULT_AGE, "age", TARGET_SENTENCE, "age_s", "")                                                          \
  X(FAULT_STUCK, "stuck", TARGET_THRUSTER, "", "")                                                           \
  X(FAULT_TO_ZERO, "to_zero", TARGET_THRUSTER, "", "")                                                       \
  X(FAULT_TO_FULL, "to_full", TARGET_THRUSTER, "", "")                                                       \
  X(FAULT_ROTATING, "rotating", TARGET_THRUSTER, "rate_radps", "")                                           \
  X(FAULT_FEEDBACK, "feedback", TARGET_THRUSTER, "factor", "")                                               \
  X(FAULT_SWAPPED, "swapped_feedback", TARGET_THRUSTER, "with_thruster", "")                                 \
  X(FAULT_TRIPPED, "tripped", TARGET_THRUSTER, "", "")                                                       \
  X(FAULT_SLUGGISH, "sluggish", TARGET_THRUSTER, "share", "")                                                \
  X(FAULT_LOAD_LIMIT, "load_limit", TARGET_BUS, "share", "")                                                 \
  X(FAULT_BUS_LOST, "bus_lost", TARGET_BUS, "", "")                                                          \
  X(FAULT_BLACKOUT, "blackout", TARGET_BUS, "restart_interval_s", "")                                        \
  X(FAULT_GOVERNOR_HIGH, "governor_high", TARGET_GENERATOR, "", "")                                          \
  X(FAULT_GOVERNOR_LOW, "governor_low", TARGET_GENERATOR, "", "")                                            \
  X(FAULT_GOVERNOR_STUCK, "governor_stuck", TARGET_GENERATOR, "", "")                                        \
  X(FAULT_FIELD_HIGH, "field_high", TARGET_GENERATOR, "", "")                                                \
  X(FAULT_FIELD_LOW, "field_low", TARGET_GENERATOR, "", "")                                                  \
  X(FAULT_TRIP, "trip", TARGET_GENERATOR, "", "")                                                            \
  X(FAULT_FUEL_LOSS, "fuel_loss", TARGET_GENERATOR, "", "")                                                  \
  X(FAULT_START, "start_fails", TARGET_GENERATOR, "", "")                                                    \
  X(FAULT_STATUS_FROZEN, "status_frozen", TARGET_GENERATOR, "", "")                                          \
  X(FAULT_TIE_OPENS, "tie_opens", TARGET_TIE, "", "")                                                        \
  X(FAULT_TIE_STUCK, "tie_stuck", TARGET_TIE, "", "")                                                        \
  X(FAULT_NO_REDUCTION, "no_reduction", TARGET_MANAGEMENT, "", "")                                           \
  X(FAULT_BRAKE, "brake_fails", TARGET_TENSIONER, "share", "")                                               \
  X(FAULT_SLIP, "slip", TARGET_TENSIONER, "share", "")                                                       \
  X(FAULT_RUNAWAY, "runaway", TARGET_TENSIONER, "speed_mps", "")                                             \
  X(FAULT_FLOODING, "flooding", TARGET_PIPE, "fill_s", "from_m")                                             \
  X(FAULT_LOSS, "loss", TARGET_COMMAND, "probability", "")                                                   \
  X(FAULT_JITTER, "jitter", TARGET_COMMAND, "largest_s", "")                                                 \
  X(FAULT_DUPLICATE, "duplicate", TARGET_COMMAND, "probability", "")                                         \
  X(FAULT_REORDER, "reorder", TARGET_COMMAND, "probability", "")                                             \
  X(FAULT_SENSORS_LOSS, "sensors_loss", TARGET_SENSORS, "probability", "")                                   \
  X(FAULT_CLOCK_JUMP, "clock_jump", TARGET_SENSORS, "jump_s", "")                                            \
  X(FAULT_EMERGENCY_STOP, "emergency_stop", TARGET_THRUSTER, "", "")                                         \
  X(FAULT_EMERGENCY_RESET, "emergency_reset", TARGET_THRUSTER, "", "")                                       \
  X(FAULT_SETPOINT_MOVED, "setpoint_moved", TARGET_SETPOINT, "north_m", "east_m")                            \
  X(FAULT_SETPOINT_TURNED, "setpoint_turned", TARGET_SETPOINT, "turn_deg", "about_m")                        \
  X(FAULT_CONTROLLER_SILENT, "controller_silent", TARGET_CONTROLLER, "", "")                                 \
  X(FAULT_CONTROLLER_FROZEN, "controller_frozen", TARGET_CONTROLLER, "", "")                                 \
  X(FAULT_CONTROLLER_WRONG, "controller_wrong", TARGET_CONTROLLER, "factor", "")
#define X(name, text, target, first, second) name,
enum fault_kind { FAULT_TABLE(X) FAULT_COUNT };
#undef X
const char *fault_name(enum fault_kind k);
const char *fault_help(enum fault_kind k); // effect of the fault, a phrase for people
enum fault_target fault_target_of(enum fault_kind k) NONBLOCKING;
// Kinds of instrument that can have a fault, one bit each; all bits where it does not depend on the kind.
unsigned fault_instrument_kinds(enum fault_kind k);
const char *fault_parameter(enum fault_kind k, int which); // name of a parameter; "": none

// Parameters: enumerator, name with its unit, least and largest value, default (NAN: none, the parameter is
// required), meaning. of_instrument and with_thruster are names in a request and indices in struct fault.
#define FAULT_PARAMETER_TABLE(X)                                                                             \
  X(PARAMETER_AMPLITUDE, "amplitude", 0, 1e9, NAN,                                                           \
    "largest deviation of the wrong values, in the channel's unit")                                          \
  X(PARAMETER_BIAS, "bias", -1e9, 1e9, NAN, "bias added to the channel, in its unit")                        \
  X(PARAMETER_CHANNEL, "channel", 0, READING_CHANNELS - 1, 0, "index of the instrument's channel, from 0")   \
  X(PARAMETER_RATE, "rate_per_s", -1e9, 1e9, NAN,                                                            \
    "drift added per second since the fault began, in the channel's unit")                                   \
  X(PARAMETER_JUMP, "jump", -1e9, 1e9, NAN, "jump at the beginning of the fault, in the channel's unit")     \
  X(PARAMETER_GROWTH, "growth_per_s", 0, 1e9, NAN,                                                           \
    "standard deviation of white noise gained per second, in the channel's unit")                            \
  X(PARAMETER_PROBABILITY, "probability", 0, 1, NAN,                                                         \
    "probability that the fault affects a measurement or message")                                           \
  X(PARAMETER_PERIOD, "period_s", 1e-3, 1e6, NAN, "shortest time between measurements")                      \
  X(PARAMETER_DELAY, "delay_s", 0, LONGEST_DELAY_S, NAN, "delay in addition to the instrument's latency")    \
  X(PARAMETER_VALUE, "value", -1e12, 1e12, NAN, "fixed value of the channel, in its unit")                   \
  X(PARAMETER_FORWARD, "forward_m", -1e3, 1e3, NAN, "error of the assumed position, forward")                \
  X(PARAMETER_STARBOARD, "starboard_m", -1e3, 1e3, 0, "error of the assumed position, to starboard")         \
  X(PARAMETER_NORTH, "north_m", -1e4, 1e4, NAN,                                                              \
    "distance to the north by which the target or set-point moves")                                          \
  X(PARAMETER_EAST, "east_m", -1e4, 1e4, 0, "distance to the east by which the target or set-point moves")   \
  X(PARAMETER_LONGER, "longer_m", 0, 1e4, NAN,                                                               \
    "length by which the path of the reflection, or the wire, is longer")                                    \
  X(PARAMETER_TIMES, "times", 1, 1e4, NAN, "factor on the errors of the instrument")                         \
  X(PARAMETER_OF_INSTRUMENT, "of_instrument", 0, MAX_INSTRUMENTS - 1, NAN,                                   \
    "name of the instrument whose values are repeated")                                                      \
  X(PARAMETER_AGE, "age_s", 0, 1e6, NAN, "age added to the time stamp")                                      \
  X(PARAMETER_TURN, "rate_radps", -10, 10, NAN, "rate of turn of the azimuth")                               \
  X(PARAMETER_TURN_DEG, "turn_deg", -180, 180, NAN,                                                          \
    "angle by which the heading of the set-point changes, clockwise, in degrees")                            \
  X(PARAMETER_ABOUT, "about_m", -1e3, 1e3, 0,                                                                \
    "distance forward of the reference point of the point that keeps its place")                             \
  X(PARAMETER_FACTOR, "factor", -10, 10, NAN, "factor on the feedback, or on what the controller commands")  \
  X(PARAMETER_WITH_THRUSTER, "with_thruster", 0, MAX_THRUSTERS - 1, NAN,                                     \
    "name of the thruster whose feedback is shown")                                                          \
  X(PARAMETER_SHARE, "share", 0, 1, NAN, "share that remains")                                               \
  X(PARAMETER_RESTART, "restart_interval_s", 0, 1e4, 0,                                                      \
    "time between the restarts of the buses after the fault")                                                \
  X(PARAMETER_SPEED, "speed_mps", -5, 5, NAN, "speed of the tracks; positive: out")                          \
  X(PARAMETER_FILL, "fill_s", 1, 1e6, NAN, "time in which the water fills the bore")                         \
  X(PARAMETER_FROM, "from_m", 0, 1e6, 0, "arc length from which on the water fills the pipe")                \
  X(PARAMETER_LARGEST, "largest_s", 0, 10, NAN, "largest delay; delays are uniformly distributed")           \
  X(PARAMETER_CLOCK, "jump_s", -1e6, 1e6, NAN, "jump of the sender's clock")
#define X(id, name, low, high, fallback, help) id,
enum fault_parameter_id { FAULT_PARAMETER_TABLE(X) PARAMETER_COUNT };
#undef X
struct fault_parameter_def {
  const char *name;
  double low, high, fallback;
  const char *help;
};
const struct fault_parameter_def *fault_parameter_def(enum fault_parameter_id id);
int fault_parameter_find(const char *name); // enum fault_parameter_id; -1: unknown name

enum fault_kind fault_by_name(const char *name);    // FAULT_COUNT: unknown name
const char *fault_target_name(enum fault_target t); // "instrument", ...

struct fault {
  char name[SIGNAL_NAME]; // of the event or order that began it
  enum fault_kind kind;
  int target;     // index of the instrument, thruster or bus; -1: all
  double since_s; // simulated time at which it began
  double value[FAULT_PARAMETERS];
};

struct fault_set {
  int count;
  struct fault fault[MAX_FAULTS];
};

static inline int fault_hits(const struct fault *f, enum fault_kind kind, int target) {
  return f->kind == kind && (f->target == target || f->target < 0);
}
// The newest active fault of this kind on this target; NULL: none.
static inline const struct fault *fault_find(const struct fault_set *set, enum fault_kind kind, int target) {
  for (int i = set->count - 1; i >= 0; i--)
    if (fault_hits(&set->fault[i], kind, target))
      return &set->fault[i];
  return 0;
}

// ------------------------------------------------------------
// Energy of the link: what sampling, hold, latency and losses between controller and vessel feed into the
// plant.
//
// Each command names the Sensors that it answers. Let tau_k be the wrench that the command asks for which
// answers the Sensors of time t_k, q the vessel's way in b, and tau_law the straight line through the points
// (t_k, tau_k). Three works then add up to the work of the ports control and thrusters
// (sagbend/integrator/integrator.h):
//
//   law      integral of tau_law . dq: what the controller's law does, as if it acted without a link
//   link     sum of tau . dq over the wrench asked for in each step, less law: what the link adds
//   drives   work of the ports less that sum: lags, limits, inflow and failures of the thrusters
//
// A thruster command asks for the thrust of its set-points in still water. A command that is lost is a point
// of the law all the same, so that the link answers for it. What holds the vessel while no controller asks
// for anything is law. Since the newest point the law is taken as constant, until the next one corrects it;
// over a silence longer than the time-out it stays constant.
//
// The damping of the link on an axis is -link / integral of v^2: below 0 the link takes damping away. With
// law tau = -K x, sampled every T, held and delayed by d, the link does pi K A^2 sinc(wT/2) sin(w(d + T/2))
// in a cycle of amplitude A, where sinc(x) = sin(x)/x; its damping is near -K (d + T/2).
//
// A pure function of commands and states, beside the step: it changes nothing, and no state hash contains it.

// Control samples that a command may be late. One that answers older Sensors counts as an answer to the
// oldest.
enum { LINK_SAMPLES = 64 };

enum { LINK_SURGE, LINK_SWAY, LINK_YAW, LINK_AXES };

// Since the start of the run, J; damping in N s/m, of yaw in N m s/rad; 0 while the vessel has not moved.
struct link_work {
  double law_j, link_j, drives_j;
  double damping[LINK_AXES];
};

// Way during one control sample, m and rad in b, and its moment about the beginning of the sample, in steps.
struct link_sample {
  double way_b[6], moment_b[6];
};

// 8-byte members only.
struct link_energy {
  uint64_t step;          // of the state to which it has booked
  uint64_t has_law;       // 1: the law has a point
  uint64_t law_step;      // of the Sensors that its newest point answers, at the begin of a control sample
  double law_b[6];        // wrench of that point, N and N m
  double since_b[6];      // way since it
  double law_j[6];        // work of the law up to it, by component
  double asked_j[6];      // work of the wrench asked for, by component
  double control_error_j; // work of the port control less its part of asked_j
  double drives_j;
  double square_b[LINK_AXES];                    // integral of v^2
  double velocity_b[6];                          // of the state
  struct thruster_setpoint meant[MAX_THRUSTERS]; // set-points after the newest command sent
  struct thruster_setpoint known[MAX_THRUSTERS]; // set-points of known_b
  double known_b[6];                             // thrust of the thrusters in still water
  struct link_sample sample[LINK_SAMPLES];       // of the newest control samples
};

// A state at which nothing is booked.
void link_energy_begin(struct link_energy *e, const struct sim_output *now); // *e: zeros

// Before a step: a command that a controller has sent, whether or not it arrives, and the latch of the step
// before.
void link_energy_send(struct link_energy *e, const struct command_def *def, const struct sim *sim,
                      const struct command_latch *latch, const struct command *sent) NONBLOCKING;

// After a step: the latch that it used, its state and its ledger. sim gives the thrust of set-points.
void link_energy_step(struct link_energy *e, const struct command_def *def, const struct sim *sim,
                      const struct command_latch *latch, const struct sim_output *now,
                      const struct ledger *ledger, double step_s) NONBLOCKING;

struct link_work link_energy_work(const struct link_energy *e) NONBLOCKING;

// The wrench asked for in the step that was booked last: the thrust of the set-points in still water, and the
// commanded wrench, N and N m in b.
void link_energy_asked(const struct link_energy *e, const struct command_def *def,
                       const struct command_latch *latch, double asked_b[6]) NONBLOCKING;

// Whether a state from a file is possible at this step (sagbend/base/base.h).
int link_energy_is_valid(const struct link_energy *e, uint64_t step, struct reason *why);

// ------------------------------------------------------------
// What a changeover between redundant controllers does to the thrust that is asked for: its largest change
// from one step to the next, from the moment that the command is taken from one until another commands, and
// beside it the largest change while one controller commands, which fades with BUMP_FADES_S. Beside the step:
// no state hash contains it. Without a list of controllers all of it stays zero.

static const double BUMP_FADES_S = 60;

struct thrust_step {
  double force_n, moment_nm; // horizontal; in yaw
};

// 8-byte members only; zero at the start.
struct bump {
  uint64_t has_asked, is_open; // asked_b is known; a changeover goes on
  uint64_t count;              // complete changeovers that it has seen
  double asked_b[6];           // in the step before
  struct thrust_step usual;    // while one commands
  struct thrust_step before;   // the same as the newest changeover began
  struct thrust_step newest;   // of the newest changeover, as far as it has come
};

// After each step: the latch that it used, and the wrench that was asked for.
void bump_step(struct bump *bump, const struct command_latch *latch, const double asked_b[6],
               double step_s) NONBLOCKING;
int bump_is_valid(const struct bump *bump, struct reason *why); // sagbend/base/base.h

// What a frame shows of changeovers.
struct changeover_view {
  int listed; // controllers of the case; 0: it lists none, and all below is 0
  uint64_t term, seat, given_to, since, cause, count, late, gap_steps; // as in struct changeover
  struct thrust_step newest, before;                                   // as in struct bump
};

// ------------------------------------------------------------
// Wall-clock time of a step, by stage, so that a late step shows what delayed it. The clock belongs to the
// caller; no state and no result depends on it.

// Enumerator, name and meaning of each stage, in the order of the step. The stages of sim_step follow
// sagbend/base/base.h.
#define STEP_STAGE_TABLE(X)                                                                                  \
  X(STEP_WAKE_UP, "wake_up", "from the due time to the begin: the system")                                   \
  X(STEP_ORDERS, "orders", "operators' orders and the newest command")                                       \
  X(STEP_CONTROLLER, "controller", "the controller inside")                                                  \
  X(STEP_COMMAND, "command", "link, command latch, faults of thrusters and power")                           \
  X(STEP_DISSIPATIVE, "dissipative", "simulator: the dissipative flows")                                     \
  X(STEP_ASSEMBLE, "assemble", "simulator: forces and tangents of the conservative flow")                    \
  X(STEP_SOLVE, "solve", "simulator: the linear systems of Newton's method")                                 \
  X(STEP_SIMULATOR, "simulator", "simulator: the rest, such as the energy ledger")                           \
  X(STEP_INSTRUMENTS, "instruments", "true output, events, instruments, verdicts")                           \
  X(STEP_HAND_OVER, "hand_over", "frame and shape go to the main thread, which is woken")                    \
  X(STEP_CHECKPOINT, "checkpoint", "copy of the state for the checkpoint")                                   \
  X(STEP_LOG, "log", "copies for the log")
#define X(name, text, meaning) name,
enum step_stage { STEP_STAGE_TABLE(X) STEP_STAGE_COUNT };
#undef X

const char *step_stage_name(int stage); // "unknown" outside the enum

struct step_clock {
  uint64_t (*now_ns)(void) NONBLOCKING; // monotonic clock, ns; NULL: nothing is measured
  uint64_t last_ns;                     // begin of the present stage
  uint64_t stage_ns[STEP_STAGE_COUNT];  // of the present step
};

// Begins a step at now_ns, after it was woken up so late.
static inline void step_clock_begin(struct step_clock *clock, uint64_t now_ns, uint64_t wakeup_ns) {
  for (int i = 0; i < STEP_STAGE_COUNT; i++)
    clock->stage_ns[i] = 0;
  clock->stage_ns[STEP_WAKE_UP] = wakeup_ns;
  clock->last_ns = now_ns;
}

// Adds the time since the begin, or since the last call, to a stage.
static inline void step_clock_end(struct step_clock *clock, enum step_stage stage) {
  if (!clock->now_ns)
    return;
  uint64_t now_ns = clock->now_ns();
  clock->stage_ns[stage] += now_ns - clock->last_ns;
  clock->last_ns = now_ns;
}

// A step that was late: it began a period or more after its due time, or ended after its deadline.
struct late_step {
  uint64_t step; // number of steps after it; 0: none was late
  double time_s;
  double late_us;                    // from its deadline to its end
  double stage_us[STEP_STAGE_COUNT]; // time spent in each stage
};

// The stage that took the most time.
enum step_stage late_step_cause(const struct late_step *late);

// ------------------------------------------------------------
// State of a verdict (sagbend/rig/rig.h). Plain data.

enum { MAX_VERDICTS = 32 };

struct verdict {
  uint64_t judged_steps;
  uint64_t outside_since; // 1 + step at which the present time outside began; 0: within
  uint64_t violated_step; // 1 + step at which the first violation was complete; 0: none
  uint64_t first_step;    // at which that time outside began
  uint64_t violations;    // times outside that were longer than the grace
  uint64_t worst_step;
  double worst_value;  // value furthest outside, or closest to a bound; NaN: the quantity had no value
  double worst_margin; // distance to the nearer bound, positive within
  double
      mean; // first-order mean of the quantity, of a verdict that judges it; NaN: the quantity had no value
  uint64_t mean_steps;    // number of steps in the mean
  double sum, square_sum; // of the values judged; NaN: the quantity had no value at one of them
};

// ------------------------------------------------------------
// The frame: what one step of the closed loop leaves behind. Server, log, record and events all read it.
// closed_loop.c fills it; copies pass from the step thread to the thread that owns the sockets. Plain data.

// What the system did to the step thread since its first step, as of some second; and the late steps.
struct real_time {
  uint64_t minor_faults, major_faults; // page faults: from memory, from the disk
  uint64_t waits;                      // sleeps until the next step: it gave the processor up itself
  uint64_t preemptions;                // it had to give the processor up
  uint64_t halts, halted_after;        // halts so far; periods in a row without a step on time at the newest
  struct late_step late, worst; // the newest late step, and the one that ended latest after its deadline
};

// Percentiles so far of a time on the path of a message.
struct latency {
  uint64_t count; // of messages; 0: no percentiles
  double last_us, p50_us, p99_us, p999_us, max_us;
};

// Clocks that the steps of mode realtime can follow (real_time.clock).
#define RIG_CLOCK_WORDS "monotonic", "utc", "tai"
enum rig_clock { RIG_CLOCK_MONOTONIC, RIG_CLOCK_UTC, RIG_CLOCK_TAI };
const char *rig_clock_word(enum rig_clock clock);

// How the steps follow their clock, and what the kernel knows of UTC. Offsets: the clock when a step began,
// less the moment at which it was due; of the monotonic clock: UTC less what that moment would be if UTC had
// not been set since.
struct rig_time {
  uint64_t is_measured; // 0: nothing below is known
  enum rig_clock clock;
  double offset_s, mean_s, worst_s;       // newest; of the last second, the worst by amount
  double session_mean_s, session_worst_s; // since the start of the session
  double behind_s;                        // UTC less what frame.start_utc_ns and time state; 0: no UTC
  uint64_t jumps, jump_periods;           // times that the clock was set; periods lost by them
  double newest_jump_s;
  uint64_t is_known, is_synchronised; // by the kernel
  double estimated_error_s, largest_error_s, frequency_ppm;
  double tai_offset_s; // TAI less UTC; 0: the kernel does not know
};

// Whether the run makes no steps at present: until an operator resumes it.
enum held {
  HELD_NOT,
  HELD_BY_PAUSE, // by an operator
  HELD_BY_HALT   // by itself
};

// Timing of a run against the wall clock. Zero in modes that do not pace their steps, except the step times.
struct timing {
  uint64_t late_steps;       // steps that began late by a period or more, or ended after their deadline
  uint64_t lost_periods;     // periods in which no step ran
  double lag_s;              // wall-clock time minus simulated time since the start: the skipped periods
  double step_us, wakeup_us; // duration and wake-up latency of the last step
  double step_p50_us, step_p99_us, step_p999_us, step_max_us;         // durations, percentiles so far
  double wakeup_p50_us, wakeup_p99_us, wakeup_p999_us, wakeup_max_us; // wake-up latencies, likewise
  struct latency sensors_sent;    // from the end of a step until its Sensors have gone to all controllers
  struct latency command_latched; // from the receipt of a command to the step that uses it
  uint64_t ended_ns;              // when the step ended, on the monotonic clock
  uint64_t dropped_frames;        // frames that found no room on their way from the step thread to the server
  struct real_time real_time;     // zero in modes that do not pace their steps
  double rate;                    // simulated seconds in one second of the wall clock; 0: not paced
  enum held hold;
  uint64_t holds;                    // pauses and halts so far
  double stage_us[STEP_STAGE_COUNT]; // of the newest step whose times are complete; zero: not measured
  struct rig_time clock;
};

struct track_def;

// An event of the configuration that moves the set-point: counted above the numbers of orders.
#define SETPOINT_EVENT ((uint64_t)1 << 32)

// What the vessel must hold, and where it started.
struct loop_target {
  double position_n_m[2], heading_rad; // set-point; without one, the start
  double start_n_m[3], step_s;
  const struct track_def *track; // the route that the vessel must follow; NULL: none
  uint64_t order;                // number of the operator's order that set it, plus SETPOINT_EVENT for each
                                 // event that has moved it: it only grows; 0: as configured
  int controller_inside;         // 1: the controller is part of the simulated system and always in command
  int controller_outside;        // link_work of the frame counts
  struct track_orders track_orders; // of operators for the route
  uint64_t track_order;             // number of the newest of them; 0: none
};

// What a step leaves behind, except the pipe's nodes. Large members that are often empty stand last, so that
// a copy can omit them.
struct frame {
  struct sim_output output; // true state after the step
  struct ledger ledger;     // energy balance
  enum command_state command_state;
  uint64_t command_sequence;      // sequence number of the command in use
  uint64_t command_based_on_step; // step of the Sensors that this command answers
  double commanded_b[6];          // wrench of this command as sent, b, N and N m; with thrusters: beside them
  int commanded_thrusters;        // thrusters that this command names
  struct consequence_report consequence; // of the newest command
  uint64_t consequence_alarms;           // times that its alarm has come
  struct notices notices;                // mistakes of the controller
  struct changeover_view changeover;
  struct link_work link_work;            // zero unless the configuration's controller is outside
  uint64_t faults_started, faults_ended; // counts since the start
  int orders_active;                     // active faults that an operator ordered
  uint64_t last_order;                   // number of the operator's newest order in effect
  uint64_t orders_refused;               // orders refused because too many faults were active
  uint32_t verdicts_violated;            // verdicts violated so far, one bit each
  int sensors_lost;                      // nonzero: the Sensors of this step do not reach the controllers
  double clock_offset_s;                 // added to the time in Sensors
  uint64_t start_utc_ns;                 // UTC of simulated time 0, since 1970; 0: none. No state
  struct loop_target target;
  struct timing timing;
  struct readings readings; // of the instruments; instrument_count 0: Sensors carry the exact output
  struct verdict verdict[MAX_VERDICTS]; // so far, those of the configuration
  struct fault_set faults;              // active faults
  struct dp_alarm_state alarms;         // of the controller
};

// Faults and alarms beyond their counts are not copied.
void frame_copy(const struct frame *from, struct frame *to) NONBLOCKING;

// ------------------------------------------------------------
// Watches what the commands do to the vessel, and raises the notices of mistakes (rig.h). A pure function
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
// beyond the limits and are refused. Positive feedback: rig.h.

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

// ------------------------------------------------------------
// An error that several instruments of a kind have in common, as receivers have that of the ionosphere: one
// Gauss-Markov process that each of them adds to its own errors at the time of its measurement.

enum { MAX_COMMON_ERRORS = 4, COMMON_NAMES = 256 };

struct common_error_def {
  char name[SIGNAL_NAME];
  char instruments[COMMON_NAMES]; // names, separated by blanks
  char quantity[SIGNAL_NAME];
  double markov, markov_time_s; // as of an instrument's error; angles in degrees in a configuration
  uint32_t members;             // bits of the instruments
  unsigned channels;            // of the quantity
};

struct common_error_state {
  struct random_stream noise;
  double value[READING_CHANNELS], time_s; // of the process, at the time of its last measurement
};

void common_error_start(const struct common_error_def *def, uint64_t seed, struct common_error_state *state);

// Adds the error, with the fault common_bias on it, to the channels of a member at this time.
void common_error_add(const struct common_error_def *def, struct common_error_state *state,
                      const struct fault *bias, double time_s, double value[READING_CHANNELS]) NONBLOCKING;

int common_error_state_is_valid(const struct common_error_state *state, double now_s, struct reason *why);

// ------------------------------------------------------------
// Position references that measure against a target: hydroacoustics, taut wire, laser, radar, Artemis. What
// each sees of its target, and how its raw angles and ranges become the channels of its readings. Room
// core/references has the geometry. docs/references.md

enum { MAX_REFERENCE_TARGETS = 4, REFERENCE_NAMES = 104 };

struct reference_def {
  char targets[REFERENCE_NAMES]; // names, separated by blanks: its own, then others that it may take for it;
                                 // of an lbl its three
  int target[MAX_REFERENCE_TARGETS], target_count;
  double gate_m; // of those that scan: distance within which it takes another target for a lost one; 0: never
  struct sound_profile water;
  struct {
    double diameter_m, drag; // of the wire in a current, by the Morison law
    double weight_npm;       // in water
    double tension_n;        // tension that the winch keeps
    double clump_n;          // weight of the clump in water
    double friction;         // between clump and seabed
  } wire;
};

struct reference_state {
  double clump_m[2];  // by which the weight has been dragged, north and east
  double held_m;      // length at which the winch stands; 0: it keeps its tension
  double seen_n_m[3]; // where it saw its target last
  uint64_t tracked;   // number of that target, from 0
};

// Whether a kind measures against targets.
int reference_is(enum instrument kind) NONBLOCKING;
// Whether a kind looks for its target, and may take another one for it.
int reference_scans(enum instrument kind) NONBLOCKING;
// Whether its errors are not those of its channels, which follow from other quantities: those by sound.
int reference_is_derived(enum instrument kind) NONBLOCKING;

// A look at the target, between truth and reading.
struct reference_look {
  const struct scene_def *scene;
  const struct sim *sim; // NULL: water at rest
  const struct sim_output *truth;
  const struct fault_set *faults;
  int instrument;
  struct scene_frame vessel;
  vec3 sensor_n;

  vec3 direction_l; // to the transponder, level axes with the bow
  vec3 transponder_n[3];
  double sigma_rad, sigma_m; // of its errors, for its own accuracy
  double travel_s;           // of the sound
};

// Fills the raw measurement without errors: a hydroacoustic system's two angles across the direction (0) and
// its range, an lbl's three ranges, the channels of the others. 0: there is nothing to measure.
int reference_measure(const struct reference_def *def, enum instrument kind, struct reference_state *state,
                      struct reference_look *look, double raw[READING_CHANNELS]) NONBLOCKING;

// Makes the channels of the reading from the raw measurement with its errors. 0: there is no solution.
int reference_report(enum instrument kind, const struct reference_look *look,
                     double value[READING_CHANNELS]) NONBLOCKING;

int reference_state_is_valid(const struct reference_def *def, const struct reference_state *state,
                             struct reason *why);

// Finds the targets by their names. what: the key's last part where the error is.
enum status reference_resolve(struct reference_def *def, enum instrument kind, const struct scene_def *scene,
                              const char **what, struct reason *why);

// ------------------------------------------------------------
// The instruments of the vessel: what each measures of the true state, its errors, and the latency of its
// measurements. A pure function of true state, own state and active faults; the state is plain bytes.
// docs/instruments.md

enum { MAX_ERRORS = 3 };

// A quantity that an instrument measures (sagbend/signals/instruments.inc).
struct instrument_quantity {
  enum instrument kind;
  const char *name;
  unsigned channels;
};
// The i-th of a kind; NULL beyond the last.
const struct instrument_quantity *instrument_quantity(enum instrument kind, int i) NONBLOCKING;
const struct instrument_quantity *instrument_quantity_named(enum instrument kind,
                                                            const char *name); // NULL: none
int instrument_quantity_in_degrees(const struct instrument_quantity *q);       // in configurations

// Errors of one quantity, independent for each of its channels. SI units, radians; 0: no such error.
struct instrument_error {
  char quantity[SIGNAL_NAME];
  unsigned channels;    // of that quantity
  double white;         // standard deviation, drawn for each measurement
  double markov;        // of a Gauss-Markov process: its standard deviation
  double markov_time_s; // and its time constant: correlation exp(-t / time)
  double walk;          // of a random walk that starts at 0: standard deviation after 1 s
  double bias;          // bias that is equal in every run
  double bias_random;   // standard deviation of the one drawn when the instrument is switched on
  double scale;         // the value grows by this share
  double quantum;       // resolution: values are rounded to multiples of it
  double range;         // magnitude beyond which the value is cut off and the measurement invalid
};

struct instrument_def {
  char name[SIGNAL_NAME];
  enum instrument kind;
  double position_b_m[3]; // of the antenna or sensor
  double rate_hz;         // of its measurements; at most one in each step
  double latency_s;       // from measuring to reading, at the first step that is not earlier
  double share;           // share of the tension that a load cell measures
  struct instrument_error error[MAX_ERRORS];
  int error_count;
  struct reference_def reference; // of a position reference that is no receiver
};

struct instruments_def {
  int count;
  uint64_t seed; // of all instruments; each has a random stream of its own, by its name
  struct instrument_def instrument[MAX_INSTRUMENTS];
  struct scene_def scene; // targets and obstructions of the references
  int common_count;
  struct common_error_def common[MAX_COMMON_ERRORS];
};

// A measurement in transit.
struct measurement {
  uint64_t measured_step, due_step, valid;
  double value[READING_CHANNELS];
};

struct instrument_state {
  struct random_stream noise, faults; // two streams: a fault does not change the noise after it
  double bias[READING_CHANNELS], markov[READING_CHANNELS], walk[READING_CHANNELS];
  struct measurement sent;           // the last one sent
  uint64_t sent_count;               // 0: none yet
  uint64_t queue_first, queue_count; // place of its measurements in the queue
  struct reading latest;
};

// Fixed when the suite is created.
struct instrument_plan {
  uint64_t period_steps; // 0: the period is not a whole number of steps; phase_step counts instead
  uint64_t phase_step;   // share of a period that a step is, in units of 2^-64
  uint64_t latency_steps, capacity;
  size_t queue;  // first place of this instrument in the queue of all
  int reference; // place of this instrument among the references
  struct {
    double decay, kick,
        walk; // between measurements: markov = decay markov + kick normal; walk += walk normal
  } process[MAX_ERRORS];
};

struct instruments {
  const struct instruments_def *def;
  double step_s;
  double level_m; // depth of the reference point at the start, where heave is zero
  struct instrument_plan plan[MAX_INSTRUMENTS];
  struct instrument_state *state; // one for each, then the queues: state_bytes, without pointers
  struct measurement *queue;
  struct reference_state *reference; // of each reference, in the order of the instruments
  struct common_error_state *common; // of each common error
  size_t state_bytes;
};

// Number of measurements due up to this step, the first at step 0. The k-th is made at the step nearest to
// k / rate_hz, counted in integers from the start, so that rounding does not accumulate. A period within a
// thousandth of a step of a whole number of steps is that number.
uint64_t instrument_measurements_by(const struct instrument_plan *plan, uint64_t step);

// True if the rate gives at most one measurement in each step, which is the limit.
int instrument_rate_fits(double rate_hz, double step_s);

size_t instruments_memsize(const struct instruments_def *def, double step_s);
// Creates the instruments in mem (8-byte aligned) and draws their switch-on biases. def must outlive them.
void instruments_create(struct instruments *all, const struct instruments_def *def, double step_s,
                        const struct sim_output *start, void *mem);

// Makes the measurements that are due at truth->step and writes those that have arrived to out, whose other
// members do not change. sim: for the water and air around the sensors; NULL: both at rest. Does nothing
// while the simulator has latched a fault.
void instruments_measure(struct instruments *all, const struct sim *sim, const struct sim_output *truth,
                         const struct fault_set *faults, struct readings *out) NONBLOCKING;
// Writes the readings in the state to out, after a restore.
void instruments_get_readings(const struct instruments *all, struct readings *out);

// True if bytes from a file (8-byte aligned, all->state_bytes) are a possible state of these instruments at
// this step (sagbend/base/base.h).
int instruments_state_is_valid(const struct instruments *all, const void *state, uint64_t step,
                               struct reason *why);

// What references and common errors refer to by name becomes indices. STATUS_BAD_INPUT: key names the item
// and its member, as in "instruments.3.targets".
enum status instruments_resolve(struct instruments_def *all, char key[64], struct reason *why);

// ------------------------------------------------------------
// The sensor suite: all instruments of the vessel. Its state is one block of plain bytes, which checkpoints
// save and restore.

struct sensor_suite_def {
  struct instruments_def instruments;
};

struct sensor_suite {
  struct instruments instruments;
  void *state;
  size_t state_bytes;
};

size_t sensor_suite_memsize(const struct sensor_suite_def *def, double step_s);
// Creates the suite in mem (8-byte aligned), beside a simulator at its first step. def must outlive the
// suite.
void sensor_suite_create(struct sensor_suite *suite, const struct sensor_suite_def *def, double step_s,
                         const struct sim *sim, void *mem);

// Measures the state and writes the readings that are due. Called after each step, and once before the first.
// faults: the active faults; NULL: none.
void sensor_suite_measure(struct sensor_suite *suite, const struct sim *sim, const struct sim_output *truth,
                          const struct fault_set *faults, struct readings *readings) NONBLOCKING;
// True if bytes from a file (8-byte aligned, suite->state_bytes) are a possible state of this suite at this
// step (sagbend/base/base.h).
int sensor_suite_is_valid(const struct sensor_suite *suite, const void *state, uint64_t step,
                          struct reason *why);

// Writes the newest readings in the state, after it has been restored.
void sensor_suite_get_readings(const struct sensor_suite *suite, struct readings *readings);

// A random stream of the suite, for the session's record.
struct sensor_suite_stream {
  const char *name;
  uint64_t seed;
};
// The i-th stream; 0: there is none.
int sensor_suite_stream(const struct sensor_suite_def *def, int i, struct sensor_suite_stream *out);

// ------------------------------------------------------------
// The link between controller and vessel, with its faults: loss, jitter, duplicates and reordering of
// commands, loss of Sensors, a clock that jumps. The session's log contains the commands as sent; the link
// acts after that, with a random stream of its own, so that a session can be replayed. Plain data, no clock,
// no allocation.
//
// loss: the command does not arrive. jitter: it arrives later by up to largest_s, in whole steps. duplicate:
// it arrives again, one step after the next command. reorder: it arrives only then. The vessel uses a command
// as it arrives, whatever its sequence number, as thruster drives do.

enum { LINK_QUEUE = 32 };

struct link_counts {
  uint64_t lost, delayed, duplicated, reordered,
      sensors_lost; // commands that found no room in the queue count as lost
};

struct link_item {
  uint64_t due_step; // UINT64_MAX: one step after the next command, which is not known yet
  struct command command;
};

struct link {
  struct random_stream random;
  struct link_counts counts;
  uint64_t count; // commands in transit, in the order of sending
  struct link_item queue[LINK_QUEUE];
};

void link_begin(struct link *l, uint64_t seed); // *l: zeros

// Puts in what the controller has sent since the last step (NULL: nothing), and writes the newest command
// that arrives for this step to *delivered. 0: none arrives.
int link_transfer(struct link *l, const struct fault_set *faults, uint64_t step, double step_s,
                  const struct command *sent, struct command *delivered) NONBLOCKING;

// Draws whether the Sensors that are due are lost on their way to the controllers. Called once for each.
int link_loses_sensors(struct link *l, const struct fault_set *faults) NONBLOCKING;

// Error of the time in Sensors, in s.
double link_clock_offset_s(const struct fault_set *faults) NONBLOCKING;

// ------------------------------------------------------------
// Names of instruments, thrusters and buses, and faults requested by name: by a configuration or by an
// operator, checked in the same way.

struct hil_names {
  int instrument_count, thruster_count, bus_count, generator_count, tie_count;
  char instrument[MAX_INSTRUMENTS][SIGNAL_NAME], thruster[MAX_THRUSTERS][SIGNAL_NAME],
      bus[MAX_BUSES][SIGNAL_NAME], generator[MAX_GENERATORS][SIGNAL_NAME], tie[MAX_TIES][SIGNAL_NAME];
  enum instrument instrument_kind[MAX_INSTRUMENTS];
  double full_rpm[MAX_THRUSTERS]; // full revolutions of each thruster
  enum thruster_kind thruster_kind[MAX_THRUSTERS];
  int has_tensioner;   // nonzero: one that follows orders
  int has_power_plant; // nonzero: sets or batteries
  int common_count;    // errors that several instruments have in common
  char common[MAX_COMMON_ERRORS][SIGNAL_NAME];
  unsigned common_channels[MAX_COMMON_ERRORS];
  int other_targets[MAX_INSTRUMENTS]; // targets that a reference may take for its own
  int controller_count;               // that the case lists
  char controller[MAX_CONTROLLERS][SIGNAL_NAME];
  int has_fixed_setpoint; // nonzero: the set-point is part of the model
  int has_bore;           // nonzero: a pipe that water can fill
};

struct fault_parameter_given {
  char name[SIGNAL_NAME];
  int is_text;
  double number;
  char text[SIGNAL_NAME];
};

struct fault_request {
  char kind[SIGNAL_NAME];
  char target[SIGNAL_NAME]; // a name or "all"; empty where the kind has only one target
  int parameter_count;
  struct fault_parameter_given parameter[FAULT_PARAMETERS + 1]; // room for one too many
};

// Where the error in a request is: in a part of it, or in the parameter of this index (from 0).
enum { FAULT_WRONG_PARAMETER = 0, FAULT_WRONG_KIND = -1, FAULT_WRONG_TARGET = -2, FAULT_MISSING = -3 };

// Checks a request and makes its fault. On failure *where is the place of the error, and why states what was
// expected and what was found.
enum status fault_from_request(const struct hil_names *names, const struct fault_request *request,
                               struct fault *out, int *where, struct reason *why);

// True if a fault from a file could have been requested (sagbend/base/base.h).
int fault_is_valid(const struct hil_names *names, const struct fault *f, struct reason *why);

// The request that makes this fault.
void fault_to_request(const struct hil_names *names, const struct fault *f, struct fault_request *out);

// The sources of alarms, from 0: names of instruments, of thrusters, of buses, then the words. NULL: no more.
const char *dp_alarm_source_at(const struct hil_names *names, int index);
int dp_alarm_source_index(const struct hil_names *names, const char *source); // -1: it is none

// Whether a word can be the source of an alarm: a name of the vessel's equipment, or a word of
// dp_alarm_source_word.
int dp_alarm_source_is_known(const struct hil_names *names, const char *source);

// Whether each alarm names equipment of the vessel, or one of the words (sagbend/signals/signals.h).
enum status dp_alarm_sources_check(const struct hil_names *names, const struct dp_alarm_list *alarms,
                                   struct reason *why);

// Target of a fault, for people: "gyro-2", "all thrusters", "commands".
struct fault_text {
  char text[64];
};
struct fault_text fault_target_text(const struct hil_names *names, const struct fault *f);

// ------------------------------------------------------------
// Faults of thrusters, of their power supply and of the tensioner: they alter the set-points and switches of
// a step, and the feedback in Sensors. The physics is in sagbend/vessel/vessel.h and sagbend/lay/lay.h.

// Buses that are still dead after a blackout: they return one after the other when it ends.
struct restart {
  uint64_t back_step[MAX_BUSES]; // the bus is dead before this step
};

// Updates the restart of the buses after a step, with the faults that are active from now on.
void restart_update(struct restart *r, const struct fault_set *faults, int bus_count, uint64_t step,
                    double step_s) NONBLOCKING;

// Applies the faults to the input of a step. setpoint: as commanded, altered here by to_zero, to_full and
// rotating. time_s: at the start of the step.
void plant_apply_faults(const struct fault_set *faults, const struct restart *r,
                        const struct hil_names *names, uint64_t step, double time_s,
                        struct thruster_setpoint setpoint[MAX_THRUSTERS],
                        struct sim_input *input) NONBLOCKING;

// Writes the feedback of thrusters and buses in this true state to the readings.
void plant_feedback(const struct fault_set *faults, const struct hil_names *names,
                    const struct sim_output *truth, struct readings *told) NONBLOCKING;

// ------------------------------------------------------------
// How simulated time relates to the wall clock.

enum run_mode {
  RUN_REALTIME, // one simulated second takes one second of the wall clock
  RUN_LOCKSTEP, // each control period waits for the controller's answer to its sensors
  RUN_FAST      // as fast as the processor steps, with the controller inside the program or none
};

// ------------------------------------------------------------
// An operator's order: what it may be (ORDER_TABLE), how it is checked and how it reads. The same struct is
// asked for, sent, checked, taken by the loop, logged and replayed.

// What an order carries: identifier, how it is carried, what is checked of it, members of struct order that
// contain it. Each name stands for functions, without which a row does not compile: of the first text_NAME
// (orders.c), fill_NAME and read_NAME (net/messages/orders.c) and words_NAME
// (sagbend/engine/order_words.c); of the second check_NAME and check_session_NAME (orders.c).
#define PAYLOAD_TABLE(X)                                                                                     \
  X(NOTHING, nothing, nothing)                                                                               \
  X(NAME, name, name)         /* name */                                                                     \
  X(SNAPSHOT, name, snapshot) /* name: that of a snapshot, a part of a file name */                          \
  X(RATE, rate, rate)         /* rate */                                                                     \
  X(SETPOINT, setpoint, setpoint)                                                                            \
  X(TENSIONER, tensioner, tensioner)                                                                         \
  X(TRACK, track, track)                                                                                     \
  X(THRUSTER, name, thruster) /* name: of a thruster; fault: its emergency stop */                           \
  X(FAULT, fault, fault)      /* name, duration_s, request, fault */                                         \
  X(TEXT, text, text)         /* text; the order is an event of its own name */                              \
  X(LIST, list, nothing)      /* manager.first */                                                            \
  X(FILE, file, file)         /* manager.name */                                                             \
  X(PIECE, piece, file)       /* manager */

#define PAYLOAD_ROW(ID, carried, checked) PAYLOAD_##ID,
enum order_payload { PAYLOAD_TABLE(PAYLOAD_ROW) };
#undef PAYLOAD_ROW

// What an order acts on. The first three are logged with the step from which on they act, and replayed.
enum order_effect {
  EFFECT_LOOP,   // the steps
  EFFECT_RUN,    // when steps are made, and of which session
  EFFECT_GATE,   // changes the controller whose commands are accepted
  EFFECT_ASK,    // nothing: a question
  EFFECT_MANAGER // a session manager, to which alone it is sent
};

// What an operator may order. One row is all that codec, log, replay, server and `sagbend ctl` need to know
// of an order. Help and man page list the rows in this order, that of use.
//
//   X(id, word, number, payload, effect, present, arguments, help)
//
// number: of its field in the message Order; a new order takes the next free one. effect: what it acts on,
// with what does it, without which the row does not compile: LOOP, a function of closed_loop.c; RUN, a row of
// run/host/run_orders.c; GATE and ASK, functions of net/server/server_orders.c; MANAGER, one of
// run/serve/manager.c. present: ALWAYS; IF with the function of sagbend/engine/engine.c that checks what
// depends on orders before it; AT_GATE with the one of server_orders.c that checks what depends on who is
// connected. arguments: behind the word, as `sagbend ctl` reads them. help: a sentence without its full stop.
#define ORDER_TABLE(X)                                                                                       \
  X(STATUS, "status", 14, NOTHING, ASK(answer_status), ALWAYS, "", "Print the state of the session")         \
  X(FAULT, "fault", 3, FAULT, LOOP(begin_fault), IF(check_fault),                                            \
    "KIND [--target NAME|all] [--for S] [--name NAME] [--PARAMETER VALUE ...]", "Begin a fault")             \
  X(CLEAR, "clear", 4, NAME, LOOP(clear_faults), IF(check_clear), "NAME|all",                                \
    "End a fault, or by the name overrun a halt")                                                            \
  X(LIST, "list", 5, NOTHING, ASK(answer_faults), ALWAYS, "", "List the active faults")                      \
  X(SETPOINT, "set-point", 10, SETPOINT, LOOP(take_setpoint), ALWAYS,                                        \
    "[--north M] [--east M] [--heading-deg DEG] [--far]",                                                    \
    "Set the target that the controller holds; what is not given keeps its value. --far: also "              \
    "beyond the outer watch circle around the present target")                                               \
  X(PAUSE, "pause", 7, NOTHING, RUN(PAUSE), IF(check_hold), "", "Stop the steps; simulated time stands")     \
  X(RESUME, "resume", 8, NOTHING, RUN(RESUME), IF(check_hold), "", "Continue after a pause or a halt")       \
  X(RATE, "rate", 13, RATE, RUN(RATE), ALWAYS, "RATE",                                                       \
    "Set the pace of mode realtime: simulated seconds in one second, 0.05 to 20")                            \
  X(MARK, "mark", 18, TEXT, RUN(MARK), ALWAYS, "TEXT",                                                       \
    "Leave a note of 1 to 160 characters: an event, in the log too")                                         \
  X(STOP, "stop", 6, NOTHING, RUN(STOP), ALWAYS, "", "End the session properly")                             \
  X(TAKE_OVER, "take-over", 15, NAME, GATE(take_over), AT_GATE(check_take_over), "NAME|NUMBER",              \
    "Give the command to a connected controller at once")                                                    \
  X(EMERGENCY_STOP, "emergency-stop", 19, THRUSTER, LOOP(stop_thruster), IF(check_stop), "THRUSTER",         \
    "Stop a thruster at once, whatever it does; clear THRUSTER resets it")                                   \
  X(TENSIONER, "tensioner", 16, TENSIONER, LOOP(take_tensioner), ALWAYS,                                     \
    "brake|tension N|speed MPS|release",                                                                     \
    "Order the tensioner to hold the pipe, a tension in N or a speed in m/s; controllers' orders "           \
    "are not followed until release")                                                                        \
  X(TRACK, "track", 17, TRACK, LOOP(take_track), ALWAYS, "stop|go|speed MPS",                                \
    "Order a controller that follows a route to come to rest on it, to go on, or another speed in "          \
    "m/s")                                                                                                   \
  X(SNAPSHOT, "snapshot", 11, SNAPSHOT, RUN(SNAPSHOT), ALWAYS, "NAME", "Save the state under a name")        \
  X(RESTORE, "restore", 12, SNAPSHOT, RUN(RESTORE), ALWAYS, "NAME",                                          \
    "Begin a new session at the state of a snapshot")                                                        \
  X(RESET, "reset", 9, NOTHING, RUN(RESET), ALWAYS, "", "Begin a new session at the initial state")          \
  X(CASES, "cases", 20, LIST, MANAGER(list_cases), ALWAYS, "",                                               \
    "Session manager: list the cases, with the first error of each")                                         \
  X(LOAD, "load", 21, FILE, MANAGER(load), ALWAYS, "NAME", "Session manager: choose a case")                 \
  X(START, "start", 22, NOTHING, MANAGER(start), ALWAYS, "", "Session manager: start a session of the case") \
  X(LOGS, "logs", 23, LIST, MANAGER(list_logs), ALWAYS, "",                                                  \
    "Session manager: list the logs, the newest first")                                                      \
  X(FETCH, "fetch", 24, PIECE, MANAGER(fetch_log), ALWAYS, "LOG FILE",                                       \
    "Session manager: copy a log into a file; a transfer that broke off is continued")

#define ORDER_ROW(ID, word, number, ...) ORDER_##ID = (number),
enum order_kind { ORDER_NONE, ORDER_TABLE(ORDER_ROW) }; // numbered as the fields of the message Order
#undef ORDER_ROW

struct order_row {
  enum order_kind kind;
  const char *word;
  enum order_payload payload;
  enum order_effect effect;
  const char *arguments, *help;
};
extern const struct order_row ORDER_ROWS[];
extern const int ORDER_ROW_COUNT;
const struct order_row *order_row(enum order_kind kind); // NULL: a kind outside of the table
const struct order_row *order_called(const char *word);  // NULL: there is none
const char *order_word(enum order_kind kind);            // "" for a kind outside of the table
enum order_payload order_payload(enum order_kind kind);  // PAYLOAD_NOTHING for a kind outside of the table
int order_is_of_session(enum order_kind kind);           // 1: logged and replayed
int order_is_question(enum order_kind kind);             // 1: to be asked any number of times

// The name by which a CLEAR ends every ordered fault.
#define ALL_FAULTS "all"

enum {
  ORDER_OPERATOR = 64, // bytes of the name of an operator, with its final zero
  ORDER_FILE = 128,    // of the name of a case or of a log
  ORDER_TEXT = 161,    // of the text of a note
  ORDER_SAID = 192     // of what order_text writes
};

// Largest values of a set-point that an order gives.
#define MAX_SETPOINT_M   1e6
#define MAX_SETPOINT_RAD 7.0

struct order_setpoint { // what is not given keeps its value
  int given[3];
  double value[3]; // north, east in m, heading in rad
  int is_far;      // nonzero: it may be further from the present target than the outer watch circle
};

struct manager_order {
  char name[ORDER_FILE]; // of a case or a log
  uint32_t first;        // of the entries of a list that are asked for, from 0
  uint64_t offset;       // of the piece of the log: its bytes, or
  uint32_t size;
  int digest; // nonzero: their digest
};

struct order {
  uint64_t number; // counts a session's orders, from 1; 0: not accepted, or a question
  enum order_kind kind;
  char operator_name[ORDER_OPERATOR]; // "": unknown
  char name[SIGNAL_NAME]; // of the fault that it begins, or of the faults that it clears; of the snapshot; of
                          // the controller that takes over, or its number
  double duration_s;      // of the fault; 0: until cleared
  struct fault_request request;        // as the operator gave it
  struct fault fault;                  // what order_find_fault makes of it; its name and since_s are not used
  struct order_setpoint setpoint;      // at least one of the three is given
  double rate;                         // simulated seconds in one second of the wall clock
  struct tensioner_setpoint tensioner; // not given: it releases the tensioner
  struct track_order track;
  char text[ORDER_TEXT]; // a note
  struct manager_order manager;
};

const char *order_giver(const struct order *order); // name of the operator, for people

// Checks what an order carries by itself, whatever the session: its name, ranges. STATUS_BAD_INPUT names the
// part at fault.
enum status order_check_values(const struct order *order, struct reason *why);

// Makes the fault of a request, and the request complete; of an emergency stop both. Nothing for other
// orders. STATUS_BAD_INPUT: the session has no such fault or target.
enum status order_find_fault(struct order *order, const struct hil_names *names, struct reason *why);

// What orders of a session must meet.
struct order_rules {
  const struct hil_names *names;
  enum run_mode mode;
  int is_setpoint_fixed;   // nonzero: the set-point is part of the model
  int may_follow_route;    // nonzero: the controller follows a route, or it is not known whether it does
  uint64_t setpoint_order; // number of the set-point that has ended the route; 0: none has
  double target_n_m[2];    // present target
  double outer_circle_m;   // from there, beyond which a set-point must be marked as far; 0: none
  double track_speed_max_mps;
  struct tensioner_rule tensioner;
};

// Checks a numbered order whose values are checked, finds its fault, and names a fault without a name.
// STATUS_BAD_INPUT: why no session with these rules accepts it. What depends on orders before it (faults with
// names, pauses, controllers) is not checked.
enum status order_check(struct order *order, const struct order_rules *rules, struct reason *why);

// What was ordered, for people. names: NULL: the fault of a request is not found yet.
void order_text(const struct order *order, const struct hil_names *names, char out[ORDER_SAID]);

// ------------------------------------------------------------
// Output quantities by name: the table of sagbend/rig/quantities.inc, and the values of a state.

// Groups decide where a quantity appears and when it exists.
enum quantity_group {
  GROUP_POSE,
  GROUP_MOTION,
  GROUP_STATION,
  GROUP_ROUTE,
  GROUP_CONTROL,
  GROUP_PIPE,
  GROUP_TOUCHDOWN,
  GROUP_CODE_CHECK,
  GROUP_TENSIONER,
  GROUP_ORDERED_TENSIONER,
  GROUP_OPERATIONS,
  GROUP_RETIRING,
  GROUP_STINGER,
  GROUP_SOIL,
  GROUP_FATIGUE,
  GROUP_THRUSTERS,
  GROUP_POWER_PLANT,
  GROUP_WIND,
  GROUP_WAVES,
  GROUP_CURRENT,
  GROUP_COMMAND,
  GROUP_CHANGEOVER,
  GROUP_CONSEQUENCE,
  GROUP_ENERGY,
  GROUP_LINK,
  GROUP_SOLVER,
  GROUP_SEABED,
  GROUP_CLOCK,
  QUANTITY_GROUP_COUNT
};

struct quantity_group_info {
  const char *title;
  const char *object; // of the summary that contains the group; "": its root
  int needs_pipe;
  int needs_code_check;
  const char *undefined; // the condition under which it is NaN, for people; NULL: it never is
  int at_rest;           // part of an equilibrium: 'sagbend statics' prints it
};
extern const struct quantity_group_info quantity_groups[QUANTITY_GROUP_COUNT];

// Messages, and parts of messages, that contain quantities. net/messages/wire_check.c knows their types.
enum quantity_message {
  MESSAGE_NONE,
  MESSAGE_TRUTH,
  MESSAGE_TRUTH_APPLIED_WRENCH,
  MESSAGE_TRUTH_THRUSTER_WRENCH,
  MESSAGE_TRUTH_PIPE,
  MESSAGE_TRUTH_PIPE_TOUCHDOWN,
  MESSAGE_TRUTH_CHECK_GOVERNING,
  MESSAGE_TRUTH_CHECK_LOAD_CONTROLLED,
  MESSAGE_TRUTH_CHECK_DISPLACEMENT_CONTROLLED,
  MESSAGE_TRUTH_CHECK_STRAIN,
  MESSAGE_TRUTH_CHECK_STRESS,
  MESSAGE_TRUTH_CHECK_COLLAPSE,
  MESSAGE_TRUTH_CHECK_YIELD,
  MESSAGE_TRUTH_CHECK_BURST,
  MESSAGE_TRUTH_CHECK_PROPAGATION,
  MESSAGE_TRUTH_CHECK,
  MESSAGE_TRUTH_STINGER,
  MESSAGE_TRUTH_SOIL,
  MESSAGE_TRUTH_FATIGUE,
  MESSAGE_TRUTH_WEATHER,
  MESSAGE_TRUTH_CURRENT,
  MESSAGE_TRUTH_POWER_PLANT,
  MESSAGE_TRUTH_ROUTE,
  MESSAGE_SENSORS,
  MESSAGE_SENSORS_PIPE,
  MESSAGE_SENSORS_PIPE_TOUCHDOWN,
  MESSAGE_LEDGER,
  MESSAGE_LEDGER_LINK,
  MESSAGE_TIMING,
  QUANTITY_MESSAGE_COUNT
};
const char *quantity_message_path(enum quantity_message m); // "Truth.pipe"; "" for MESSAGE_NONE

#define QUANTITY(id, ...) QUANTITY_##id,
enum quantity {
#include "sagbend/rig/quantities.inc"
  QUANTITY_COUNT,
  STATE_QUANTITY_COUNT = QUANTITY_LATE_STEPS // those before the clock's: for conditions of events
};

// Where people read or write a quantity, angles and rates are in degrees: in JSON, in configurations and on
// the command line. The shown name and unit are those in degrees. Everywhere else values are in SI units and
// radians.
struct quantity_info {
  const char *name, *unit; // SI; unit "": a count or a ratio
  const char *shown_name, *shown_unit;
  enum quantity_group group;
  enum quantity_message message;
  const char *field; // of the message
  const char *meaning;
};
extern const struct quantity_info quantity_table[QUANTITY_COUNT];

const char *quantity_shown_name(int q); // "unknown" outside the table
int quantity_needs_pipe(enum quantity q);
int quantity_needs_code_check(enum quantity q);
int quantity_is_of_clock(enum quantity q);
// The state after a step, as events, verdicts and reports see it.
struct loop_view {
  const struct sim_output *truth;
  const struct loop_target *target; // NULL: not for quantities of the groups STATION, COMMAND and CLOCK
  uint64_t command_based_on_step;   // 0: none has come
  enum command_state command_state;
  const struct consequence_report *consequence; // NULL: none
  uint64_t consequence_alarms;
  const struct dp_alarm_state *alarms;      // NULL: none
  const struct changeover_view *changeover; // NULL: none
  const struct ledger *ledger;
  const struct link_work *link_work;
  const struct timing *timing;
};
// 0: no pipe, code check, pay-out, tensioner, thrusters, wind, waves or route.
int quantity_exists(enum quantity q, const struct loop_view *view);
// Way of the vessel's point along the route; NaN without a route.
double loop_route_way(const struct loop_view *view) NONBLOCKING;
struct loop_view loop_view_of(const struct frame *f, const struct loop_target *target);

// NaN: the quantity is undefined at present.
double quantity_value(enum quantity q, const struct loop_view *view) NONBLOCKING; // SI units, radians
double quantity_shown(enum quantity q,
                      const struct loop_view *view) NONBLOCKING; // angles and rates in degrees

// ------------------------------------------------------------
// Events of a scenario and orders of an operator: they begin and end faults. A pure function of the steps,
// the true state and the orders, so that a session can be replayed. No clock, no I/O, no allocation; the
// state is plain data.

enum { MAX_EVENTS = 48, MAX_ORDERS = 16 }; // MAX_ORDERS: ordered faults active at a time
_Static_assert(MAX_EVENTS + MAX_ORDERS + MAX_THRUSTERS == MAX_FAULTS, "and each thruster stopped");

// What began a fault that no event began.
enum { MADE_BY_ORDER = -1, MADE_BY_STOP = -2 };

struct condition {
  enum quantity quantity;
  int above; // 1: above the bound, 0: below it
  double bound;
  double for_s; // the condition must hold this long without interruption
};

// An event begins once: at_s after the start of the session, or after the beginning of another event; with a
// condition, as soon after that as the condition holds.
struct event_def {
  char name[SIGNAL_NAME];
  double at_s;
  int after; // index of the other event; -1: none
  int has_condition;
  struct condition when;
  double duration_s;  // 0: to the end
  struct fault fault; // its name and since_s are not used
};

struct event_state {
  uint64_t begun, over; // flags
  uint64_t begun_step;
  uint64_t condition_since; // 1 + the step since which the condition has held; 0: it does not hold
};

struct events {
  uint64_t started, ended; // faults so far
  uint64_t last_order;     // number of the newest order
  uint64_t orders_refused; // because MAX_ORDERS were active
  struct event_state event[MAX_EVENTS];
  struct fault_set faults;       // active faults, the newest last
  uint64_t end_step[MAX_FAULTS]; // at which each of them ends; UINT64_MAX: none
  int64_t made_by[MAX_FAULTS];   // index of the event that began it, or MADE_BY_
};

// Ends and begins the faults that are due at this state. Called after each step, and once before the first.
// The faults then active act on the readings of this state and on the next step.
void events_update(struct events *s, const struct event_def *defs, int count,
                   const struct loop_view *view) NONBLOCKING;

// What an order begins and ends before the step that begins at this state. 0: refused, because MAX_ORDERS
// ordered faults are active; the refusal is counted.
int events_begin_ordered(struct events *s, const struct order *order, uint64_t step,
                         double step_s) NONBLOCKING;
void events_stop_ordered(struct events *s, const struct order *order, uint64_t step,
                         double step_s) NONBLOCKING;
void events_clear(struct events *s, const struct order *order) NONBLOCKING;

// The emergency stops of a command, before the step that uses it. Each is an active fault of the kind
// emergency_stop with the name of its thruster, until an order clears it; a thruster that is stopped already
// stays as it is.
void events_stop_thrusters(struct events *s, const struct thruster_stops *stops,
                           const struct hil_names *names, uint64_t step, double step_s) NONBLOCKING;

int events_active_orders(const struct events *s) NONBLOCKING;

// ------------------------------------------------------------
// Verdicts: conditions that must hold in a scenario, judged in every step. A pure function of the states;
// plain data.

// Alarms of a controller of which a verdict speaks; messages are none.
enum { MAX_ALARM_SOURCES = 8 };
struct alarm_filter {
  int is_used;      // 0: the verdict is of its quantity
  int source_count; // 0: of any source
  char source[MAX_ALARM_SOURCES][SIGNAL_NAME];
  uint32_t kinds;  // one bit for each enum dp_alarm_kind; 0: of any kind
  double within_s; // from the same time as from_s: until when the alarm must come; 0: none may be active
};

struct verdict_def {
  char name[SIGNAL_NAME];
  enum quantity quantity;
  double low, high; // bounds of the quantity; infinite: none on that side
  double from_s,
      to_s;  // judged in this time, both included; to_s 0: to the end. Counted from after, if there is one
  int after; // index of the event from whose beginning the times count; -1: the start of the session
  double mean_s;       // judges a first-order mean of the quantity with this time constant; 0: the quantity
  double grace_s;      // a shorter time outside the bounds is no violation
  int expect_violated; // nonzero: the verdict passes if it is violated
  struct alarm_filter alarm;
};

// Distance to the nearer bound, positive within; minus infinity where the quantity has no value.
double verdict_margin(const struct verdict_def *def, double value) NONBLOCKING;

void verdict_judge(struct verdict *v, const struct verdict_def *def, const struct events *events,
                   const struct loop_view *view) NONBLOCKING;

// Judges a verdict on a clock quantity once more after the last step: the end of that step may have been
// late, which no later state contains.
void verdict_judge_end(struct verdict *v, const struct verdict_def *def, const struct events *events,
                       const struct loop_view *view);

// Result so far. Not judged: its time or event has not come, which is a failure at the end of a run.
enum verdict_result { VERDICT_PASSED, VERDICT_FAILED, VERDICT_NOT_JUDGED };
enum verdict_result verdict_result(const struct verdict *v, const struct verdict_def *def);

// ------------------------------------------------------------
// A scenario: events, orders, link and verdicts as one state, beside the simulator's.

struct scenario_def {
  double step_s;
  uint64_t seed;
  int event_count, verdict_count;
  struct event_def event[MAX_EVENTS];
  struct verdict_def verdict[MAX_VERDICTS];
  struct hil_names names;
  struct track_def track; // of the DP file, for quantities of the group ROUTE
  int controller_inside;  // nonzero: the controller runs inside the program
  int controller_outside; // nonzero: it is outside, or in fast mode takes the place of one outside
  struct controllers_def controllers;
};

// Plain data: saved, restored and compared as bytes.
struct scenario {
  struct events events;
  struct link link;
  struct restart restart;
  struct verdict verdict[MAX_VERDICTS];
  uint64_t sensors_lost; // nonzero: the Sensors of this state do not reach the controllers
};

void scenario_begin(struct scenario *s, const struct scenario_def *def); // *s: zeros

// True if a state from a file is possible with this definition at this step (sagbend/base/base.h).
int scenario_is_valid(const struct scenario_def *def, const struct command_def *command,
                      const struct scenario *s, uint64_t step, struct reason *why);

// Begins and ends faults. Called after each step, and once before the first, before the readings are made:
// the faults then active act on the readings of this state.
void scenario_update(struct scenario *s, const struct scenario_def *def,
                     const struct loop_view *view) NONBLOCKING;
// Judges the verdicts, after the readings. sends: Sensors are due at this state.
void scenario_judge(struct scenario *s, const struct scenario_def *def, const struct loop_view *view,
                    int sends) NONBLOCKING;

// Judges verdicts on clock quantities once more, with the lateness of the last step.
void scenario_judge_end(struct scenario *s, const struct scenario_def *def, const struct loop_view *view);

uint32_t scenario_violated(const struct scenario *s,
                           const struct scenario_def *def) NONBLOCKING; // one bit each, so far

// ------------------------------------------------------------
// The closed loop: controller, command gate, faults, simulator and instruments, advanced one step at a time.
// Every mode of a run, a replay and the tests call closed_loop_step. No I/O, no allocation; a clock only if
// the caller provides one, to measure stages.

// State of the closed loop beside those of the simulator and of the instruments. Plain data.
struct closed_loop_state {
  struct command_latch latch;
  struct dp_state dp;                       // of the controller inside
  uint64_t inside_accepted, inside_refused; // commands of the controller inside
  struct scenario scenario;
  uint64_t setpoint_order;          // number of the order that set the target; 0: as configured
  double setpoint[3];               // of that order: north, east in m, heading in rad; 0: as configured
  struct tensioner_input tensioner; // orders for the next step; its failures are not used
  struct track_orders track_orders; // of operators for the route
  uint64_t track_order;             // number of the newest of them; 0: none
  uint64_t silences;                // times that the tensioner braked because its controller was silent
  struct command_monitor monitor;
  struct link_energy link_energy;
  struct bump bump;
  struct dp_alarm_state alarms;
};

// Definitions against which a closed_loop_state from a file is checked.
struct closed_loop_rules {
  const struct command_def *command;
  const struct dp_def *dp; // of the controller inside; NULL: none
  const struct scenario_def *scenario;
};

struct closed_loop {
  struct sim *sim;
  struct sensor_suite *suite;
  struct command_def command_def;
  const struct dp_def *inside; // sampled controller inside; NULL: commands come from outside or not at all
  const struct scenario_def *scenario_def;
  struct loop_target target;
  double configured[3]; // target without an order: north, east in m, heading in rad
  struct dp_state dp;
  struct dp_work *work; // of the controller inside
  struct command_latch latch;
  struct scenario scenario;
  struct command_monitor monitor;
  struct link_energy link_energy;           // zero unless the configuration's controller is outside
  struct bump bump;                         // zero unless the case lists controllers
  struct dp_alarm_list brought;             // alarms that come with the command for the next step
  struct dp_alarm_state alarms;             // of the newest command, whatever the link does with it
  struct tensioner_input tensioner;         // for the next step
  int has_sent;                             // nonzero: the last step received a command, which is in sent
  struct command sent;                      // as the controller sent it, before the faults of the link
  uint64_t inside_accepted, inside_refused; // commands of the controller inside; refused: over wrench_limit
  uint64_t silences;       // times that the tensioner braked because its controller was silent
  struct step_clock clock; // the caller's; without one nothing is measured
  struct frame frame;      // after the last step; the caller writes its timing
};

// Sets up the loop around a simulator and a sensor suite at the same step, and measures the initial state.
// sim, suite, inside and scenario must outlive the loop.
// setpoint: north and east in m, heading in rad; NULL: the initial pose is the target. work: scratch of the
// controller inside, which belongs to the caller; NULL without one.
void closed_loop_init(struct closed_loop *loop, struct sim *sim, struct sensor_suite *suite,
                      const struct command_def *def, const struct dp_def *inside, struct dp_work *work,
                      const struct scenario_def *scenario, const double setpoint[3]);
// The same in memory of zeros, of which it touches what is not zero.
void closed_loop_begin(struct closed_loop *loop, struct sim *sim, struct sensor_suite *suite,
                       const struct command_def *def, const struct dp_def *inside, struct dp_work *work,
                       const struct scenario_def *scenario, const double setpoint[3]);

// True if controllers receive the Sensors of the present state: the step is a multiple of the control period,
// and no fault of the link loses them.
int closed_loop_sends_sensors(const struct closed_loop *loop);

// Applies an operator's order before a step; it is in effect from that step on. Orders that concern the run
// and not the loop (pause, rate, stop and others) are counted only.
void closed_loop_apply_order(struct closed_loop *loop, const struct order *order) NONBLOCKING;

// Copies to a frame what orders have changed since the last step: faults, counts of orders, target.
void closed_loop_show_orders(const struct closed_loop *loop, struct frame *out) NONBLOCKING;
void closed_loop_copy_orders(const struct frame *from, struct frame *out) NONBLOCKING; // the same, of a frame

// The alarms that come with the command of the next step; without this call it brings none. A controller
// inside brings its own.
void closed_loop_bring_alarms(struct closed_loop *loop, const struct dp_alarm_list *alarms) NONBLOCKING;

// Advances one step with the newest command that has arrived since the last call; NULL: none has.
// With a controller inside, newest is ignored. A simulator that has latched a fault does not advance.
void closed_loop_step(struct closed_loop *loop, const struct command *newest) NONBLOCKING;

// Judges the verdicts on clock quantities once more after the last step, whose final timing the caller has
// written to the frame.
void closed_loop_judge_end(struct closed_loop *loop);

// Checkpoints: the state of the loop. The states of simulator and sensor suite are saved beside it
// (sagbend/engine/engine.h). Resume after restoring those two: the next step gives the same bits as in the
// saved session.
void closed_loop_save(const struct closed_loop *loop, struct closed_loop_state *out) NONBLOCKING;
void closed_loop_resume(struct closed_loop *loop, const struct closed_loop_state *from);
struct closed_loop_rules closed_loop_rules(const struct closed_loop *loop);

// ------------------------------------------------------------
// What the sockets deny to those who connect, beside refused messages (sagbend/rig/rig.h), and the counters.

struct security_counts {
  int keys_required;
  uint64_t connections; // to the command socket, open now
  uint64_t admitted;    // handshakes with an admitted key, of both sockets
  uint64_t denied[DENIAL_COUNT];
  uint64_t unreported; // denials without an event of their own: there were too many
  uint64_t take_overs; // ordered by operators
};

// ------------------------------------------------------------
// Input of a sampled controller (sagbend/dp/dp.h): the same numbers as in the message Sensors, so that a
// controller inside and one behind the protocol compute the same bits.

// Exact values, for a vessel without instruments. Readings are empty.
void dp_sensors_of_output(const struct sim_output *output, struct dp_sensors *out);

// What the frame's Sensors contain. With instruments the exact values, other than step, time and applied
// wrench, are zero.
void dp_sensors_of_frame(const struct frame *frame, struct dp_sensors *out) NONBLOCKING;

// ------------------------------------------------------------
// What the vessel is to hold at a state, and where it is on its route. Offsets count from it.

// The point of the vessel that follows the route (route.point_b_m).
struct on_route {
  double way_m;    // distance along the route to its nearest point; NaN without a route
  double cross_m;  // distance from the route, positive to starboard of it; NaN without a route
  double length_m; // of the whole route; 0 without one
};
// track NULL: there is no route.
struct on_route loop_on_route(const struct track_def *track, const struct sim_output *truth) NONBLOCKING;

// Horizontal pose of the vessel's reference point.
struct held_pose {
  double position_n_m[2], heading_rad;
};
// With the vessel's point on the nearest point of the route, not before its begin nor behind its end. The
// reference that the controller moves along the route is its own. track NULL: zero.
struct held_pose loop_route_pose(const struct track_def *track, const struct sim_output *truth) NONBLOCKING;
// On a route that pose, until an operator's set-point ends the route; otherwise the set-point; without one,
// the start.
struct held_pose loop_held_pose(const struct loop_target *target, const struct sim_output *truth) NONBLOCKING;
int loop_is_on_route(const struct loop_target *target) NONBLOCKING; // such a pose is held

// ------------------------------------------------------------
// Output of the pipe's nodes: the table of sagbend/rig/node_columns.inc, and the values of a node.

enum {
  NODE_COLUMN_COUNT = 0
#define NODE_COLUMN(name, unit, in_csv, value, meaning) +1
#include "sagbend/rig/node_columns.inc"
};

struct node_column {
  const char *name, *unit; // SI; unit "": a component of a unit quaternion
  int in_csv;              // 0: in the message Nodes only
  const char *meaning;
};
extern const struct node_column node_columns[NODE_COLUMN_COUNT];

void node_values(const struct sim_node *node, double values[NODE_COLUMN_COUNT]);

// ------------------------------------------------------------
// Reasons for which a message, a sentence or a request is refused, and their counters.

// Transmission groups of a ship's network (IEC 61162-450): the n-th, from 0, has the address 239.192.0.(n +
// 1) and the port 60001 + n.
#define NETWORK_GROUP_TABLE(X)                                                                               \
  X(MISC)                                                                                                    \
  X(TGTD)                                                                                                    \
  X(SATD)                                                                                                    \
  X(NAVD)                                                                                                    \
  X(VDRD)                                                                                                    \
  X(RCOM)                                                                                                    \
  X(TIME)                                                                                                    \
  X(PROP)                                                                                                    \
  X(USR1)                                                                                                    \
  X(USR2)                                                                                                    \
  X(USR3)                                                                                                    \
  X(USR4)                                                                                                    \
  X(USR5)                                                                                                    \
  X(USR6)                                                                                                    \
  X(USR7)                                                                                                    \
  X(USR8)                                                                                                    \
  X(BAM1)                                                                                                    \
  X(BAM2)                                                                                                    \
  X(CAM1)                                                                                                    \
  X(CAM2)
#define X(name) NETWORK_##name,
enum network_group { NETWORK_GROUP_TABLE(X) NETWORK_GROUP_COUNT };
#undef X
const char *network_group_name(int group); // "MISC"; NULL outside the enum

// Counters of the field buses.
struct field_bus_counts {
  uint64_t modbus_connections; // open now
  uint64_t modbus_requests;    // answered, exceptions included
  uint64_t modbus_exceptions;  // requests answered with an exception
  uint64_t modbus_cut_off;     // connections that the simulator closed or did not admit
  uint64_t nmea_received;      // sentences, or what stands in their place
  uint64_t nmea_at_gate;       // sentences of a command that the gate refused
  // Of groups on the network (net/groups): lines with a number, and what the numbers say of the way.
  uint64_t nmea_lines, nmea_lines_lost, nmea_lines_doubled, nmea_lines_late;
  uint64_t nmea_passed_over;           // sentences and datagrams in a group that are no commands
  uint64_t nmea_incomplete;            // sentences that belong together, of which not all came
  uint64_t nmea_own;                   // datagrams of the simulator itself
  double nmea_age_s, nmea_age_worst_s; // of the newest line that says its time, and of the oldest
};

struct command_counts {
  uint64_t accepted;
  uint64_t refused[REFUSAL_COUNT];
  uint64_t displaced;  // idle controllers that made room for new ones
  uint64_t changes;    // of command: a controller came into command
  uint64_t from_buses; // of those accepted
  uint64_t shadows;    // of controllers that stand by
  uint64_t claims;     // of those refused: a controller that stands by commands although it knows
  uint64_t late;       // of those refused: based on Sensors from before a changeover
  uint64_t cut;        // commands that the fault controller_silent has kept away
  struct field_bus_counts buses;
};
uint64_t refused_in_all(const struct command_counts *counts);
uint64_t refused_sentences(const struct command_counts *counts); // of NMEA, those at the gate included
