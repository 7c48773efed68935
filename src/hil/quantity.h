// Output quantities by name: the table of hil/quantities.inc, and the values of a state.
#pragma once

#include "core/base/nonblocking.h"
#include "core/signals/command.h"
#include "core/sim/sim.h"
#include "hil/frame.h"

// Enumerator, object of the summary that contains them ("": the root), whether they need a pipe, whether they
// can be NaN, whether an equilibrium has them, title.
#define QUANTITY_GROUP_TABLE(X)                                                                              \
  X(POSE, "vessel", 0, 0, 1, "Pose of the vessel")                                                           \
  X(MOTION, "vessel", 0, 0, 0, "Motion of the vessel")                                                       \
  X(STATION, "vessel", 0, 0, 0, "Station keeping")                                                           \
  X(CONTROL, "vessel", 0, 0, 0, "Control wrench")                                                            \
  X(PIPE, "pipe", 1, 0, 1, "Pipe")                                                                           \
  X(TOUCHDOWN, "pipe", 1, 1, 1, "Touchdown")                                                                 \
  X(THRUSTERS, "thrusters", 0, 0, 0, "Thrusters and power")                                                  \
  X(WIND, "weather", 0, 0, 0, "Wind")                                                                        \
  X(WAVES, "weather", 0, 0, 0, "Waves")                                                                      \
  X(CURRENT, "weather", 0, 0, 0, "Current")                                                                  \
  X(COMMAND, "commands", 0, 0, 0, "Commands")                                                                \
  X(ENERGY, "energy", 0, 0, 0, "Energy ledger")                                                              \
  X(SOLVER, "", 0, 0, 0, "Solver")                                                                           \
  X(SEABED, "", 1, 0, 0, "Seabed contact")                                                                   \
  X(CLOCK, "timing", 0, 0, 0, "Wall clock")

#define X(id, object, needs_pipe, can_be_nan, at_rest, title) GROUP_##id,
enum quantity_group { QUANTITY_GROUP_TABLE(X) QUANTITY_GROUP_COUNT };
#undef X

struct quantity_group_info {
  const char *object; // of the summary; "": its root
  int needs_pipe;
  int can_be_nan; // without contact with the seabed
  int at_rest;    // part of an equilibrium: 'sagbend statics' prints it
  const char *title;
};
extern const struct quantity_group_info quantity_groups[QUANTITY_GROUP_COUNT];

// Messages and parts of messages that contain quantities, with their paths. Their fields: io/wire.
#define QUANTITY_MESSAGE_TABLE(X)                                                                            \
  X(NONE, "")                                                                                                \
  X(TRUTH, "Truth")                                                                                          \
  X(TRUTH_APPLIED_WRENCH, "Truth.applied_wrench")                                                            \
  X(TRUTH_THRUSTER_WRENCH, "Truth.thruster_wrench")                                                          \
  X(TRUTH_PIPE, "Truth.pipe")                                                                                \
  X(TRUTH_PIPE_TOUCHDOWN, "Truth.pipe.touchdown")                                                            \
  X(TRUTH_WEATHER, "Truth.weather")                                                                          \
  X(SENSORS, "Sensors")                                                                                      \
  X(SENSORS_PIPE, "Sensors.pipe")                                                                            \
  X(SENSORS_PIPE_TOUCHDOWN, "Sensors.pipe.touchdown")                                                        \
  X(LEDGER, "Ledger")                                                                                        \
  X(TIMING, "Timing")

#define X(id, path) MESSAGE_##id,
enum quantity_message { QUANTITY_MESSAGE_TABLE(X) QUANTITY_MESSAGE_COUNT };
#undef X
const char *quantity_message_path(enum quantity_message m); // "Truth.pipe"

#define QUANTITY(id, ...) QUANTITY_##id,
enum quantity {
#include "hil/quantities.inc"
  QUANTITY_COUNT,
  STATE_QUANTITY_COUNT = QUANTITY_MISSES // those before the clock's: for conditions of events
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
int quantity_is_of_clock(enum quantity q);
int quantity_exists(enum quantity q, const struct sim_output *o); // 0: no pipe, thrusters, wind or waves

// What stays the same through a session.
struct loop_target {
  double position_n_m[2], heading_rad; // set-point; without one, the start
  double start_n_m[3], step_s;
  int controller_inside; // it is part of the simulated system: always in command
};

// The state after a step, as events, verdicts and reports see it.
struct loop_view {
  const struct sim_output *truth;
  const struct loop_target *target; // NULL: for quantities of the groups STATION, COMMAND and CLOCK only
  uint64_t command_based_on_step;   // 0: none has come
  enum command_state command_state;
  const struct ledger *ledger;
  const struct timing *timing;
};
struct loop_view loop_view_of(const struct frame *f, const struct loop_target *target);

// NaN: the quantity is undefined at present.
double quantity_value(enum quantity q, const struct loop_view *view) NONBLOCKING; // SI units, radians
double quantity_shown(enum quantity q,
                      const struct loop_view *view) NONBLOCKING; // angles and rates in degrees
