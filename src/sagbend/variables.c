// The table of the variables of a case.
#include "sagbend/rig/rig.h"
#include "sagbend/sagbend_parts.h"
#include "sagbend/signals/signals.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// 31 bits, because programs that import units read numbers as signed. 0 is no variable.
static uint32_t id_of(const char *name) {
  uint32_t hash = 2166136261u;
  for (; *name; name++)
    hash = (hash ^ (unsigned char)*name) * 16777619u;
  hash &= 0x7fffffffu;
  return hash ? hash : 1;
}

struct table {
  struct variables *out;
  size_t room;
  int failed;
};

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void add(struct table *table, struct variable v, const char *format, ...) {
  struct variables *out = table->out;
  if (out->count == table->room) {
    const size_t room = table->room ? 2 * table->room : 256;
    struct variable *more = realloc(out->row, room * sizeof *more);
    table->failed |= !more;
    if (!more)
      return;
    out->row = more;
    table->room = room;
  }
  va_list args;
  va_start(args, format);
  vsnprintf(v.name, sizeof v.name, format, args);
  va_end(args);
  v.id = id_of(v.name);
  v.unit = v.unit && *v.unit ? v.unit : "1";
  out->row[out->count++] = v;
}

// "pipe"; of a group that has no object of its own the first word of its title, "solver".
static void object_of(const struct quantity_group_info *group, char out[32]) {
  snprintf(out, 32, "%.*s", (int)strcspn(*group->object ? group->object : group->title, " "),
           *group->object ? group->object : group->title);
  for (char *c = out; *c; c++)
    *c = (char)(*c >= 'A' && *c <= 'Z' ? *c + 'a' - 'A' : *c);
}

static void add_quantities(struct table *table, const struct engine *engine) {
  const struct loop_view view = loop_view_of(&engine->loop.frame, &engine->loop.target);
  for (int q = 0; q < QUANTITY_COUNT; q++) {
    const struct quantity_info *info = &quantity_table[q];
    const struct quantity_group_info *group = &quantity_groups[info->group];
    char object[32];
    if (info->group == GROUP_CLOCK) // a library has none
      continue;
    object_of(group, object);
    add(table,
        (struct variable){.kind = SAGBEND_OUTPUT,
                          .source = FROM_QUANTITY,
                          .index = q,
                          .unit = info->unit,
                          .meaning = info->meaning,
                          .flags = (group->undefined ? SAGBEND_CAN_BE_UNDEFINED : 0) |
                                   (quantity_exists((enum quantity)q, &view) ? SAGBEND_EXISTS : 0)},
        "%s.%s", object, info->name);
  }
}

static struct variable reading(enum source_kind source, int index, int channel, int type, const char *unit,
                               const char *meaning) {
  return (struct variable){.kind = SAGBEND_READING,
                           .type = type,
                           .flags = SAGBEND_EXISTS,
                           .source = source,
                           .index = index,
                           .channel = channel,
                           .unit = unit,
                           .meaning = meaning,
                           .least = -(double)INFINITY,
                           .most = (double)INFINITY};
}

// Field buses have angles in degrees, a reading has them in rad: "heading_deg" is "heading_rad" here.
static void radians_of(const char *shown, char out[32]) {
  const char *deg = strstr(shown, "_deg");
  snprintf(out, 32, "%.*s%s%s", deg ? (int)(deg - shown) : 31, shown, deg ? "_rad" : "", deg ? deg + 4 : "");
}

static const char *unit_of(const char *shown) {
  return !strcmp(shown, "deg") ? "rad" : !strcmp(shown, "deg/s") ? "rad/s" : shown;
}

static void add_readings(struct table *table, const struct readings *readings) {
  for (int i = 0; i < readings->instrument_count; i++) {
    const struct reading *r = &readings->instrument[i];
    for (int k = 0; k < instrument_channel_count(r->kind); k++) {
      const struct instrument_channel *channel = instrument_channel(r->kind, k);
      char name[32];
      radians_of(channel->name, name);
      add(table, reading(FROM_READING, i, k, SAGBEND_REAL, unit_of(channel->unit), channel->meaning),
          "sensor.%s.%s", r->name, name);
    }
    add(table, reading(FROM_READING_VALID, i, 0, SAGBEND_BOOLEAN, "", "1: the instrument gives it as valid"),
        "sensor.%s.valid", r->name);
    add(table, reading(FROM_READING_TIME, i, 0, SAGBEND_REAL, "s", "simulated time of the measurement"),
        "sensor.%s.measured_s", r->name);
    add(table,
        reading(FROM_READING_NUMBER, i, 0, SAGBEND_INTEGER, "",
                "number of the measurement, from 1; 0: there is none yet"),
        "sensor.%s.sequence", r->name);
  }
}

struct channel_row {
  const char *name, *unit, *meaning;
  int type;
};
#define ROW(name, unit, type, meaning) {name, unit, meaning, SAGBEND_##type}
static const struct channel_row FEEDBACK_CHANNELS[FEEDBACK_COUNT] = {
#define FEEDBACK(id, name, unit, type, member, meaning) [FEEDBACK_##id] = ROW(name, unit, type, meaning),
#include "sagbend/signals/feedback.inc"
};
static const struct channel_row BUS_CHANNELS[BUS_COUNT] = {
#define BUS(id, name, unit, type, member, meaning) [BUS_##id] = ROW(name, unit, type, meaning),
#include "sagbend/signals/feedback.inc"
};
static const struct channel_row GENERATOR_CHANNELS[GENERATOR_COUNT] = {
#define GENERATOR(id, name, unit, type, member, meaning) [GENERATOR_##id] = ROW(name, unit, type, meaning),
#include "sagbend/signals/feedback.inc"
};
#undef ROW

static struct variable reported(enum source_kind source, int index, int channel,
                                const struct channel_row *row) {
  return reading(source, index, channel, row->type, row->unit, row->meaning);
}

static void add_feedback(struct table *table, const struct readings *readings) {
  for (int i = 0; i < readings->thruster_count; i++)
    for (int k = 0; k < FEEDBACK_COUNT; k++)
      add(table, reported(FROM_FEEDBACK, i, k, &FEEDBACK_CHANNELS[k]), "feedback.%s.%s",
          readings->thruster[i].name, FEEDBACK_CHANNELS[k].name);
}

// What power management reports.
static void add_power(struct table *table, const struct readings *readings) {
  const struct power_feedback *power = &readings->power;
  if (!readings->thruster_count)
    return;
  add(table, reading(FROM_POWER, 0, 0, SAGBEND_REAL, "W", "power that all thrusters may take"),
      "power.available_w");
  add(table, reading(FROM_POWER, 1, 0, SAGBEND_REAL, "W", "power that they take"), "power.used_w");
  for (int i = 0; i < power->bus_count; i++)
    for (int k = 0; k < BUS_COUNT; k++)
      add(table, reported(FROM_BUS, i, k, &BUS_CHANNELS[k]), "power.bus.%s.%s", power->bus[i].name,
          BUS_CHANNELS[k].name);
  for (int i = 0; i < power->generator_count; i++)
    for (int k = 0; k < GENERATOR_COUNT; k++)
      add(table, reported(FROM_GENERATOR, i, k, &GENERATOR_CHANNELS[k]), "power.generator.%s.%s",
          power->generator[i].name, GENERATOR_CHANNELS[k].name);
  for (int i = 0; i < power->tie_count; i++)
    add(table, reading(FROM_TIE, i, 0, SAGBEND_BOOLEAN, "", "1: closed"), "power.tie.%s.closed",
        power->tie[i].name);
}

// What messages to a controller contain beside measurements. own: of a controller alone, what it takes while
// nobody gives the value.
static const struct {
  const char *name, *unit, *meaning, *own;
  int type;
} LINK[LINK_VALUES] = {
    [LINK_STEP] = {"step", "", "steps of the vessel up to these measurements",
                   "steps of the vessel up to these measurements; -1: the controller's own count",
                   SAGBEND_INTEGER},
    [LINK_TIME] = {"time_s", "s", "time in the message: simulated time, with what a fault adds to it",
                   "time in the message, where link.step is given", SAGBEND_REAL},
    [LINK_LOST] = {"sensors_lost", "", "1: the measurements do not reach the controller", NULL,
                   SAGBEND_BOOLEAN},
    [LINK_ANSWERED] = {"command_based_on_step", "",
                       "step of the measurements that the command in use answers; 0: none is in use",
                       "step of the measurements that the command in use answers; 0: none is in use; -1: the "
                       "controller's newest is in use",
                       SAGBEND_INTEGER},
    [LINK_AZIMUTH] =
        {"hangoff_azimuth_rad", "rad",
         "direction in which the pipe pulls the vessel, clockwise from north; 0 with instruments", NULL,
         SAGBEND_REAL},
    [LINK_SETPOINT_ORDER] = {"setpoint_order", "",
                             "changes where the set-point is another one; 0: as configured", NULL,
                             SAGBEND_REAL},
    [LINK_SETPOINT_NORTH] = {"setpoint_north_m", "m", "set-point, north", NULL, SAGBEND_REAL},
    [LINK_SETPOINT_EAST] = {"setpoint_east_m", "m", "set-point, east", NULL, SAGBEND_REAL},
    [LINK_SETPOINT_HEADING] = {"setpoint_heading_rad", "rad", "heading of the set-point", NULL, SAGBEND_REAL},
    [LINK_TRACK_ORDER] = {"track_order", "", "number of the newest order for the route; 0: none", NULL,
                          SAGBEND_REAL},
    [LINK_TRACK_STOPPED] = {"track_is_stopped", "", "1: an order has stopped the route", NULL,
                            SAGBEND_BOOLEAN},
    [LINK_TRACK_SPEED] = {"track_speed_mps", "m/s", "ordered speed on the route; 0: that of the DP file",
                          NULL, SAGBEND_REAL},
};

static void add_link(struct table *table, int is_alone) {
  for (int k = 0; k < LINK_VALUES; k++)
    add(table,
        reading(is_alone ? TO_LINK : FROM_LINK, k, 0, LINK[k].type, LINK[k].unit,
                is_alone && LINK[k].own ? LINK[k].own : LINK[k].meaning),
        "link.%s", LINK[k].name);
}

static struct variable joules(enum source_kind source, int index, const char *meaning) {
  return (struct variable){.kind = SAGBEND_OUTPUT,
                           .flags = SAGBEND_EXISTS,
                           .source = source,
                           .index = index,
                           .unit = "J",
                           .meaning = meaning};
}

static void add_ledger(struct table *table) {
  for (int i = 0; i < PORT_COUNT; i++)
    add(table, joules(FROM_WORK, i, "work of this port on the system since the start"), "ledger.work.%s_j",
        energy_port_name((enum energy_port)i));
  for (int i = 0; i < LOSS_COUNT; i++)
    add(table, joules(FROM_LOSS, i, "loss of this kind since the start"), "ledger.loss.%s_j",
        loss_name((enum loss)i));
  add(table, joules(FROM_INITIAL_ENERGY, 0, "stored energy at the start"), "ledger.initial_j");
  add(table, joules(FROM_RESIDUAL, 0, "residual of the balance since the start"), "ledger.residual_j");
}

static struct variable input(enum source_kind source, int index, int channel, int type, const char *unit,
                             double least, double most, const char *meaning) {
  return (struct variable){.kind = SAGBEND_INPUT,
                           .type = type,
                           .flags = SAGBEND_EXISTS,
                           .source = source,
                           .index = index,
                           .channel = channel,
                           .unit = unit,
                           .meaning = meaning,
                           .least = least,
                           .most = most};
}

static void add_wrench(struct table *table, const struct command_def *def) {
  static const char *const names[6] = {"surge_n", "sway_n", "heave_n", "roll_nm", "pitch_nm", "yaw_nm"};
  for (int i = 0; i < 6; i++) {
    const double limit = def->wrench_limit[i] > 0 ? def->wrench_limit[i] : (double)INFINITY;
    add(table,
        input(
            TO_WRENCH, i, 0, SAGBEND_REAL, i < 3 ? "N" : "N m", -limit, limit,
            def->thrusters_only
                ? "wrench beside the thrusters: accepted as far as it fades out the one that held the vessel"
                : "wrench about the reference point in the body frame, beside the thrusters"),
        "command.wrench.%s", names[i]);
  }
}

static void add_thruster(struct table *table, const struct thruster_rule *rule, int index) {
  const double rpm = rule->revolutions_max_rpm, angle = rule->rudder_max_rad;
  const double most_rad = angle >= 0 ? angle : (double)INFINITY;
  const struct {
    const char *name, *unit;
    int type;
    double least, most;
    const char *meaning;
  } rows[THRUSTER_INPUTS] = {
      [INPUT_COMMANDED] = {"commanded", "", SAGBEND_BOOLEAN, 0, 1,
                           "1: the command names this thruster; 0: it keeps its set-point"},
      [INPUT_ENABLE] = {"enable", "", SAGBEND_BOOLEAN, 0, 1, "0: stop it"},
      [INPUT_RPM] = {"revolutions_rpm", "rpm", SAGBEND_REAL, -rpm, rpm, "of a fixed-pitch drive"},
      [INPUT_PITCH] = {"pitch", "", SAGBEND_REAL, rpm > 0 ? 0 : -1, rpm > 0 ? 0 : 1,
                       "of a controllable-pitch propeller, share of full pitch"},
      [INPUT_AZIMUTH] = {"azimuth_rad", "rad", SAGBEND_REAL, -most_rad, most_rad,
                         "of the thrust from the bow; of a main propeller the rudder angle"}};
  for (int k = 0; k < THRUSTER_INPUTS; k++)
    add(table,
        input(TO_THRUSTER, index, k, rows[k].type, rows[k].unit, rows[k].least, rows[k].most,
              rows[k].meaning),
        "command.thruster.%s.%s", rule->name, rows[k].name);
}

static void add_inputs(struct table *table, const struct command_def *def) {
  const struct tensioner_rule *tensioner = &def->tensioner;
  add(table, input(TO_ENGAGED, 0, 0, SAGBEND_BOOLEAN, "", 0, 1, "1: the inputs command; 0: on standby"),
      "command.engaged");
  add_wrench(table, def);
  for (int i = 0; i < def->thruster_count; i++)
    add_thruster(table, &def->thruster[i], i);
  if (!tensioner->present || !tensioner->from_controllers)
    return;
  add(table,
      input(TO_TENSIONER, INPUT_TENSIONER_MODE, 0, SAGBEND_INTEGER, "", -1, 2,
            "order: -1 none, 0 brake, 1 tension, 2 speed"),
      "command.tensioner.mode");
  add(table,
      input(TO_TENSIONER, INPUT_TENSION, 0, SAGBEND_REAL, "N", 0, tensioner->tension_max_n,
            "set-point of mode tension"),
      "command.tensioner.tension_n");
  add(table,
      input(TO_TENSIONER, INPUT_SPEED, 0, SAGBEND_REAL, "m/s", -tensioner->speed_max_mps,
            tensioner->speed_max_mps, "set-point of mode speed"),
      "command.tensioner.speed_mps");
}

_Static_assert(offsetof(struct sim_output, step) == 0, "an offset of 0 is no exact value");
static const struct {
  int quantity, with_instruments;
  size_t offset;
} EXACT_ROWS[] = {
#define EXACT(quantity, variable, field, with_instruments, output, message)                                  \
  {QUANTITY_##quantity, with_instruments, offsetof(struct sim_output, output)},
#include "sagbend/rig/exact.inc"
    {QUANTITY_TENSIONER_MODE, 0, offsetof(struct sim_output, tensioner.mode)},
};

size_t exact_value_of(const struct variable *v, int has_instruments) {
  for (size_t i = 0; i < sizeof EXACT_ROWS / sizeof *EXACT_ROWS; i++)
    if (v->source == FROM_QUANTITY && v->index == EXACT_ROWS[i].quantity &&
        (EXACT_ROWS[i].with_instruments || !has_instruments))
      return EXACT_ROWS[i].offset;
  return 0;
}

static int by_id(const void *left, const void *right) {
  const struct variable *a = left, *b = right;
  return a->id < b->id ? -1 : a->id > b->id;
}

// The rows are sorted by number.
static enum status check_numbers(const struct variables *v, struct reason *why) {
  for (size_t i = 1; i < v->count; i++)
    if (v->row[i].id == v->row[i - 1].id)
      return fail(why, STATUS_BAD_INPUT,
                  "two variables have the same number: rename what %s or %s belongs to", v->row[i - 1].name,
                  v->row[i].name);
  return STATUS_OK;
}

// A controller alone: what a vessel's simulation gives are its inputs, and the command is its output.
static void turn_round(struct variables *all, const struct engine *engine) {
  const int has_instruments = engine->loop.frame.readings.instrument_count > 0;
  size_t kept = 0;
  for (size_t i = 0; i < all->count; i++) {
    struct variable v = all->row[i];
    if (v.kind == SAGBEND_INPUT) {
      v.kind = SAGBEND_OUTPUT;
    } else if (v.kind == SAGBEND_READING ||
               (v.flags & SAGBEND_EXISTS && exact_value_of(&v, has_instruments))) {
      v.kind = SAGBEND_INPUT;
      v.least = v.type == SAGBEND_BOOLEAN ? 0 : -(double)INFINITY;
      v.most = v.type == SAGBEND_BOOLEAN ? 1 : (double)INFINITY;
    } else if (v.source != FROM_TIME)
      continue;
    all->row[kept++] = v;
  }
  all->count = kept;
}

enum status variables_make(const struct engine *engine, int controller, struct variables **out,
                           struct reason *why) {
  struct table table = {.out = calloc(1, sizeof *table.out)};
  const int is_alone = controller == SAGBEND_CONTROLLER_ALONE;
  *out = NULL;
  if (!table.out)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the variables");
  add(&table,
      (struct variable){.kind = SAGBEND_OUTPUT,
                        .flags = SAGBEND_EXISTS,
                        .source = FROM_TIME,
                        .unit = "s",
                        .meaning = "simulated time"},
      "time_s");
  add_quantities(&table, engine);
  add_readings(&table, &engine->loop.frame.readings);
  add_feedback(&table, &engine->loop.frame.readings);
  add_power(&table, &engine->loop.frame.readings);
  add_ledger(&table);
  if (is_alone || (controller == SAGBEND_CONTROLLER_CALLER &&
                   engine->setup->config.sim.controller == CONTROLLER_EXTERNAL)) {
    add_link(&table, is_alone);
    add_inputs(&table, &engine->loop.command_def);
  }
  if (is_alone)
    turn_round(table.out, engine);
  if (!table.failed)
    qsort(table.out->row, table.out->count, sizeof *table.out->row, by_id);
  const enum status status = table.failed ? fail(why, STATUS_NO_MEMORY, "out of memory for the variables")
                                          : check_numbers(table.out, why);
  if (status == STATUS_OK)
    *out = table.out;
  else
    variables_free(table.out);
  return status;
}

void variables_free(struct variables *v) {
  if (v)
    free(v->row);
  free(v);
}

const struct variable *variable_of(const struct variables *v, uint32_t id) {
  size_t low = 0, high = v->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (v->row[middle].id == id)
      return &v->row[middle];
    if (v->row[middle].id < id)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}
