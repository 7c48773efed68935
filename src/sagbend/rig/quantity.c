// Values of the output quantities. The list is sagbend/rig/quantities.inc.
#include "sagbend/rig/rig.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double DEG = 180 / TRIG_PI;

const struct quantity_group_info quantity_groups[QUANTITY_GROUP_COUNT] = {
    [GROUP_POSE] = {.title = "Pose of the vessel", .object = "vessel", .at_rest = 1},
    [GROUP_MOTION] = {.title = "Motion of the vessel", .object = "vessel"},
    [GROUP_STATION] = {.title = "Station keeping", .object = "vessel"},
    [GROUP_ROUTE] = {.title = "Route", .object = "vessel", .undefined = "without a route in the DP file"},
    [GROUP_CONTROL] = {.title = "Control wrench", .object = "vessel"},
    [GROUP_PIPE] = {.title = "Pipe", .object = "pipe", .needs_pipe = 1, .at_rest = 1},
    [GROUP_TOUCHDOWN] = {.title = "Touchdown",
                         .object = "pipe",
                         .needs_pipe = 1,
                         .undefined = "without contact with the seabed",
                         .at_rest = 1},
    [GROUP_CODE_CHECK] = {.title = "Code check",
                          .object = "pipe",
                          .needs_pipe = 1,
                          .needs_code_check = 1,
                          .undefined = "where a check does not apply ([code-check.md](code-check.md))",
                          .at_rest = 1},
    [GROUP_TENSIONER] = {.title = "Tensioner", .object = "pipe"},
    [GROUP_ORDERED_TENSIONER] = {.title = "Tensioner with orders", .object = "pipe"},
    [GROUP_OPERATIONS] = {.title = "Operations", .object = "pipe"},
    [GROUP_RETIRING] = {.title = "Laid pipe that has retired", .object = "pipe"},
    [GROUP_STINGER] = {.title = "Stinger", .object = "stinger", .at_rest = 1},
    [GROUP_SOIL] = {.title = "Soil", .object = "soil", .at_rest = 1},
    [GROUP_FATIGUE] = {.title = "Fatigue", .object = "fatigue"},
    [GROUP_THRUSTERS] = {.title = "Thrusters and power", .object = "thrusters"},
    [GROUP_POWER_PLANT] = {.title = "Power plant", .object = "power_plant"},
    [GROUP_WIND] = {.title = "Wind", .object = "weather"},
    [GROUP_WAVES] = {.title = "Waves", .object = "weather"},
    [GROUP_CURRENT] = {.title = "Current", .object = "weather"},
    [GROUP_COMMAND] = {.title = "Commands", .object = "commands"},
    [GROUP_CHANGEOVER] = {.title = "Changeovers", .object = "changeovers"},
    [GROUP_CONSEQUENCE] = {.title = "Consequence analysis",
                           .object = "consequence",
                           .undefined =
                               "while the controller makes no consequence analysis or cannot say yet"},
    [GROUP_ENERGY] = {.title = "Energy ledger", .object = "energy"},
    [GROUP_LINK] = {.title = "Energy of the link", .object = "link_energy"},
    [GROUP_SOLVER] = {.title = "Solver", .object = ""},
    [GROUP_SEABED] = {.title = "Seabed contact", .object = "", .needs_pipe = 1},
    [GROUP_CLOCK] = {.title = "Wall clock", .object = "timing"},
};

const struct quantity_info quantity_table[QUANTITY_COUNT] = {
#define QUANTITY(id, name, unit, group, message, field, value, meaning)                                      \
  {name, unit, name, unit, GROUP_##group, MESSAGE_##message, #field, meaning},
#define ANGLE(id, name, degrees, unit, group, message, field, value, meaning)                                \
  {name,   unit,   degrees, sizeof unit == sizeof "rad" ? "deg" : "deg/s", GROUP_##group, MESSAGE_##message, \
   #field, meaning},
#include "sagbend/rig/quantities.inc"
};

const char *quantity_message_path(enum quantity_message m) {
  static const char *const paths[QUANTITY_MESSAGE_COUNT] = {
      [MESSAGE_NONE] = "",
      [MESSAGE_TRUTH] = "Truth",
      [MESSAGE_TRUTH_APPLIED_WRENCH] = "Truth.applied_wrench",
      [MESSAGE_TRUTH_THRUSTER_WRENCH] = "Truth.thruster_wrench",
      [MESSAGE_TRUTH_PIPE] = "Truth.pipe",
      [MESSAGE_TRUTH_PIPE_TOUCHDOWN] = "Truth.pipe.touchdown",
      [MESSAGE_TRUTH_CHECK_GOVERNING] = "Truth.pipe.code_check.governing",
      [MESSAGE_TRUTH_CHECK_LOAD_CONTROLLED] = "Truth.pipe.code_check.load_controlled",
      [MESSAGE_TRUTH_CHECK_DISPLACEMENT_CONTROLLED] = "Truth.pipe.code_check.displacement_controlled",
      [MESSAGE_TRUTH_CHECK_STRAIN] = "Truth.pipe.code_check.strain",
      [MESSAGE_TRUTH_CHECK_STRESS] = "Truth.pipe.code_check.stress",
      [MESSAGE_TRUTH_CHECK_COLLAPSE] = "Truth.pipe.code_check.collapse",
      [MESSAGE_TRUTH_CHECK_YIELD] = "Truth.pipe.code_check.yield",
      [MESSAGE_TRUTH_CHECK_BURST] = "Truth.pipe.code_check.burst",
      [MESSAGE_TRUTH_CHECK_PROPAGATION] = "Truth.pipe.code_check.propagation",
      [MESSAGE_TRUTH_CHECK] = "Truth.pipe.code_check",
      [MESSAGE_TRUTH_STINGER] = "Truth.pipe.stinger",
      [MESSAGE_TRUTH_SOIL] = "Truth.pipe.soil",
      [MESSAGE_TRUTH_FATIGUE] = "Truth.pipe.fatigue",
      [MESSAGE_TRUTH_WEATHER] = "Truth.weather",
      [MESSAGE_TRUTH_CURRENT] = "Truth.current",
      [MESSAGE_TRUTH_POWER_PLANT] = "Truth.power_plant",
      [MESSAGE_TRUTH_ROUTE] = "Truth.route",
      [MESSAGE_SENSORS] = "Sensors",
      [MESSAGE_SENSORS_PIPE] = "Sensors.pipe",
      [MESSAGE_SENSORS_PIPE_TOUCHDOWN] = "Sensors.pipe.touchdown",
      [MESSAGE_LEDGER] = "Ledger",
      [MESSAGE_LEDGER_LINK] = "Ledger.link",
      [MESSAGE_TIMING] = "Timing",
  };
  return (unsigned)m < QUANTITY_MESSAGE_COUNT ? paths[m] : "";
}

const char *quantity_shown_name(int q) {
  return (unsigned)q < QUANTITY_COUNT ? quantity_table[q].shown_name : "unknown";
}

int quantity_needs_pipe(enum quantity q) {
  return quantity_groups[quantity_table[q].group].needs_pipe;
}

int quantity_needs_code_check(enum quantity q) {
  return quantity_groups[quantity_table[q].group].needs_code_check;
}

int quantity_is_of_clock(enum quantity q) {
  return quantity_table[q].group == GROUP_CLOCK;
}

int quantity_exists(enum quantity q, const struct loop_view *view) {
  const struct sim_output *o = view->truth;
  enum quantity_group group = quantity_table[q].group;
  if (q == QUANTITY_PAYOUT_MINUS_DISTANCE && !o->has_payout)
    return 0;
  if (quantity_groups[group].needs_code_check)
    return o->has_code_check;
  if (quantity_groups[group].needs_pipe)
    return o->has_pipe;
  return group == GROUP_THRUSTERS           ? o->thruster_count > 0
         : group == GROUP_POWER_PLANT       ? o->power.present
         : group == GROUP_TENSIONER         ? o->has_payout
         : group == GROUP_ORDERED_TENSIONER ? o->has_tensioner
         : group == GROUP_OPERATIONS        ? o->operation.count > 0
         : group == GROUP_RETIRING          ? o->has_retiring
         : group == GROUP_STINGER           ? o->has_stinger
         : group == GROUP_SOIL              ? o->has_soil
         : group == GROUP_FATIGUE           ? o->has_fatigue
         : group == GROUP_WIND              ? o->weather.has_wind
         : group == GROUP_WAVES             ? o->weather.has_waves
         : group == GROUP_ROUTE             ? view->target && view->target->track
         : group == GROUP_CHANGEOVER        ? view->changeover && view->changeover->listed
         : group == GROUP_LINK              ? view->target && view->target->controller_outside
                                            : 1;
}

struct loop_view loop_view_of(const struct frame *f, const struct loop_target *target) {
  return (struct loop_view){.truth = &f->output,
                            .target = target,
                            .command_based_on_step = f->command_based_on_step,
                            .command_state = f->command_state,
                            .consequence = &f->consequence,
                            .consequence_alarms = f->consequence_alarms,
                            .alarms = &f->alarms,
                            .changeover = &f->changeover,
                            .ledger = &f->ledger,
                            .link_work = &f->link_work,
                            .timing = &f->timing};
}

static double hypotenuse(double a, double b) {
  return sqrt(a * a + b * b);
}

static double distance(const double a[2], const double b[2]) {
  return hypotenuse(a[0] - b[0], a[1] - b[1]);
}

static struct on_route on_route(const struct loop_view *view) {
  return loop_on_route(view->target ? view->target->track : NULL, view->truth);
}

static struct held_pose held(const struct loop_view *view) {
  return loop_held_pose(view->target, view->truth);
}

double loop_route_way(const struct loop_view *view) {
  return on_route(view).way_m;
}

static double consequence_margin(const struct loop_view *view) {
  return view->consequence && view->consequence->known ? view->consequence->margin : (double)NAN;
}

static double consequence_alarm(const struct loop_view *view) {
  return view->consequence && view->consequence->alarm;
}

static double consequence_unsolved(const struct loop_view *view) {
  return view->consequence ? (double)view->consequence->unsolved : 0;
}

static struct changeover_view changeover(const struct loop_view *view) {
  return view->changeover ? *view->changeover : (struct changeover_view){0};
}

static double alarms_active(const struct loop_view *view) {
  return view->alarms ? dp_alarm_count(&view->alarms->list) : 0;
}

static int is_in_command(const struct loop_view *view) {
  return view->target->controller_inside || view->command_state == COMMAND_LIVE ||
         view->command_state == COMMAND_OLD;
}

static int count_running(const struct sim_output *o) {
  int count = 0;
  for (int i = 0; i < o->thruster_count; i++)
    count += o->thruster[i].running != 0;
  return count;
}

static double power_used_w(const struct sim_output *o) {
  double sum_w = 0;
  for (int i = 0; i < o->bus_count; i++)
    sum_w += o->bus[i].used_w;
  return sum_w;
}

static int count_saturated(const struct sim_output *o) {
  int count = 0;
  for (int i = 0; i < o->thruster_count; i++)
    count += o->thruster[i].running && fabs(o->thruster[i].thrust_share) >= 0.98;
  return count;
}

static int count_limited(const struct sim_output *o) {
  int count = 0;
  for (int i = 0; i < o->bus_count; i++)
    count += o->bus[i].limited != 0;
  return count;
}

static double count_moved(const struct sim_output *o) {
  double count = 0;
  for (int i = 0; i < o->thruster_count; i++)
    count += (double)o->thruster[i].in_forbidden_zone_count;
  return count;
}

static int count_dark(const struct sim_output *o) {
  int count = 0;
  for (int i = 0; i < o->bus_count; i++)
    count += o->bus[i].closed == 0;
  return count;
}

double quantity_value(enum quantity q, const struct loop_view *view) {
  const struct sim_output *o = view->truth;
  const struct ledger *l = view->ledger;
  const struct timing *c = view->timing;
  const struct link_work *w = view->link_work;
  switch (q) {
#define QUANTITY(id, name, unit, group, message, field, value, meaning)                                      \
  case QUANTITY_##id:                                                                                        \
    return (double)(value);
#include "sagbend/rig/quantities.inc"
  case QUANTITY_COUNT:
    break;
  }
  return (double)NAN;
}

double quantity_shown(enum quantity q, const struct loop_view *view) {
  double value = quantity_value(q, view);
  return quantity_table[q].shown_name == quantity_table[q].name ? value : DEG * value;
}

// ------------------------------------------------------------
const struct node_column node_columns[NODE_COLUMN_COUNT] = {
#define NODE_COLUMN(name, unit, in_csv, value, meaning) {#name, unit, in_csv, meaning},
#include "sagbend/rig/node_columns.inc"
};

static double node_curvature_1pm(const struct section_forces *f) {
  return sqrt(f->curvature_1pm[0] * f->curvature_1pm[0] + f->curvature_1pm[1] * f->curvature_1pm[1]);
}

void node_values(const struct sim_node *n, double values[NODE_COLUMN_COUNT]) {
  const struct section_forces *f = &n->section;
  int column = 0;
#define NODE_COLUMN(name, unit, in_csv, value, meaning) values[column++] = value;
#include "sagbend/rig/node_columns.inc"
}
