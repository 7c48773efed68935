// The sections in order: of the checks, of the JSON Schema and of the resolving step, in which a section may
// use what the sections before it have resolved.
#include "sagbend/case/config_sections.h"
#include "sagbend/model/graded_mesh.h"
#include "sagbend/case/dp_sections.h"
#include "sagbend/case/case_internal.h"

#include <string.h>

static const struct config_section *const SECTIONS[] = {
    &SIMULATION_SECTION,     &VALIDITY_SECTION,    &GROUND_SECTION,     &CURRENT_SECTION,
    &SOIL_SECTION,           &FATIGUE_SECTION,     &WEATHER_SECTION,    &LOADS_SECTION,
    &REFERENCES_SECTION,     &INSTRUMENTS_SECTION, &VESSEL_SECTION,     &VESSEL_HULL_SECTION,
    &VESSEL_WEATHER_SECTION, &POWER_SECTION,       &THRUSTERS_SECTION,  &CAPABILITY_SECTION,
    &PIPE_SECTION,           &CODE_CHECK_SECTION,  &PIPE_YIELD_SECTION, &PIPE_ENDS_SECTION,
    &FEED_SECTION,           &PAYOUT_SECTION,      &TENSIONER_SECTION,  &OPERATIONS_SECTION,
    &RETIRE_SECTION,         &STINGER_SECTION,     &STATICS_SECTION,    &PIPE_WIRE_SECTION,
    &EVENTS_SECTION,         &VERDICTS_SECTION,    &CONTROLLER_SECTION, &NETWORK_SECTION,
    &VIEW_SECTION,
};
enum { SECTION_COUNT = sizeof SECTIONS / sizeof *SECTIONS };

// Keys of a case that no step depends on, and that programs read by sections of their own: sockets, buses,
// logs. Who registers none (struct config_sections) may be given a case that has them.
static const struct key_def KEYS_OF_PROGRAMS[] = {
    {"network.command_endpoint", AS_ANY, .outside_model = 1, .optional = 1, .doc = "Of a session."},
    {"network.telemetry_endpoint", AS_ANY, .outside_model = 1, .optional = 1, .doc = "Of a session."},
    {"network.server_key", AS_ANY, .outside_model = 1, .optional = 1, .doc = "Of a session."},
    {"network.admitted_keys", AS_ANY, .outside_model = 1, .optional = 1, .doc = "Of a session."},
    {"network.withhold_truth", AS_ANY, .outside_model = 1, .optional = 1, .doc = "Of a session."},
    {"log", AS_ANY, .outside_model = 1, .optional = 1, .doc = "Of a session."},
    {"nmea", AS_ANY, .outside_model = 1, .optional = 1, .doc = "Of a session."},
    {"modbus", AS_ANY, .outside_model = 1, .optional = 1, .doc = "Of a session."},
};
static const struct key_rows ROWS_OF_PROGRAMS = KEY_ROWS(KEYS_OF_PROGRAMS);
static const struct key_group GROUP_OF_PROGRAMS = {.rows = &ROWS_OF_PROGRAMS, .prefix = ""};

static const struct dp_section *const DP_SECTIONS[] = {&DP_CONTROL_SECTION,    &DP_ROUTE_SECTION,
                                                       &DP_NAVIGATION_SECTION, &DP_TELEGRAMS_SECTION,
                                                       &DP_ALLOCATION_SECTION, &DP_CONSEQUENCE_SECTION};
enum { DP_SECTION_COUNT = sizeof DP_SECTIONS / sizeof *DP_SECTIONS };

static const struct removed_key REMOVED[] = {
    {"rig", "hil"},
    {"statics.ballast", "weight_compensation"},
    {"vessel.thrusters[].ventilation", "ventilation_factor"},
};

static const struct removed_key DP_REMOVED[] = {
    {"navigation.old_s", "stale_s"},
    {"thrusters[].price", "weight"},
    {"allocation.least_share", "azimuth_min_share"},
};

static void add_groups(struct schema *schema, const struct key_group *groups, int count) {
  for (int i = 0; i < count && schema->title; i++)
    if (schema_add(schema, &groups[i]) != STATUS_OK)
      schema_free(schema);
}

struct schema config_schema(const struct config_sections *more) {
  struct schema schema = {.title = "Sagbend configuration",
                          .removed = REMOVED,
                          .removed_count = sizeof REMOVED / sizeof *REMOVED};
  for (int i = 0; i < SECTION_COUNT; i++)
    add_groups(&schema, SECTIONS[i]->groups, SECTIONS[i]->group_count);
  for (int i = 0; more && i < more->count; i++)
    add_groups(&schema, more->section[i]->groups, more->section[i]->group_count);
  if (!more)
    add_groups(&schema, &GROUP_OF_PROGRAMS, 1);
  return schema;
}

struct schema dp_schema(void) {
  struct schema schema = {.title = "Sagbend DP controller",
                          .removed = DP_REMOVED,
                          .removed_count = sizeof DP_REMOVED / sizeof *DP_REMOVED};
  for (int i = 0; i < DP_SECTION_COUNT; i++)
    add_groups(&schema, DP_SECTIONS[i]->groups, DP_SECTIONS[i]->group_count);
  return schema;
}

void config_check(const struct check *c, const struct config_sections *more) {
  for (int i = 0; i < SECTION_COUNT; i++)
    if (SECTIONS[i]->check)
      SECTIONS[i]->check(c);
  for (int i = 0; more && i < more->count; i++)
    if (more->section[i]->check)
      more->section[i]->check(c);
}

void config_resolve(const struct check *c, const struct config_sections *more, struct config *out) {
  for (int i = 0; i < SECTION_COUNT; i++)
    if (SECTIONS[i]->resolve)
      SECTIONS[i]->resolve(c, out);
  for (int i = 0; more && i < more->count; i++)
    if (more->section[i]->resolve)
      more->section[i]->resolve(c, out);
  const struct vessel_def *vessel = &out->sim.vessel;
  graded_mesh(&out->sim.pipe, &out->sim.env, &out->sim.statics,
              vessel->position_n_m[2] + vessel->hangoff_b_m[2]);
  config_resolve_wires(c, out);
  config_scale_event_times(out); // of the resolved loads, events and verdicts
}

void dp_check(const struct check *c) {
  for (int i = 0; i < DP_SECTION_COUNT; i++)
    if (DP_SECTIONS[i]->check)
      DP_SECTIONS[i]->check(c);
}

void dp_resolve(const struct check *c, struct dp_config *out) {
  for (int i = 0; i < DP_SECTION_COUNT; i++)
    if (DP_SECTIONS[i]->resolve)
      DP_SECTIONS[i]->resolve(c, out);
}

static int has_bore(const struct pipe_def *pipe) {
  int found = pipe->line.inner_diameter_m > 0;
  for (int k = 0; k < pipe->type_count; k++)
    found |= pipe->types[k].inner_diameter_m > 0;
  return found && pipe->elements > 0;
}

void config_hil_names(const struct config *c, struct hil_names *names) {
  struct instruments_def resolved = c->suite.instruments; // a draft is not
  const struct instruments_def *all = &resolved;
  const struct plant_def *plant = &c->sim.vessel.plant;
  char key[64];

  instruments_resolve(&resolved, key, NULL);
  memset(names, 0, sizeof *names);
  names->instrument_count = all->count;
  for (int i = 0; i < all->count; i++) {
    memcpy(names->instrument[i], all->instrument[i].name, sizeof names->instrument[i]);
    names->instrument_kind[i] = all->instrument[i].kind;
    names->other_targets[i] = all->instrument[i].reference.target_count - 1;
  }

  names->common_count = all->common_count;
  for (int i = 0; i < all->common_count; i++) {
    memcpy(names->common[i], all->common[i].name, SIGNAL_NAME);
    names->common_channels[i] = all->common[i].channels;
  }

  names->thruster_count = plant->thruster_count;
  for (int i = 0; i < plant->thruster_count; i++) {
    memcpy(names->thruster[i], plant->thruster[i].name, SIGNAL_NAME);
    names->full_rpm[i] = plant->thruster[i].revolutions_max_rpm;
    names->thruster_kind[i] = plant->thruster[i].kind;
  }

  names->has_tensioner = c->sim.pipe.tensioner.order_count > 0;
  names->has_bore = has_bore(&c->sim.pipe);
  names->has_fixed_setpoint = c->sim.controller == CONTROLLER_CONTINUOUS;
  names->bus_count = plant->bus_count;
  for (int i = 0; i < plant->bus_count; i++)
    memcpy(names->bus[i], plant->bus[i].name, SIGNAL_NAME);
  names->has_power_plant = power_is_present(&plant->power);
  names->generator_count = plant->power.generator_count;
  for (int i = 0; i < plant->power.generator_count; i++)
    memcpy(names->generator[i], plant->power.generator[i].name, SIGNAL_NAME);
  names->tie_count = plant->power.tie_count;
  for (int i = 0; i < plant->power.tie_count; i++)
    memcpy(names->tie[i], plant->power.tie[i].name, SIGNAL_NAME);
}
