// Reads the case and the options, makes the list of cases, solves and writes.
#include "lab/capability/capability.h"

#include "net/case/case.h"
#include "sagbend/math/math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALL_KINDS = (1 << FAILED_KINDS) - 1 };

static enum status read_failures(const char *text, unsigned *kinds, struct reason *why) {
  static const char *const words[FAILED_KINDS] = {"thrusters", "buses", "generators", "groups"};
  *kinds = text ? 0 : ALL_KINDS;
  if (text && !strcmp(text, "none"))
    return STATUS_OK;
  for (const char *word = text; word;) {
    size_t length = strcspn(word, ",");
    unsigned found = 0;
    for (unsigned i = 0; i < FAILED_KINDS; i++)
      if (strlen(words[i]) == length && !strncmp(word, words[i], length))
        found = 1u << i;
    if (!found)
      return fail(
          why, STATUS_BAD_INPUT,
          "--failures: thrusters, buses, generators and groups, with commas, or none expected, got '%.60s'",
          text);
    *kinds |= found;
    word = word[length] ? word + length + 1 : NULL;
  }
  return STATUS_OK;
}

static enum status read_external(struct capability_model *m, const char *text, const char *path,
                                 struct reason *why) {
  m->external = text ? text : "none";
  if (!strcmp(m->external, "none"))
    return STATUS_OK;
  if (!strcmp(m->external, "pipe")) {
    m->with_pipe = 1;
    return m->config.sim.pipe.elements > 0
               ? STATUS_OK
               : fail(why, STATUS_BAD_INPUT, "%.200s: --external pipe needs a case with a pipe", path);
  }
  const char *from = m->external;
  char *end = NULL;
  for (int i = 0; i < 3; i++) {
    m->fixed_b[i] = strtod(from, &end);
    if (end == from || !isfinite(m->fixed_b[i]) || *end != (i < 2 ? ',' : 0))
      return fail(why, STATUS_BAD_INPUT,
                  "--external: pipe, none or X,Y,N (N, N, N m on the vessel: ahead, to starboard, clockwise) "
                  "expected, got '%.60s'",
                  text);
    from = end + 1;
  }
  return STATUS_OK;
}

static enum status read_current(struct capability_model *m, const char *text, struct reason *why) {
  char *end = NULL;
  if (!text)
    return STATUS_OK;
  if (m->level != 2)
    return fail(why, STATUS_BAD_INPUT, "--current needs --level 2: level 1 has the current of its table");
  m->current_mps = strtod(text, &end);
  const int has_speed = end > text && *end == ',' && m->current_mps >= 0 && m->current_mps <= 10;
  const char *from = has_speed ? end + 1 : text;
  m->current_rad = strtod(from, &end) * TRIG_PI / 180;
  m->has_current = has_speed && end > from && !*end && fabs(m->current_rad) <= 2 * TRIG_PI;
  return m->has_current ? STATUS_OK
                        : fail(why, STATUS_BAD_INPUT,
                               "--current: SPEED,DIRECTION expected (0 to 10 m/s; degrees clockwise from the "
                               "bow, -360 to 360, from where it comes), got '%.60s'",
                               text);
}

static enum status check_level2(const struct vessel_def *vessel, struct reason *why) {
  const char *missing =
      !vessel->windage.present ? "level 2 needs vessel.wind: areas and coefficients of the wind load"
      : !vessel->waves.present ? "level 2 needs vessel.waves: drift in waves, by rows, hydro file or box"
                               : NULL;
  return missing ? fail(why, STATUS_BAD_INPUT, "%s", missing) : STATUS_OK;
}

static enum status prepare_level(struct capability_model *m, struct reason *why) {
  size_t cases = (size_t)m->case_count, directions = (size_t)m->direction_count;
  m->point = calloc(cases * directions, sizeof *m->point);
  m->unit_of = calloc(cases, sizeof *m->unit_of);
  m->shapes = m->level == 1 ? calloc(cases, sizeof *m->shapes) : NULL;
  m->drift = m->level == 2 ? calloc(directions, sizeof *m->drift) : NULL;
  if (!m->point || !m->unit_of || (m->level == 1 ? !m->shapes : !m->drift))
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  enum status status =
      m->level == 1 ? level1_of(&m->config, &m->one, why) : check_level2(&m->config.sim.vessel, why);
  for (int c = 0; status == STATUS_OK && m->level == 1 && c < m->case_count; c++)
    status = level1_shapes(&m->one, m->cases[c].stopped, &m->shapes[c], m->unit_of[c], why);
  if (status != STATUS_OK)
    return status;
  if (m->level == 2)
    level2_of(&m->config, &m->two);
  for (int d = 0; m->level == 2 && d < m->direction_count; d++)
    level2_drift_of(&m->two, m->direction_rad[d], &m->drift[d]);
  return status;
}

// The pull in still water is that of every direction. A given current has one pull.
static enum status solve_pipe(struct capability_model *m, struct reason *why) {
  enum status status = level2_pipe_open(&m->config, &m->pipe, why);
  if (status == STATUS_OK && m->has_current)
    status = level2_pipe_force(&m->pipe, m->current_mps, m->current_rad, m->fixed_b, why);
  for (int d = 0; status == STATUS_OK && !m->has_current && d < m->direction_count; d++)
    for (int i = 0; status == STATUS_OK && i < 4; i++)
      if (i == 0 && d > 0)
        memcpy(m->pipe_b[d][0], m->pipe_b[0][0], sizeof m->pipe_b[0][0]);
      else
        status = level2_pipe_force(&m->pipe, 0.25 * i, m->direction_rad[d], m->pipe_b[d][i], why);
  level2_pipe_close(&m->pipe);
  return status;
}

static void capability_list_cases(struct capability_model *m, unsigned kinds);

static enum status prepare(struct capability_model *m, const struct capability_options *o,
                           struct reason *why) {
  const char *path = o->given->config_path;
  unsigned kinds;
  m->level = o->level, m->factor = o->dynamic_factor;
  m->direction_count = 360 / o->step_deg;
  for (int d = 0; d < m->direction_count; d++)
    m->direction_rad[d] = d * o->step_deg * TRIG_PI / 180;
  if (m->config.sim.vessel.plant.thruster_count == 0)
    return fail(why, STATUS_BAD_INPUT,
                "%.200s: vessel.thrusters: at least one thruster expected, got nothing", path);
  enum status status = read_failures(o->failures, &kinds, why);
  if (status == STATUS_OK)
    status = read_external(m, o->external, path, why);
  if (status == STATUS_OK)
    status = read_current(m, o->current, why);
  if (status != STATUS_OK)
    return status;
  capability_list_cases(m, kinds);
  m->is_complete = kinds == ALL_KINDS;
  struct reason cause = {""};
  status = prepare_level(m, &cause);
  if (status == STATUS_OK && m->with_pipe)
    status = solve_pipe(m, &cause);
  return status == STATUS_OK ? status : fail(why, status, "%.200s: %s", path, cause.text);
}

static enum status write_all(const struct capability_model *m, const struct capability_options *o,
                             struct reason *why) {
  enum status status = STATUS_OK;
  if (o->csv_path)
    status = capability_write_csv(m, o->csv_path, why);
  if (status == STATUS_OK && o->svg_path)
    status = capability_write_svg(m, o->svg_path, why);
  if (status == STATUS_OK && o->json)
    status = capability_print_json(m, why);
  else if (status == STATUS_OK)
    capability_print(m);
  return status;
}

enum status capability(const struct capability_options *o, struct reason *why) {
  struct capability_model *m = calloc(1, sizeof *m);
  if (!m)
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  enum status status = config_load(o->given->config_path, (const char *const *)o->given->overrides,
                                   o->given->override_count, &m->config, stderr);
  if (status == STATUS_OK) {
    status = prepare(m, o, why);
    struct reason cause = {""};
    if (status == STATUS_OK && (status = capability_solve(m, &cause)) != STATUS_OK)
      fail(why, status, "%.200s: %s", o->given->config_path, cause.text);
    if (status == STATUS_OK)
      status = write_all(m, o, why);
    if (status == STATUS_OK && m->declared_count && capability_compare(m).cases)
      status = fail(why, STATUS_IO, "%.200s: a single failure is worse than the declared worst-case failure",
                    o->given->config_path);
    config_free(&m->config);
  }
  free(m->point), free(m->unit_of), free(m->shapes), free(m->drift);
  free(m);
  return status;
}

// ------------------------------------------------------------
// The list of failures, what each leaves, and the comparison with the declared worst-case failure.

// Of the limiting wind, above the bisection's 0.25 m/s / 2^14.

// A single piece of equipment is a group of its own.
static struct failure_group_def what_fails(const struct capability_model *m, struct failed_item item) {
  const struct plant_def *plant = &m->config.sim.vessel.plant;
  struct failure_group_def what = {.thrusters = 0};
  if (item.kind == FAILED_GROUP)
    return m->config.failure_group[item.index];
  *(item.kind == FAILED_THRUSTER ? &what.thrusters
    : item.kind == FAILED_BUS    ? &what.buses
                                 : &what.generators) = 1u << item.index;
  snprintf(what.name, sizeof what.name, "%s",
           item.kind == FAILED_THRUSTER ? plant->thruster[item.index].name
           : item.kind == FAILED_BUS    ? plant->bus[item.index].name
                                        : plant->power.generator[item.index].name);
  return what;
}

static struct capability_case case_of(const struct capability_model *m, struct failed_item item) {
  const struct plant_def *plant = &m->config.sim.vessel.plant;
  const struct failure_group_def what = what_fails(m, item);
  struct capability_case c = {.item = item};
  c.stopped = what.thrusters | level2_left_after(plant, what.buses, what.generators, &c.power);
  snprintf(c.name, sizeof c.name, "%s %s", failed_kind_name(item.kind), what.name);
  for (int i = 0; i < m->config.capability.intent_count; i++)
    c.is_declared |= m->config.capability.intent[i].kind == item.kind &&
                     m->config.capability.intent[i].index == item.index;
  return c;
}

// Fills the list of cases with the intact vessel and the failures of these kinds, bits of enum failed_kind. A
// generator fails at level 1 only if a bus goes dark without it, because level 1 knows no power.
static void capability_list_cases(struct capability_model *m, unsigned kinds) {
  const struct plant_def *plant = &m->config.sim.vessel.plant;
  const int counts[FAILED_KINDS] = {plant->thruster_count, plant->bus_count, plant->power.generator_count,
                                    m->config.failure_group_count};
  struct capability_case *intact = &m->cases[m->case_count++];
  *intact = (struct capability_case){.name = "intact"};
  level2_left_after(plant, 0, 0, &intact->power);
  for (int kind = 0; kind < FAILED_KINDS; kind++)
    for (int i = 0; kinds >> kind & 1 && i < counts[kind]; i++) {
      const struct capability_case c = case_of(m, (struct failed_item){(enum failed_kind)kind, i});
      if (kind == FAILED_GENERATOR && m->level == 1 && !c.stopped && !c.is_declared)
        continue;
      m->cases[m->case_count++] = c;
      m->declared_count += c.is_declared;
    }
  if (m->declared_count < m->config.capability.intent_count) // the list leaves some of them out
    m->declared_count = 0;
}
