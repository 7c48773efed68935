// The frame that each step of the closed loop leaves behind, its output quantities by name, and what the
// vessel is to hold.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/dp/dp.h"
#include "sagbend/faults/faults.h"
#include "sagbend/integrator/integrator.h"
#include "sagbend/link/link.h"
#include "sagbend/monitor/monitor.h"
#include "sagbend/signals/signals.h"
#include "sagbend/sim/sim.h"

#include <stddef.h>
#include <stdint.h>

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
// State of a verdict (sagbend/loop/loop.h). Plain data.

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
  // By which the first step is due later than the session has recorded, by UTC (nmea.start_utc: now);
  // negative: UTC was set back since. 0: at the recorded moment, or none is recorded.
  double start_late_s;
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
  struct link_work link_work;               // zero unless the configuration's controller is outside
  uint64_t faults_started, faults_ended;    // counts since the start
  int orders_active;                        // active faults that an operator ordered
  uint64_t last_order;                      // number of the operator's newest order in effect
  uint64_t orders_refused;                  // orders refused because too many faults were active
  uint64_t inside_accepted, inside_refused; // commands of a controller inside, since the start
  struct reason inside_why;                 // why the newest of them was refused; empty: none was
  uint32_t verdicts_violated;               // verdicts violated so far, one bit each
  int sensors_lost;                         // nonzero: the Sensors of this step do not reach the controllers
  double clock_offset_s;                    // added to the time in Sensors
  uint64_t start_utc_ns;                    // UTC of simulated time 0, since 1970; 0: none. No state
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

// Messages, and parts of messages, that contain quantities. net/messages/quantities.c knows their types.
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
// Input of a sampled controller (sagbend/dp/dp.h): the same numbers as in the message Sensors, so that a
// controller inside and one behind the protocol compute the same bits.

// Exact values, for a vessel without instruments. Readings are empty.
void dp_sensors_of_output(const struct sim_output *output, struct dp_sensors *out);

// What the frame's Sensors contain. With instruments the exact values, other than step, time and applied
// wrench, are zero.
void dp_sensors_of_frame(const struct frame *frame, struct dp_sensors *out) NONBLOCKING;

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
