// The list of failures, what each leaves, and the comparison with the declared worst-case failure.
#include "lab/capability/capability.h"

#include <math.h>
#include <stdio.h>

// Of the limiting wind, above the bisection's 0.25 m/s / 2^14.
static const double ROUNDING_MPS = 0.01;

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

void capability_list_cases(struct capability_model *m, unsigned kinds) {
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

double capability_declared_mps(const struct capability_model *m, int direction) {
  double least = HUGE_VAL;
  for (int c = 1; c < m->case_count; c++)
    if (m->cases[c].is_declared)
      least = fmin(least, capability_point_at(m, c, direction)->limit_mps);
  return least;
}

int capability_declared_number(const struct capability_model *m, int direction) {
  int least = WEATHER_NUMBERS;
  for (int c = 1; c < m->case_count; c++)
    if (m->cases[c].is_declared && capability_point_at(m, c, direction)->number < least)
      least = capability_point_at(m, c, direction)->number;
  return least;
}

int capability_is_worse(const struct capability_model *m, int c, int direction) {
  return c > 0 && m->declared_count > 0 && !m->cases[c].is_declared &&
         capability_point_at(m, c, direction)->limit_mps <
             capability_declared_mps(m, direction) - ROUNDING_MPS;
}

struct capability_worse capability_compare(const struct capability_model *m) {
  struct capability_worse worse = {0};
  int is_counted[CAPABILITY_DIRECTIONS] = {0};
  for (int c = 1; c < m->case_count; c++) {
    int any = 0;
    for (int d = 0; d < m->direction_count; d++) {
      if (!capability_is_worse(m, c, d))
        continue;
      const double by = capability_declared_mps(m, d) - capability_point_at(m, c, d)->limit_mps;
      any = 1;
      worse.directions += !is_counted[d];
      is_counted[d] = 1;
      if (by > worse.by_mps)
        worse.by_mps = by, worse.of_case = c, worse.direction = d;
    }
    worse.cases += any;
  }
  return worse;
}
