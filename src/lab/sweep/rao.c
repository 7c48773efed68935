// Motions of a vessel in regular waves: the points, the case, the fit to a record, the linear answer.
#include "lab/sweep/sweep.h"

#include "lab/sweep/sweep_internal.h"
#include "net/case/case.h"
#include "os/files/files.h"
#include "sagbend/base/base.h"
#include "sagbend/case/case.h"
#include "sagbend/hydro/hydro.h"
#include "sagbend/vessel/vessel.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TWO_PI = 6.283185307179586;
enum { ROWS_OF_PERIOD = 20, TEXT = 1024 };
enum { RAO_PERIODS = 10 }; // over which the amplitudes are taken, after the settling

// ---- amplitude and phase of the motions in a record ----

enum { TERMS = 5, SERIES = 7, FEWEST_ROWS = 50 }; // series: six motions and the wave

static const char *const COLUMNS[SERIES + 1] = {"north_m",   "east_m",      "down_m",           "roll_rad",
                                                "pitch_rad", "heading_rad", "wave_elevation_m", "time_s"};

struct fit {
  int column[SERIES + 1]; // of the record
  double normal[TERMS][TERMS], right[TERMS][SERIES];
  int rows;
  double last_s; // time of the last one
};

// Takes the numbers of a row. Returns their number.
static int read_wave_row(const struct fit *fit, const char *line, double value[SERIES + 1]) {
  int found = 0, column = 0;
  for (const char *c = line; c; column++) {
    for (int i = 0; i <= SERIES; i++)
      if (fit->column[i] == column) {
        char *end;
        value[i] = strtod(c, &end);
        found += end != c && isfinite(value[i]);
      }
    c = strchr(c, ',');
    c = c ? c + 1 : NULL;
  }
  return found;
}

static void add_row(struct fit *fit, double omega, double middle, double half, const double *value) {
  double t = value[SERIES], x = (t - middle) / half,
         term[TERMS] = {cos(omega * t), -sin(omega * t), 1, x, x * x};
  for (int i = 0; i < TERMS; i++) {
    for (int j = 0; j < TERMS; j++)
      fit->normal[i][j] += term[i] * term[j];
    for (int j = 0; j < SERIES; j++)
      fit->right[i][j] += term[i] * value[j];
  }
  fit->rows++;
  fit->last_s = t;
}

// Elimination without pivots: the normal equations are positive definite.
static int solve(struct fit *fit) {
  for (int k = 0; k < TERMS; k++) {
    if (!(fit->normal[k][k] > 1e-9 * fit->rows))
      return 0;
    for (int i = 0; i < TERMS; i++) {
      double share = i == k ? 0 : fit->normal[i][k] / fit->normal[k][k];
      for (int j = k; j < TERMS; j++)
        fit->normal[i][j] -= share * fit->normal[k][j];
      for (int j = 0; j < SERIES; j++)
        fit->right[i][j] -= share * fit->right[k][j];
    }
  }
  return 1;
}

static int take_header(struct fit *fit, const char *line) {
  int all = 1;
  for (int i = 0; i <= SERIES; i++) {
    fit->column[i] = record_column(line, COLUMNS[i]);
    all = all && fit->column[i] >= 0;
  }
  return all;
}

// Fits a harmonic of frequency omega, a constant, a slope and a curvature by least squares to the rows of the
// record from from_s to to_s. motion: per metre of wave amplitude in the phasors of vessel.h, with the
// phase of the wave at the reference point as zero. STATUS_IO: the record cannot be read or has too few rows.
static enum status wave_fit(const char *record, double omega, double from_s, double to_s, double motion[12],
                            struct reason *why) {
  struct fit fit = {.rows = 0};
  char *line = NULL;
  size_t size = 0;
  double value[SERIES + 1];
  int has_header = 0;
  FILE *file = fopen(record, "r");
  if (!file)
    return fail(why, STATUS_IO, "%s: %s", record, strerror(errno));
  while (getline(&line, &size, file) > 0)
    if (!has_header && *line != '#')
      has_header = take_header(&fit, line) ? 1 : -1;
    else if (has_header > 0 && read_wave_row(&fit, line, value) == SERIES + 1 && value[SERIES] >= from_s &&
             value[SERIES] <= to_s)
      add_row(&fit, omega, 0.5 * (from_s + to_s), 0.5 * (to_s - from_s), value);
  free(line);
  fclose(file);
  if (fit.rows < FEWEST_ROWS || fit.last_s < to_s - 0.01 * (to_s - from_s) || !solve(&fit))
    return fail(why, STATUS_IO, "%s: at least %d rows from %g to %g s expected, got %d up to %g s", record,
                FEWEST_ROWS, from_s, to_s, fit.rows, fit.last_s);

  double complex z[SERIES];
  for (int i = 0; i < SERIES; i++)
    z[i] = complex_number(fit.right[0][i] / fit.normal[0][0], fit.right[1][i] / fit.normal[1][1]);
  for (int i = 0; i < 6; i++) {
    motion[2 * i] = creal(z[i] / z[6]);
    motion[2 * i + 1] = cimag(z[i] / z[6]);
  }
  return STATUS_OK;
}

// ---- the points ----

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
  return plan_settings_add(out, text, place);
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
                                       "initial_holding_force=[0,0,0,0,0,0]",
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
  int ok = plan_axis_make(axis, column, count);
  for (int i = 0; ok && i < count; i++)
    ok = (axis->level[i].cell[0] = strdup(number_text(value[i]).text)) != NULL;
  return ok;
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

// The points as the plan of a sweep: axis 1 the frequencies, axis 2 the headings. Each point records the
// motions. Release with plan_free in every case.
static enum status make_plan(const struct rao_options *o, const struct rao_case *c, struct plan *plan,
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

struct session {
  const struct rao_options *options;
  const struct rao_case *c;
};

static void linear_response(const struct rao_case *c, double omega, double heading_rad, double motion[12]);

// A point of the results. Records that are missing are counted, damaged ones are errors.
static enum status take_point(struct rao_results *r, const struct sweep_folder *folder, int k,
                              struct reason *why) {
  const struct rao_case *c = r->c;
  struct rao_row *row = &r->row[k];
  struct point_record record;
  double omega = c->grid.omega_radps[k / c->grid.headings],
         heading = c->grid.heading_deg[k % c->grid.headings] * TWO_PI / 360;
  linear_response(c, omega, heading, row->linear);
  if (rao_has_motions(r))
    hydro_table_interpolate(&c->hydro->motion, omega, heading, row->file);
  enum status status = point_record_read(folder, k + 1, &record, why);
  if (status == STATUS_OK)
    row->is_there = record.outcome == POINT_PASSED;
  point_record_free(&record);
  r->missing += !row->is_there;
  if (status != STATUS_OK || !row->is_there)
    return status;
  struct reason found = {""};
  status = wave_fit(sweep_point_path(folder, k + 1, "record.csv").text, omega, c->settle_s,
                    c->settle_s + RAO_PERIODS * TWO_PI / omega, row->simulated, &found);
  return status == STATUS_OK ? status
                             : fail(why, status, "%.300s; remove %.120s and run the point again", found.text,
                                    sweep_point_path(folder, k + 1, "").text);
}

static void find_worst(struct rao_results *r) {
  for (int k = 0; k < r->rows; k++)
    for (int i = 0; i < 6 && r->row[k].is_there; i++) {
      double difference = rao_difference(r, r->row[k].simulated, r->row[k].linear, i);
      if (!(difference <= r->worst[i].difference))
        r->worst[i] = (struct rao_worst){difference, k};
    }
}

// Whether all points are there and near the linear answer.
static enum status judge(const struct rao_results *r, double tolerance, struct reason *why) {
  if (r->missing)
    return fail(why, STATUS_IO, "%d of %d points have no result; the same command runs them", r->missing,
                r->rows);
  for (int i = 0; i < 6 && tolerance > 0; i++)
    if (!(r->worst[i].difference <= tolerance))
      return fail(why, STATUS_IO,
                  "--tolerance %g: %s differs from the linear answer by %.4g of its peak, at point %d",
                  tolerance, RAO_MOTION[i], r->worst[i].difference, r->worst[i].row + 1);
  return STATUS_OK;
}

static enum status collect(const struct plan *plan, const struct sweep_folder *folder, void *context,
                           struct reason *why) {
  const struct session *s = context;
  struct rao_results r = {.c = s->c, .folder = folder->path, .rows = plan->point_count};
  enum status status = STATUS_OK;
  r.row = calloc((size_t)r.rows, sizeof *r.row);
  if (!r.row)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the results");
  for (int k = 0; k < r.rows && status == STATUS_OK; k++)
    status = take_point(&r, folder, k, why);
  find_worst(&r);
  if (status == STATUS_OK)
    status = rao_write_csv(&r, why);
  if (status == STATUS_OK)
    status = rao_write_json(&r, s->options->json, why);
  if (status == STATUS_OK)
    status = rao_write_plot(&r, why);
  if (status == STATUS_OK && !s->options->json)
    rao_print(&r);
  if (status == STATUS_OK)
    status = judge(&r, s->options->tolerance, why);
  free(r.row);
  return status;
}

static void rao_case_free(struct rao_case *c);
static enum status rao_case_read(const struct rao_options *o, struct rao_case *c, struct reason *why);

enum status rao(const struct rao_options *o, struct reason *why) {
  struct rao_case c;
  struct plan plan = {.path = NULL};
  char text[400];
  struct session session = {o, &c};
  // "ship-rao" for "cases/ship.yaml"
  char *folder = o->folder ? strdup(o->folder) : sweep_folder_name(o->case_path, "-rao");
  if (!folder)
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  const struct sweep_options options = {.folder = folder,
                                        .action = o->action,
                                        .point = o->point,
                                        .jobs = o->jobs,
                                        .collect = collect,
                                        .context = &session};
  enum status status = rao_case_read(o, &c, why);
  if (status == STATUS_OK && hydro_fit_notice(c.hydro, text, sizeof text))
    fprintf(stderr, "%s: notice: vessel.hydro_file: %s\n", o->case_path, text);
  if (status == STATUS_OK)
    status = make_plan(o, &c, &plan, why);
  if (status == STATUS_OK)
    status = sweep_plan(&plan, &options, why);
  plan_free(&plan);
  rao_case_free(&c);
  free(folder);
  return status;
}

// ------------------------------------------------------------
struct limits {
  const char *option, *expected;
  double least, most;
  int count;
};

static enum status read_range(const struct limits *limits, const char *text, double *value, int *count,
                              struct reason *why) {
  struct number_range range;
  if (!text || !number_range_read(text, limits->count, &range) || !(range.first >= limits->least) ||
      !(range.last <= limits->most))
    return fail(why, STATUS_BAD_INPUT,
                "--%s: FIRST:LAST:STEP or a number, %s, at most %d values, expected, got '%.60s'",
                limits->option, limits->expected, limits->count, text ? text : "nothing");
  *count = range.count;
  for (int i = 0; i < range.count; i++)
    value[i] = number_range_at(&range, i);
  return STATUS_OK;
}

// Reads two ranges FIRST:LAST:STEP, or single numbers. STATUS_BAD_INPUT: why names the option.
static enum status read_grid(const char *frequencies, const char *headings, struct rao_grid *out,
                             struct reason *why) {
  static const struct limits frequency = {"frequencies", "in rad/s from 0.01 to 10", 0.01, 10,
                                          RAO_MAX_FREQUENCIES},
                             heading = {"headings", "in degrees from 0 to 360", 0, 360, RAO_MAX_HEADINGS};
  enum status status = read_range(&frequency, frequencies, out->omega_radps, &out->frequencies, why);
  return status == STATUS_OK ? read_range(&heading, headings, out->heading_deg, &out->headings, why) : status;
}

const double RAO_WAVE_AMPLITUDE_M =
    0.01; // small: what is quadratic in it, as a mean heading, is nothing beside it

static const double HOLD_SHARE = 0.1;   // frequency of the hold, of the lowest wave frequency
static const double HOLD_DAMPING = 0.2; // of critical damping
static const double SHORTEST_SETTLE_S = 500;

static enum status check_case(const struct rao_options *o, const struct rao_case *c, struct reason *why) {
  const struct hydro_data *data = c->config->hydro;
  const struct rao_grid *grid = &c->grid;
  if (!data)
    return fail(why, STATUS_BAD_INPUT,
                "%.200s needs vessel.hydro_file, which contains the wave forces and the linear answer",
                o->case_path);
  if (c->config->sim.pipe.elements > 0)
    return fail(why, STATUS_BAD_INPUT,
                "%.200s: pipe is not allowed: the linear answer is that of the vessel alone; leave it out "
                "by --set pipe=null --set statics=null",
                o->case_path);
  if (!data->force.frequencies)
    return fail(why, STATUS_BAD_INPUT, "%.200s: the file has no wave forces", c->config->hydro_file);
  double first = data->force.omega_radps[0], last = data->force.omega_radps[data->force.frequencies - 1];
  if (grid->omega_radps[0] < first || grid->omega_radps[grid->frequencies - 1] > last * (1 - 1e-9))
    return fail(why, STATUS_BAD_INPUT,
                "--frequencies: from %.6g to %.6g rad/s, the range of %.200s, expected, got '%.60s'", first,
                last, c->config->hydro_file, o->frequencies);
  return STATUS_OK;
}

// Springs and dampers that keep the vessel in its place and act little at the frequencies of the waves.
static void hold(struct rao_case *c) {
  const struct vessel_def *vessel = &c->config->sim.vessel;
  double omega = HOLD_SHARE * c->grid.omega_radps[0];
  for (int i = 0; i < 6; i++) {
    int is_held = i == 0 || i == 1 || i == 5;
    double inertia = vessel->inertia[i][i] + c->hydro->added_mass_zero[i][i] - c->hydro->added_mass_inf[i][i];
    c->hold_stiffness[i] = is_held ? omega * omega * inertia : 0;
    c->hold_damping[i] = is_held ? 2 * HOLD_DAMPING * omega * inertia : 0;
  }
  c->settle_s = fmax(SHORTEST_SETTLE_S, 15 / omega);
}

static void raise_peaks(struct rao_case *c, const double motion[12]) {
  for (int i = 0; i < 6; i++)
    c->peak[i] = fmax(c->peak[i], hypot(motion[2 * i], motion[2 * i + 1]));
}

// The largest motions of the file and of the linear answer, which may have more, as roll without tanks.
static void find_peaks(struct rao_case *c) {
  const struct hydro_table *motion = &c->hydro->motion, *force = &c->hydro->force;
  double found[12];
  for (int f = 0; f < motion->frequencies; f++)
    for (int h = 0; h < motion->headings; h++)
      raise_peaks(c, hydro_table_at(motion, f, h));
  for (int f = 0; f < force->frequencies; f++)
    for (int h = 0; h < force->headings; h++) {
      if (force->omega_radps[f] < c->grid.omega_radps[0]) // where the hold counts
        continue;
      linear_response(c, force->omega_radps[f], force->heading_rad[h], found);
      raise_peaks(c, found);
    }
}

// Reads grid and case. STATUS_BAD_INPUT: one of them cannot be used. Release with rao_case_free in every
// case.
static enum status rao_case_read(const struct rao_options *o, struct rao_case *c, struct reason *why) {
  *c = (struct rao_case){.config = NULL};
  enum status status = read_grid(o->frequencies, o->headings, &c->grid, why);
  if (status != STATUS_OK)
    return status;
  c->config = calloc(1, sizeof *c->config);
  if (!c->config)
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  status = config_load(o->case_path, (const char *const *)o->overrides, o->override_count, c->config, stderr);
  if (status != STATUS_OK) { // its errors are printed
    free(c->config);
    c->config = NULL;
    return status;
  }
  status = check_case(o, c, why);
  c->hydro = c->config->hydro;
  if (status == STATUS_OK) {
    hold(c);
    find_peaks(c);
  }
  return status;
}

static void rao_case_free(struct rao_case *c) {
  if (c->config)
    config_free(c->config);
  free(c->config);
  c->config = NULL;
}

// ------------------------------------------------------------
// The linear answer to a regular wave.

// Motions per metre of amplitude in the phasors of vessel.h: real and imaginary part of surge, sway,
// heave (m/m), roll, pitch and yaw (rad/m), from mass, added mass, damping, restoring and wave force of the
// hydro file, the linear damping of the configuration, and the hold. A singular system gives NaN.
static void linear_response(const struct rao_case *c, double omega, double heading_rad, double motion[12]) {
  const struct hydro_data *data = c->hydro;
  const struct vessel_def *vessel = &c->config->sim.vessel;
  double force[12], added[6][6], re[6][6], im[6][6];
  double complex a[6][6], x[6];
  int has_mass = data->mass[0][0] > 0;
  hydro_table_interpolate(&data->force, omega, heading_rad, force);
  if (hydro_radiation_at(&data->radiation, omega, added, re))
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++)
        im[i][j] = omega * (added[i][j] - data->added_mass_inf[i][j]);
  else
    hydro_memory_at(&data->memory, omega, re, im);
  for (int i = 0; i < 6; i++) {
    x[i] = complex_number(force[2 * i], force[2 * i + 1]);
    for (int j = 0; j < 6; j++) {
      double inertia =
          has_mass ? data->mass[i][j] + data->added_mass_inf[i][j] : vessel->inertia[i][j]; // includes A_inf
      a[i][j] = complex_number(data->restoring[i][j] - omega * omega * inertia - omega * im[i][j],
                               omega * (re[i][j] + vessel->damping_linear[i][j]));
    }
    a[i][i] += complex_number(c->hold_stiffness[i], omega * c->hold_damping[i]);
  }
  enum status status = complex_solve(6, 6, a[0], 1, x);
  for (int i = 0; i < 6; i++) {
    motion[2 * i] = status == STATUS_OK ? creal(x[i]) : (double)NAN;
    motion[2 * i + 1] = status == STATUS_OK ? cimag(x[i]) : (double)NAN;
  }
}
