// The result as JSON, with everything that it was computed from.
#include "lab/capability/capability.h"

#include "sagbend/math/trig.h"
#include "os/files/json_text.h"

#include <math.h>
#include <stdio.h>

static const double DEG = 180 / TRIG_PI;

static void add_finite(cJSON *to, const char *name, double value) {
  if (isfinite(value) && value != 0)
    cJSON_AddNumberToObject(to, name, value);
  else
    cJSON_AddNullToObject(to, name);
}

static void add_hull(cJSON *root, const struct level1_hull *h) {
  cJSON *hull = cJSON_AddObjectToObject(root, "hull");
  const struct {
    const char *name;
    double value;
  } all[] = {{"length_m", h->length_m},
             {"beam_m", h->beam_m},
             {"draft_m", h->draft_m},
             {"underwater_length_m", h->underwater_length_m},
             {"underwater_centre_m", h->underwater_centre_m},
             {"bow_angle_deg", h->bow_angle_rad * DEG},
             {"waterplane_aft_m2", h->waterplane_aft_m2},
             {"frontal_area_m2", h->frontal_area_m2},
             {"lateral_area_m2", h->lateral_area_m2},
             {"wind_centre_m", h->wind_centre_m},
             {"current_area_m2", h->current_area_m2},
             {"current_centre_m", h->current_centre_m}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    cJSON_AddNumberToObject(hull, all[i].name, all[i].value);
}

static void add_level1_thruster(cJSON *item, const struct level1_thruster *t) {
  cJSON_AddNumberToObject(item, "diameter_m", t->diameter_m);
  cJSON_AddNumberToObject(item, "brake_power_w", t->power_w);
  cJSON_AddNumberToObject(item, "height_above_keel_m", t->height_m);
  cJSON_AddNumberToObject(item, "nominal_thrust_n", t->nominal_n);
}

static void add_thrusters(cJSON *root, const struct capability_model *m) {
  const struct plant_def *plant = &m->config.sim.vessel.plant;
  cJSON *list = cJSON_AddArrayToObject(root, "thrusters");
  for (int i = 0; i < plant->thruster_count; i++) {
    const struct thruster_def *t = &plant->thruster[i];
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToArray(list, item);
    cJSON_AddStringToObject(item, "name", t->name);
    cJSON_AddStringToObject(item, "kind", THRUSTER_KINDS[t->kind].word);
    cJSON_AddItemToObject(item, "position_b_m", cJSON_CreateDoubleArray(t->position_b_m, 3));
    if (m->level == 1) {
      add_level1_thruster(item, &m->one.thruster[i]);
      continue;
    }
    cJSON_AddNumberToObject(item, "thrust_max_n", t->thrust_max_n);
    cJSON_AddNumberToObject(item, "ventilation_factor", t->ventilation);
    cJSON_AddNumberToObject(item, "inflow_loss_spm", t->inflow_loss_spm);
    cJSON_AddNumberToObject(item, "power_max_w", t->power_max_w);
    if (t->bus >= 0)
      cJSON_AddStringToObject(item, "bus", plant->bus[t->bus].name);
  }
  cJSON *buses = cJSON_AddArrayToObject(root, "buses");
  for (int b = 0; b < plant->bus_count; b++) {
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToArray(buses, item);
    cJSON_AddStringToObject(item, "name", plant->bus[b].name);
    if (!power_is_present(&plant->power))
      cJSON_AddNumberToObject(item, "available_w", plant->bus[b].available_w);
  }
}

static void add_weather(cJSON *root) {
  cJSON *list = cJSON_AddArrayToObject(root, "weather");
  for (int n = 1; n <= WEATHER_NUMBERS; n++) {
    struct weather w = weather_of(n);
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToArray(list, item);
    cJSON_AddNumberToObject(item, "number", n);
    cJSON_AddNumberToObject(item, "wind_mps", w.wind_mps);
    cJSON_AddNumberToObject(item, "significant_height_m", w.wave_height_m);
    cJSON_AddNumberToObject(item, "peak_period_s", w.peak_period_s);
    cJSON_AddNumberToObject(item, "current_mps", w.current_mps);
  }
}

static void add_loads(cJSON *root, const struct capability_model *m) {
  cJSON *list = cJSON_AddArrayToObject(root, "loads");
  for (int n = 1; n <= WEATHER_NUMBERS; n++)
    for (int d = 0; d < m->direction_count; d++) {
      struct weather w = weather_of(n);
      struct capability_loads loads = capability_loads_at(m, d, &w);
      cJSON *item = cJSON_CreateObject();
      cJSON_AddItemToArray(list, item);
      cJSON_AddNumberToObject(item, "number", n);
      cJSON_AddNumberToObject(item, "direction_deg", m->direction_rad[d] * DEG);
      cJSON_AddItemToObject(item, "wind_b", cJSON_CreateDoubleArray(loads.wind, 3));
      cJSON_AddItemToObject(item, "current_b", cJSON_CreateDoubleArray(loads.current, 3));
      cJSON_AddItemToObject(item, "waves_b", cJSON_CreateDoubleArray(loads.waves, 3));
      cJSON_AddItemToObject(item, "external_b", cJSON_CreateDoubleArray(loads.external, 3));
    }
}

static void add_point(cJSON *list, const struct capability_model *m, int c, int d) {
  const struct plant_def *plant = &m->config.sim.vessel.plant;
  const struct capability_point *p = capability_point_at(m, c, d);
  cJSON *item = cJSON_CreateObject();
  cJSON_AddItemToArray(list, item);
  cJSON_AddNumberToObject(item, "direction_deg", m->direction_rad[d] * DEG);
  cJSON_AddNumberToObject(item, "number", p->number);
  add_finite(item, "utilisation", p->at);
  add_finite(item, "utilisation_next", p->next);
  cJSON_AddNumberToObject(item, "utilisation_gap", p->bound);
  cJSON_AddNumberToObject(item, "limit_wind_mps", p->limit_mps);
  cJSON_AddBoolToObject(item, "beyond_table", p->beyond);
  cJSON_AddItemToObject(item, "thruster_share", cJSON_CreateDoubleArray(p->share, plant->thruster_count));
  cJSON_AddItemToObject(item, "bus_power_w", cJSON_CreateDoubleArray(p->bus_w, plant->bus_count));
}

static void add_published(cJSON *root, const struct capability_model *m) {
  cJSON *list = cJSON_AddArrayToObject(root, "published");
  for (int near = 1; near >= 0; near--)
    cJSON_AddItemToArray(list, cJSON_CreateNumber(capability_least(m, 0, 1, near)));
  for (int near = 1; near >= 0 && m->case_count > 1; near--)
    cJSON_AddItemToArray(list, cJSON_CreateNumber(capability_least(m, 1, m->case_count, near)));
}

// The declared worst-case failure, and where a single failure is worse.
static void add_intent(cJSON *root, const struct capability_model *m) {
  if (!m->config.capability.intent_count)
    return;
  cJSON *intent = cJSON_AddObjectToObject(root, "worst_case_failure");
  cJSON *declared = cJSON_AddArrayToObject(intent, "declared"), *worse;
  cJSON_AddBoolToObject(intent, "compared", m->declared_count > 0);
  cJSON_AddBoolToObject(intent, "all_failures", m->is_complete);
  if (m->declared_count)
    cJSON_AddBoolToObject(intent, "met", !capability_compare(m).cases);
  worse = cJSON_AddArrayToObject(intent, "worse");
  for (int c = 1; c < m->case_count; c++) {
    if (m->cases[c].is_declared)
      cJSON_AddItemToArray(declared, cJSON_CreateString(m->cases[c].name));
    for (int d = 0; d < m->direction_count; d++) {
      if (!capability_is_worse(m, c, d))
        continue;
      cJSON *item = cJSON_CreateObject();
      cJSON_AddItemToArray(worse, item);
      cJSON_AddStringToObject(item, "case", m->cases[c].name);
      cJSON_AddNumberToObject(item, "direction_deg", m->direction_rad[d] * DEG);
      cJSON_AddNumberToObject(item, "limit_wind_mps", capability_point_at(m, c, d)->limit_mps);
      cJSON_AddNumberToObject(item, "declared_wind_mps", capability_declared_mps(m, d));
      cJSON_AddNumberToObject(item, "number", capability_point_at(m, c, d)->number);
      cJSON_AddNumberToObject(item, "declared_number", capability_declared_number(m, d));
    }
  }
}

static void add_power(cJSON *item, const struct capability_model *m, int c) {
  const struct plant_def *plant = &m->config.sim.vessel.plant;
  const struct power_left *power = &m->cases[c].power;
  cJSON *list = cJSON_AddArrayToObject(item, "islands");
  for (int b = 0; m->level == 2 && b < plant->bus_count; b++) {
    if (power->island[b] != b)
      continue;
    cJSON *island = cJSON_CreateObject(), *buses = cJSON_AddArrayToObject(island, "buses");
    cJSON_AddItemToArray(list, island);
    for (int k = b; k < plant->bus_count; k++)
      if (power->island[k] == b)
        cJSON_AddItemToArray(buses, cJSON_CreateString(plant->bus[k].name));
    cJSON_AddNumberToObject(island, "thrusters_w", power->drives_w[b]);
  }
}

enum status capability_print_json(const struct capability_model *m, struct reason *why) {
  cJSON *root = json_begin();
  char hash[24];
  snprintf(hash, sizeof hash, "%016llx", (unsigned long long)m->config.model_hash);
  cJSON_AddStringToObject(root, "name", m->config.name);
  cJSON_AddNumberToObject(root, "level", m->level);
  cJSON_AddNumberToObject(root, "dynamic_factor", m->factor);
  cJSON_AddStringToObject(root, "external", m->external);
  cJSON_AddStringToObject(root, "model_hash", hash);
  if (m->has_current) {
    cJSON *current = cJSON_AddObjectToObject(root, "current");
    cJSON_AddNumberToObject(current, "speed_mps", m->current_mps);
    cJSON_AddNumberToObject(current, "from_deg", m->current_rad * DEG);
  }
  add_published(root, m);
  add_intent(root, m);
  cJSON *cases = cJSON_AddArrayToObject(root, "cases");
  for (int c = 0; c < m->case_count; c++) {
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToArray(cases, item);
    cJSON_AddStringToObject(item, "name", m->cases[c].name);
    add_power(item, m, c);
    cJSON *points = cJSON_AddArrayToObject(item, "directions");
    for (int d = 0; d < m->direction_count; d++)
      add_point(points, m, c, d);
  }
  if (m->level == 1)
    add_hull(root, &m->one.hull);
  cJSON *skegs = m->level == 1 ? cJSON_AddArrayToObject(root, "skegs_m") : NULL;
  for (int i = 0; m->level == 1 && i < m->config.capability.skeg_count; i++)
    cJSON_AddItemToArray(skegs, cJSON_CreateDoubleArray(m->config.capability.skeg_m[i], 2));
  add_thrusters(root, m);
  add_weather(root);
  add_loads(root, m);
  char *text = json_end(root);
  if (!text)
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  puts(text);
  cJSON_free(text);
  return STATUS_OK;
}
