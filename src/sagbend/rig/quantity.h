// Output quantities by name: the table of sagbend/rig/quantities.inc, and the values of a state.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/signals/signals.h"
#include "sagbend/sim/sim.h"
#include "sagbend/rig/frame.h"

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

// Messages, and parts of messages, that contain quantities. net/messages/codec_quantities.c knows their types.
enum quantity_message {
  MESSAGE_NONE,
  MESSAGE_TRUTH,
  MESSAGE_TRUTH_APPLIED_WRENCH,
  MESSAGE_TRUTH_THRUSTER_WRENCH,
  MESSAGE_TRUTH_PIPE,
  MESSAGE_TRUTH_PIPE_TOUCHDOWN,
  MESSAGE_TRUTH_CHECK_GOVERNING,
  MESSAGE_TRUTH_CHECK_LCC,
  MESSAGE_TRUTH_CHECK_DCC,
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
  const struct dp_alarm_state *alarms; // NULL: none
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
