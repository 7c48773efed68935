// What a map can name: values of the message Sensors, by their names of protocol and by those of the
// library's variables ("sensor.gnss-1.north_m"), and parts of a Command.
#include "programs/fmu/fmu_program_internal.h"

#include <stdio.h>
#include <string.h>

// ---- Sensors ----

static const struct {
  const char *name, *variable;
  size_t offset; // of a double in struct dp_sensors
} FIELDS[] = {
    {"time_s", "link.time_s", offsetof(struct dp_sensors, time_s)},
#define EXACT(quantity, variable, field, with_instruments, output, message)                                  \
  {field, variable, offsetof(struct dp_sensors, message)},
#include "sagbend/rig/exact.inc"
    {"hangoff_azimuth_rad", "link.hangoff_azimuth_rad", offsetof(struct dp_sensors, hangoff_azimuth_rad)},
};
enum { FIELD_COUNT = sizeof FIELDS / sizeof *FIELDS };

static int field_of(const char *from) {
  for (int i = 0; i < FIELD_COUNT; i++)
    if (!strcmp(FIELDS[i].name, from) || !strcmp(FIELDS[i].variable, from))
      return i;
  return -1;
}

// What else the library names, and of an operator's set-point the older names.
enum other {
  SETPOINT_NORTH,
  SETPOINT_EAST,
  SETPOINT_HEADING,
  SETPOINT_ORDER,
  TRACK_ORDER_NUMBER,
  TRACK_STOPS,
  TRACK_SPEED,
  SENSORS_STEP,
  SENSORS_LOST,
  COMMAND_ANSWERED,
  PIPE_TENSIONER_MODE,
  POWER_AVAILABLE,
  POWER_USED,
  OTHER_COUNT
};
static const char *const OTHERS[OTHER_COUNT][2] = {
    [SETPOINT_NORTH] = {"link.setpoint_north_m", "setpoint/north_m"},
    [SETPOINT_EAST] = {"link.setpoint_east_m", "setpoint/east_m"},
    [SETPOINT_HEADING] = {"link.setpoint_heading_rad", "setpoint/heading_rad"},
    [SETPOINT_ORDER] = {"link.setpoint_order", ""},
    [TRACK_ORDER_NUMBER] = {"link.track_order", ""},
    [TRACK_STOPS] = {"link.track_is_stopped", ""},
    [TRACK_SPEED] = {"link.track_speed_mps", ""},
    [SENSORS_STEP] = {"link.step", ""},
    [SENSORS_LOST] = {"link.sensors_lost", ""},
    [COMMAND_ANSWERED] = {"link.command_based_on_step", ""},
    [PIPE_TENSIONER_MODE] = {"pipe.tensioner_mode", ""},
    [POWER_AVAILABLE] = {"power.available_w", ""},
    [POWER_USED] = {"power.used_w", ""},
};

static int other_of(const char *from) {
  for (int i = 0; i < OTHER_COUNT; i++)
    if (!strcmp(OTHERS[i][0], from) || !strcmp(OTHERS[i][1], from))
      return i;
  return -1;
}

static double other_value(enum other which, const struct wire_sensors *s, const struct wire_welcome *w) {
  const struct wire_track *track = &w->track;
  const double all[OTHER_COUNT] = {[SETPOINT_NORTH] = w->setpoint[0],
                                   [SETPOINT_EAST] = w->setpoint[1],
                                   [SETPOINT_HEADING] = w->setpoint[2],
                                   [SETPOINT_ORDER] = (double)w->setpoint_order,
                                   [TRACK_ORDER_NUMBER] = (double)track->order,
                                   [TRACK_STOPS] = track->orders.is_stopped != 0,
                                   [TRACK_SPEED] = track->orders.speed_mps,
                                   [SENSORS_STEP] = (double)s->dp.step,
                                   [COMMAND_ANSWERED] = (double)s->dp.command_based_on_step,
                                   [PIPE_TENSIONER_MODE] = s->dp.tensioner_mode,
                                   [POWER_AVAILABLE] = s->dp.readings.power_available_w,
                                   [POWER_USED] = s->dp.readings.power_used_w};
  return all[which];
}

// "instrument/NAME/CHANNEL" and "sensor.NAME.CHANNEL"; a name may contain points.
static int parts_of(const char *from, const char *kind, char name[SIGNAL_NAME], const char **channel) {
  const size_t n = strlen(kind);
  const char *last = strrchr(from, kind[n - 1]);
  if (strncmp(from, kind, n) != 0 || last < from + n || (size_t)(last - from) - n >= SIGNAL_NAME)
    return 0;
  snprintf(name, SIGNAL_NAME, "%.*s", (int)((size_t)(last - from) - n), from + n);
  *channel = last + 1;
  return 1;
}

enum of_what { OF_INSTRUMENT, OF_THRUSTER, OF_BUS, OF_GENERATOR, OF_TIE, OF_COUNT };
static const char *const KINDS[OF_COUNT][2] = {[OF_INSTRUMENT] = {"instrument/", "sensor."},
                                               [OF_THRUSTER] = {"feedback/", "feedback."},
                                               [OF_BUS] = {"power/bus/", "power.bus."},
                                               [OF_GENERATOR] = {"power/generator/", "power.generator."},
                                               [OF_TIE] = {"power/tie/", "power.tie."}};

static int part_of(const char *from, char name[SIGNAL_NAME], const char **channel) {
  for (int i = 0; i < OF_COUNT; i++)
    if (parts_of(from, KINDS[i][0], name, channel) || parts_of(from, KINDS[i][1], name, channel))
      return i;
  return -1;
}

// Angles are in rad here, as in messages: "heading_deg" of the table is heading_rad.
static int is_channel(const struct instrument_channel *row, const char *name) {
  char radians[64];
  const char *deg = strstr(row->name, "_deg");
  snprintf(radians, sizeof radians, "%.*s%s%s", deg ? (int)(deg - row->name) : 63, row->name,
           deg ? "_rad" : "", deg ? deg + 4 : "");
  return !strcmp(radians, name);
}

static int instrument_value(const struct readings *r, const char *name, const char *channel, double *out) {
  for (int i = 0; i < r->instrument_count; i++) {
    const struct reading *one = &r->instrument[i];
    const double values[] = {one->valid, one->time_s, (double)one->sequence};
    static const char *const names[] = {"valid", "measured_s", "sequence"};
    if (strcmp(one->name, name) != 0)
      continue;
    for (int k = 0; k < 3; k++)
      if (!strcmp(channel, names[k])) {
        *out = values[k];
        return 1;
      }
    for (int k = 0; k < instrument_channel_count(one->kind); k++)
      if (is_channel(instrument_channel(one->kind, k), channel)) {
        *out = one->value[k];
        return one->sequence ? 1 : SOURCE_IS_SILENT;
      }
  }
  return 0;
}

// The value of this name among those of one piece of equipment.
static int pick(const char *const names[], const double values[], size_t count, const char *channel,
                double *out) {
  for (size_t k = 0; k < count; k++)
    if (!strcmp(names[k], channel)) {
      *out = values[k];
      return 1;
    }
  return 0;
}

static int feedback_value(const struct readings *r, const char *name, const char *channel, double *out) {
  static const char *const names[] = {
#define FEEDBACK(id, name, ...) name,
#include "sagbend/signals/feedback.inc"
  };
  for (int i = 0; i < r->thruster_count; i++) {
    const double values[] = {
#define FEEDBACK(id, name, unit, type, member, meaning) (double)r->thruster[i].member,
#include "sagbend/signals/feedback.inc"
    };
    if (!strcmp(r->thruster[i].name, name))
      return pick(names, values, sizeof names / sizeof *names, channel, out);
  }
  return 0;
}

static int bus_value(const struct power_feedback *p, const char *name, const char *channel, double *out) {
  static const char *const names[] = {
#define BUS(id, name, ...) name,
#include "sagbend/signals/feedback.inc"
  };
  for (int i = 0; i < p->bus_count; i++) {
    const double values[] = {
#define BUS(id, name, unit, type, member, meaning) (double)p->bus[i].member,
#include "sagbend/signals/feedback.inc"
    };
    if (!strcmp(p->bus[i].name, name))
      return pick(names, values, sizeof names / sizeof *names, channel, out);
  }
  return 0;
}

static int generator_value(const struct power_feedback *p, const char *name, const char *channel,
                           double *out) {
  static const char *const names[] = {
#define GENERATOR(id, name, ...) name,
#include "sagbend/signals/feedback.inc"
  };
  for (int i = 0; i < p->generator_count; i++) {
    const double values[] = {
#define GENERATOR(id, name, unit, type, member, meaning) (double)p->generator[i].member,
#include "sagbend/signals/feedback.inc"
    };
    if (!strcmp(p->generator[i].name, name))
      return pick(names, values, sizeof names / sizeof *names, channel, out);
  }
  return 0;
}

static int tie_value(const struct power_feedback *p, const char *name, const char *channel, double *out) {
  for (int i = 0; i < p->tie_count; i++)
    if (!strcmp(p->tie[i].name, name) && !strcmp(channel, "closed")) {
      *out = p->tie[i].closed != 0;
      return 1;
    }
  return 0;
}

int map_source(const char *from, const struct wire_sensors *s, const struct wire_welcome *w, double *out) {
  const struct readings *r = &s->dp.readings;
  char name[SIGNAL_NAME];
  const char *channel;
  const int field = field_of(from), other = other_of(from);
  if (field >= 0) {
    memcpy(out, (const char *)&s->dp + FIELDS[field].offset, sizeof *out);
    return field == 0 || !r->instrument_count ||
           FIELDS[field].offset >= offsetof(struct dp_sensors, applied_wrench_b);
  }
  if (other >= 0) {
    *out = other_value((enum other)other, s, w);
    return other > SETPOINT_HEADING || w->has_setpoint || !strncmp(from, "link.", 5);
  }
  switch (part_of(from, name, &channel)) {
  case OF_INSTRUMENT:
    return instrument_value(r, name, channel, out);
  case OF_THRUSTER:
    return feedback_value(r, name, channel, out);
  case OF_BUS:
    return bus_value(&r->power, name, channel, out);
  case OF_GENERATOR:
    return generator_value(&r->power, name, channel, out);
  case OF_TIE:
    return tie_value(&r->power, name, channel, out);
  default:
    return 0;
  }
}

int map_source_is_known(const char *from) {
  char name[SIGNAL_NAME];
  const char *channel;
  return field_of(from) >= 0 || other_of(from) >= 0 || part_of(from, name, &channel) >= 0;
}

int map_input_of(const struct map *map, const char *from) {
  for (int i = 0; i < map->input_count; i++)
    if (!strcmp(map->input[i].from, from))
      return i;
  return -1;
}

// ---- Command ----

static const char *const WRENCH[6] = {"surge_n", "sway_n", "heave_n", "roll_nm", "pitch_nm", "yaw_nm"};
static const char *const PARTS[] = {"revolutions_rpm", "pitch", "azimuth_rad", "enable", "commanded"};
enum { PART_COUNT = sizeof PARTS / sizeof *PARTS };
static const char *const TENSIONER[] = {"mode", "tension_n", "speed_mps"};

// Index of the text behind this begin; -1: it is none.
static int word_of(const char *to, const char *begin, const char *const words[], int count) {
  const size_t n = strlen(begin);
  for (int i = 0; i < count && !strncmp(to, begin, n); i++)
    if (!strcmp(to + n, words[i]))
      return i;
  return -1;
}

struct map_target map_target_of(const char *to) {
  struct map_target target = {.kind = NO_TARGET};
  const char *part;
  const int wrench = word_of(to, "command.wrench.", WRENCH, 6), plain = word_of(to, "", WRENCH, 6),
            tensioner = word_of(to, "command.tensioner.", TENSIONER, 3);
  if (!strcmp(to, "command.engaged"))
    target.kind = TO_ENGAGED;
  else if (wrench >= 0 || plain >= 0) {
    target.kind = TO_WRENCH;
    target.index = wrench >= 0 ? wrench : plain;
  } else if (tensioner >= 0) {
    target.kind = TO_TENSIONER;
    target.index = tensioner;
  } else if (parts_of(to, "thruster/", target.thruster, &part) ||
             parts_of(to, "command.thruster.", target.thruster, &part)) {
    target.index = word_of(part, "", PARTS, PART_COUNT);
    target.kind = target.index >= 0 ? TO_THRUSTER : NO_TARGET;
  }
  return target;
}

// The parts of one command, as they come.
static int thruster_of(struct map_command *m, const char *name) {
  struct command *c = &m->command;
  for (int i = 0; i < c->thruster_count; i++)
    if (!strcmp(c->thrusters[i].name, name))
      return i;
  if (c->thruster_count == MAX_THRUSTERS)
    return -1;
  c->thrusters[c->thruster_count] = (struct thruster_command){.enable = 1};
  memcpy(c->thrusters[c->thruster_count].name, name, SIGNAL_NAME);
  return c->thruster_count++;
}

static void put_thruster(struct map_command *m, const struct map_target *target, double value) {
  const int i = thruster_of(m, target->thruster);
  if (i < 0)
    return;
  struct thruster_command *t = &m->command.thrusters[i];
  double *const numbers[PART_COUNT] = {&t->revolutions_rpm, &t->pitch, &t->azimuth_rad};
  if (numbers[target->index])
    *numbers[target->index] = value;
  else if (!strcmp(PARTS[target->index], "enable"))
    t->enable = value != 0;
  else
    m->is_left_out[i] = value == 0;
}

void map_put(struct map_command *m, const struct map_target *target, double value) {
  if (target->kind == TO_ENGAGED)
    m->command.standby = value == 0;
  else if (target->kind == TO_WRENCH)
    m->command.wrench_b[target->index] = value;
  else if (target->kind == TO_THRUSTER)
    put_thruster(m, target, value);
  else if (target->kind == TO_TENSIONER)
    m->tensioner[target->index] = value;
}

// The order for the tensioner, which stands on standby too; then what the command names.
void map_finish(struct map_command *m) {
  struct command *c = &m->command;
  const int mode = (int)m->tensioner[0];
  int kept = 0;
  if (mode >= 0 && mode < TENSIONER_MODE_COUNT)
    c->tensioner = (struct tensioner_setpoint){.given = 1,
                                               .mode = (enum tensioner_mode)mode,
                                               .tension_n = mode == TENSIONER_TENSION ? m->tensioner[1] : 0,
                                               .speed_mps = mode == TENSIONER_SPEED ? m->tensioner[2] : 0};
  for (int i = 0; i < c->thruster_count; i++)
    if (!m->is_left_out[i] && !c->standby)
      c->thrusters[kept++] = c->thrusters[i];
  c->thruster_count = kept;
  if (c->standby)
    memset(c->wrench_b, 0, sizeof c->wrench_b);
}

// ---- By the names of the FMU's own variables ----

// "sensor.'gnss-1'.north_m" -> "sensor.gnss-1.north_m".
static void without_quotes(const char *name, char out[FMU_NAME]) {
  size_t n = 0;
  for (; *name && n + 1 < FMU_NAME; name++)
    if (*name != '\'')
      out[n++] = *name;
  out[n] = '\0';
}

int map_by_names(const struct fmu_model *model, struct map *map) {
  char name[FMU_NAME];
  for (size_t i = 0; i < model->value_count; i++) {
    const struct model_value *v = &model->value[i];
    without_quotes(v->name, name);
    if (v->type == VALUE_OTHER)
      continue;
    if (!strcmp(v->causality, "input") && map_source_is_known(name) && map->input_count < FMU_MOST_VALUES) {
      struct map_input *in = &map->input[map->input_count++];
      *in = (struct map_input){.to = v, .scale = 1};
      memcpy(in->from, name, sizeof in->from);
      map->begins_at_once |= !strncmp(name, "sensor.", 7) && !strcmp(strrchr(name, '.'), ".sequence");
    }
    if (!strcmp(v->causality, "output") && map_target_of(name).kind != NO_TARGET &&
        map->output_count < FMU_MOST_VALUES) {
      struct map_output *out = &map->output[map->output_count++];
      *out = (struct map_output){.from = v, .scale = 1};
      memcpy(out->to, name, sizeof out->to);
    }
  }
  if (!(map->step_s > 0))
    map->step_s = model->step_s;
  return map->output_count > 0 && map->step_s > 0;
}
