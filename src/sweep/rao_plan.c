#define _POSIX_C_SOURCE 200809L
#include "sweep/rao_plan.h"

#include "core/base/number_text.h"
#include "io/config/config.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const double TWO_PI = 6.283185307179586;
enum { ROWS_OF_PERIOD = 20, TEXT = 1024 };

// Adds an override; place is where its value comes from. Returns 0 without memory.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static int add(struct plan_settings *out, const char *place, const char *format, ...) {
  char text[TEXT];
  va_list values;
  va_start(values, format);
  int size = vsnprintf(text, sizeof text, format, values);
  va_end(values);
  if (size >= (int)sizeof text)
    return 0;
  struct plan_setting *more = realloc(out->item, ((size_t)out->count + 1) * sizeof *more);
  if (!more)
    return 0;
  out->item = more;
  const struct plan_setting added = {strdup(text), strdup(place)};
  out->item[out->count] = added;
  out->count++;
  return added.text && added.place;
}

// The vessel alone at rest in regular waves, held. What else the case has is left out.
static int add_common(const struct rao_options *o, const struct rao_case *c, struct plan_settings *out) {
  static const char place[] = "sagbend rao";
  static const char *const absent[] = {"environment.wind=null",
                                       "environment.current=null",
                                       "events=[]",
                                       "verdicts=[]",
                                       "loads=[]",
                                       "instruments=[]",
                                       "hold_wrench=[0,0,0,0,0,0]",
                                       "vessel.attitude_rad=null",
                                       "vessel.attitude_deg=[0,0,0]",
                                       "vessel.velocity_b=[0,0,0,0,0,0]",
                                       "simulation.event_time_scale=1"};
  const struct vessel_def *vessel = &c->config->sim.vessel;
  int ok = 1;
  for (int i = 0; ok && i < o->override_count; i++)
    ok = add(out, "--set", "%s", o->overrides[i]);
  for (size_t i = 0; ok && i < sizeof absent / sizeof *absent; i++)
    ok = add(out, place, "%s", absent[i]);
  ok = ok &&
       add(out, place, "vessel.position_n_m=[0,0,%.17g]", vessel->equilibrium_z_m - vessel->flotation_b_m[2]);
  ok = ok && add(out, place,
                 "vessel.waves={length_m: 1, beam_m: 1, draft_m: 1, first_order: true, slow_drift: false}");
  ok = ok && add(out, place,
                 "environment.waves={spectrum: regular, significant_height_m: %.17g, peak_period_s: 10, "
                 "direction_deg: 0, ramp_s: 60}",
                 2 * RAO_WAVE_AMPLITUDE_M);
  return ok && add(out, place,
                   "controller={kind: continuous, pid: {kp: [%.17g,%.17g,0,0,0,%.17g], kd: "
                   "[%.17g,%.17g,0,0,0,%.17g], ki: [0,0,0,0,0,0], setpoint: {position_m: [0,0,0], "
                   "attitude_deg: [0,0,0]}, start_s: 0}}",
                   c->hold_stiffness[0], c->hold_stiffness[1], c->hold_stiffness[5], c->hold_damping[0],
                   c->hold_damping[1], c->hold_damping[5]);
}

static int make_axis(struct plan_axis *axis, const char *column, const double *value, int count) {
  axis->column[0] = strdup(column);
  axis->column_count = 1;
  axis->level = calloc((size_t)count, sizeof *axis->level);
  if (!axis->column[0] || !axis->level)
    return 0;
  axis->level_capacity = count;
  for (int i = 0; i < count; i++) {
    struct plan_level *level = &axis->level[axis->level_count++];
    level->cell = calloc(1, sizeof *level->cell);
    if (!level->cell || !(level->cell[0] = strdup(number_text(value[i]).text)))
      return 0;
  }
  return 1;
}

static int add_frequency(const struct rao_case *c, int i, struct plan_level *level) {
  double period_s = TWO_PI / c->grid.omega_radps[i], step_s = c->config->sim.step_s,
         steps = floor(period_s / ROWS_OF_PERIOD / step_s);
  level->record_every_s = (steps > 1 ? steps : 1) * step_s;
  return add(&level->settings, "--frequencies", "environment.waves.peak_period_s=%.17g", period_s) &&
         add(&level->settings, "--frequencies", "simulation.duration_s=%.17g",
             c->settle_s + (RAO_PERIODS + 1) * period_s);
}

// direction_deg is where the waves come from.
static int add_heading(const struct rao_case *c, int i, struct plan_level *level) {
  return add(&level->settings, "--headings", "environment.waves.direction_deg=%.17g",
             fmod(c->grid.heading_deg[i] + 180, 360));
}

static int make(const struct rao_options *o, const struct rao_case *c, struct plan *plan) {
  plan->path = strdup("sagbend rao");
  plan->base_path = strdup(o->case_path);
  int ok = plan->path && plan->base_path && add_common(o, c, &plan->set);
  plan->axis_count = 2;
  ok = ok && make_axis(&plan->axis[0], "frequency_radps", c->grid.omega_radps, c->grid.frequencies) &&
       make_axis(&plan->axis[1], "heading_deg", c->grid.heading_deg, c->grid.headings);
  for (int i = 0; ok && i < c->grid.frequencies; i++)
    ok = add_frequency(c, i, &plan->axis[0].level[i]);
  for (int i = 0; ok && i < c->grid.headings; i++)
    ok = add_heading(c, i, &plan->axis[1].level[i]);
  return ok;
}

enum status rao_plan_make(const struct rao_options *o, const struct rao_case *c, struct plan *plan,
                          struct reason *why) {
  *plan = (struct plan){.mode = RUN_FAST, .draws = 1};
  if (strlen(o->case_path) >= sizeof plan->base)
    return fail(why, STATUS_BAD_INPUT, "%.100s...: the path is too long", o->case_path);
  if (o->override_count > PLAN_MAX_SETTINGS - 40)
    return fail(why, STATUS_BAD_INPUT, "at most %d options --set expected, got %d", PLAN_MAX_SETTINGS - 40,
                o->override_count);
  for (int i = 0; i < o->override_count; i++)
    if (strlen(o->overrides[i]) >= TEXT)
      return fail(why, STATUS_BAD_INPUT, "--set: at most %d characters expected, got '%.60s...'", TEXT - 1,
                  o->overrides[i]);
  snprintf(plan->name, sizeof plan->name, "%s", c->config->name);
  snprintf(plan->base, sizeof plan->base, "%s", o->case_path);
  plan->point_count = c->grid.frequencies * c->grid.headings;
  return make(o, c, plan) ? STATUS_OK : fail(why, STATUS_NO_MEMORY, "out of memory for the points");
}
