// What the checks of several sections share: what is given, what it excludes, lists, profiles, rules of
// commands.
#include "sagbend/case/case.h"
#include "sagbend/case/case_internal.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

const char *instrument_word(int kind) {
  return instrument_name((enum instrument)kind);
}

struct key_path key_path(const char *format, ...) {
  struct key_path path;
  va_list args;

  va_start(args, format);
  vsnprintf(path.text, sizeof path.text, format, args);
  va_end(args);
  return path;
}

const struct node *given(const struct check *c, const char *path) {
  const struct node *node = tree_find(c->root, path);
  return node && !node_is_null(node) ? node : NULL;
}

int is_readable(const struct check *c, const char *path) {
  const struct node *node = tree_find(c->root, path);
  return !node || !node->bad;
}

int is_given_well(const struct check *c, const char *path) {
  return given(c, path) && is_readable(c, path);
}

// Adds an error at a key, or at the section in which it is missing.
static void place(const struct check *c, const char *path, struct error_text text) {
  struct key_path at = key_path("%s", path);
  const struct node *node = tree_find(c->root, at.text);
  int is_value = node && node->kind != NODE_MAP;

  for (char *dot; !node && (dot = strrchr(at.text, '.'));) {
    *dot = '\0';
    node = tree_find(c->root, at.text);
  }
  if (!node)
    node = c->root;
  error_add(c->errors, is_value ? node->at : node->key_at, "%s%s", path, text.text);
}

void report_text(const struct check *c, const char *path, const char *text) {
  place(c, path, error_text(path, text, NULL));
}

void report(const struct check *c, const char *path, const char *format, ...) {
  char expected[320];
  va_list args;

  va_start(args, format);
  vsnprintf(expected, sizeof expected, format, args);
  va_end(args);
  place(c, path, error_text(path, expected, node_found(tree_find(c->root, path)).text));
}

void report_found(const struct check *c, const char *path, const char *found, const char *format, ...) {
  char expected[320];
  va_list args;

  va_start(args, format);
  vsnprintf(expected, sizeof expected, format, args);
  va_end(args);
  place(c, path, error_text(path, expected, found));
}

struct key_path kinds_where(int (*is_of)(const struct thruster_kind_row *kind)) {
  struct key_path text = key_path("needs kind ");
  for (int i = 0, found = 0; i < THRUSTER_KIND_COUNT; i++)
    if (is_of(&THRUSTER_KINDS[i]))
      text = key_path("%s%s%s", text.text, found++ ? " or " : "", THRUSTER_KINDS[i].word);
  return text;
}

int kind_turns(const struct thruster_kind_row *kind) {
  return kind->steering == STEERING_TURNS;
}

void check_allowed(const struct check *c, const char *path, int is_allowed, const char *rule) {
  if (!is_allowed && given(c, path))
    report(c, path, "%s", rule);
}

void check_one_of(const struct check *c, const char *section, const char *a, const char *b) {
  const struct node *node = given(c, section);
  if (!node || node->kind != NODE_MAP)
    return;

  struct key_path path_a = key_path("%s.%s", section, a), path_b = key_path("%s.%s", section, b);
  int has_a = given(c, path_a.text) != NULL, has_b = given(c, path_b.text) != NULL;
  if (has_a && has_b)
    report_found(c, path_b.text, "both", "exactly one of %s and %s expected", a, b);
  else if (!has_a && !has_b)
    report_found(c, section, "neither", "exactly one of %s and %s expected", a, b);
}

void check_one_of_three(const struct check *c, const char *section, const char *a, const char *b,
                        const char *last) {
  const struct node *node = given(c, section);
  const char *const key[] = {a, b, last}, *second = NULL;
  int count = 0;
  if (!node || node->kind != NODE_MAP)
    return;
  for (int i = 0; i < 3; i++)
    if (given(c, key_path("%s.%s", section, key[i]).text) && ++count > 1)
      second = key[i];
  if (second)
    report_found(c, key_path("%s.%s", section, second).text, "several",
                 "exactly one of %s, %s and %s expected", a, b, last);
  else if (!count)
    report_found(c, section, "none", "exactly one of %s, %s and %s expected", a, b, last);
}

void keep_place(const struct check *c, const char *path, char place[ROUTE_PLACE]) {
  const struct node *node = given(c, path);
  if (!node)
    return;
  const struct position *at = &node->at;
  size_t length = strlen(at->source->name),
         skip = length > ROUTE_PLACE - 40 ? length - (ROUTE_PLACE - 40) : 0;
  snprintf(place, ROUTE_PLACE, "%s%s:%d:%d", skip ? "..." : "", at->source->name + skip, at->line,
           at->column);
}

void check_unique(const struct check *c, const char *list, int index, const char *names, size_t stride) {
  struct key_path path = key_path("%s.%d.name", list, index);
  const char *name = names + (size_t)index * stride;

  if (!is_given_well(c, path.text))
    return;
  for (int i = 0; i < index; i++)
    if (strcmp(names + (size_t)i * stride, name) == 0) {
      report(c, path.text, "a name different from %s.%d expected", list, i);
      return;
    }
}

static struct nearest_hint name_hint(const char *wanted, int index, const char *names, size_t stride,
                                     int count) {
  struct nearest nearest = nearest_to(wanted);
  for (int i = 0; i < count; i++)
    if (i != index)
      nearest_try(&nearest, names + (size_t)i * stride);
  return nearest_hint(&nearest);
}

void check_other(const struct check *c, const char *path, const char *name, const char *list, int index,
                 const char *names, size_t stride, int count) {
  int is_known = 0;

  if (!is_given_well(c, path))
    return;
  for (int i = 0; i < count; i++)
    is_known |= i != index && strcmp(names + (size_t)i * stride, name) == 0;
  if (!is_known)
    report(c, path, "the name of another one of %s expected%s", list,
           name_hint(name, index, names, stride, count).text);
}

void check_excluded_by_table(const struct check *c, const char *section, const char *const *names,
                             int count) {
  for (int i = 0; i < count; i++) {
    struct key_path path = key_path("%s.%s", section, names[i]);
    if (given(c, path.text))
      report(c, path.text, "is not allowed with table");
  }
}

void check_rows(const struct check *c, const char *section, const struct table_row *rows, int count) {
  struct key_path path = key_path("%s.table", section);
  if (!is_readable(c, path.text))
    return;

  if (count < 2)
    report(c, path.text, "at least 2 rows expected");
  for (int i = 1; i < count; i++) {
    if (rows[i].time_s > rows[i - 1].time_s)
      continue;
    path = key_path("%s.table.%d.time_s", section, i);
    if (is_readable(c, path.text))
      report(c, path.text, "a time after %s s (the row before) expected",
             number_text(rows[i - 1].time_s).text);
  }
}

int is_item_readable(const struct check *c, const char *list, int index) {
  const struct node *item = tree_find(c->root, key_path("%s.%d", list, index).text);
  const struct node *when = given(c, key_path("%s.%d.when", list, index).text);

  for (const struct node *key = item ? item->first : NULL; key; key = key->next)
    if (key->bad)
      return 0;
  for (const struct node *key = when ? when->first : NULL; key; key = key->next)
    if (key->bad)
      return 0;
  return item && !item->bad && (!when || !when->bad);
}

void check_profile(const struct check *c, const char *section, const struct time_profile *profile) {
  static const char *const names[] = {"start_s", "stop_s", "ramp_s", "variation", "period_s"};
  struct key_path path[5];

  if (given(c, key_path("%s.table", section).text)) {
    check_excluded_by_table(c, section, names, 5);
    check_rows(c, section, profile->table, profile->rows);
    return;
  }

  check_allowed(c, key_path("%s.interpolation", section).text, 0, "needs table");
  for (int i = 0; i < 5; i++) {
    path[i] = key_path("%s.%s", section, names[i]);
    if (!is_readable(c, path[i].text))
      return;
  }

  double duration_s = profile->stop_s - profile->start_s;
  if (profile->stop_s > 0 && duration_s <= 0)
    report(c, path[1].text, "a time after start_s = %s s, or 0 for never, expected",
           number_text(profile->start_s).text);
  else if (profile->stop_s > 0 && 2 * profile->ramp_s > duration_s)
    report(c, path[2].text, "at most half of stop_s - start_s = %s s expected", number_text(duration_s).text);
  if (profile->variation > 0 && profile->period_s == 0)
    report(c, path[3].text, "needs period_s");
}

int is_increasing_turn(const double *first, int stride, int count) {
  int good = first[0] == 0 && count >= 3;
  for (int i = 1; i < count; i++)
    good &= first[i * stride] > first[(i - 1) * stride];

  double last = first[(count - 1) * stride]; // equal to half a turn, or beyond it
  return good && (fabs(last - TRIG_PI) < 1e-9 || last > TRIG_PI);
}

int is_symmetric(const struct check *c, const char *path, const double (*m)[6]) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < i; j++) {
      char found[128];
      if (fabs(m[i][j] - m[j][i]) <= 1e-12 * (fabs(m[i][j]) + fabs(m[j][i])))
        continue;
      snprintf(found, sizeof found, "%s in row %d, column %d and %s in row %d, column %d",
               number_text(m[j][i]).text, j, i, number_text(m[i][j]).text, i, j);
      report_found(c, path, found, "symmetric matrix expected");
      return 0;
    }
  return 1;
}

void symmetric_part(const double (*m)[6], double out[6][6]) {
  for (int i = 0; i < 6; i++) {
    out[i][i] = m[i][i];
    for (int j = 0; j < i; j++)
      out[i][j] = out[j][i] = 0.5 * (m[i][j] + m[j][i]);
  }
}

// ------------------------------------------------------------
// Rows that several sections contain: the keys of a time profile, which loads, current, wind, waves and end
// load share, and those of a PID controller.

static const struct key_def PROFILE_KEYS[] = {
    {"start_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(time_profile, start_s), .unit = "s",
     .doc = "Simulated time at which the quantity switches on. It is zero before."},
    {"stop_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(time_profile, stop_s), .unit = "s",
     .doc = "Simulated time from which the quantity is zero again. 0: never."},
    {"ramp_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(time_profile, ramp_s), .unit = "s",
     .doc = "Duration of the smooth ramps after start_s and before stop_s. 0: a jump."},
    {"variation", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(time_profile, variation),
     .doc = "Amplitude of a sinusoidal variation about the value, as a fraction of the value. Requires "
            "period_s."},
    {"period_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(time_profile, period_s), .unit = "s",
     .doc = "Period of the sinusoidal variation. 0: no variation."},
    {"table", AS_ITEMS, .size = MAX_PROFILE_ROWS, .optional = 1,
     ITEMS_IN(time_profile, table, table_row, rows),
     .doc = "Table of factors over time, in place of start_s, stop_s, ramp_s, variation and period_s. The "
            "factor is constant before the first and after the last row."},
    {"table[].time_s", AS_NUMBER, .range = NOT_NEGATIVE, IN(table_row, time_s), .unit = "s",
     .doc = "Simulated time of the row. Times increase from row to row."},
    {"table[].factor", AS_NUMBER, IN(table_row, value), .doc = "Factor on the quantity at this time."},
    {"interpolation", AS_WORD, .fallback = "linear", .words = {"linear", "spline"},
     WORD_IN(time_profile, kind),
     .doc = "Interpolation between the rows of table. linear: straight lines. spline: cubic spline with zero "
            "slope at both ends, which may overshoot the rows."},
};
const struct key_rows PROFILE_ROWS = KEY_ROWS(PROFILE_KEYS);

static const struct key_def PID_KEYS[] = {
    {"kp", AS_VECTOR, .size = 6, .range = NOT_NEGATIVE, IN(pid_def, kp), .unit = "N/m, N m/rad",
     .doc = "Proportional gains for x, y, z, roll, pitch and yaw (diagonal of Kp)."},
    {"kd", AS_VECTOR, .size = 6, .range = NOT_NEGATIVE, IN(pid_def, kd), .unit = "N s/m, N m s/rad",
     .doc = "Derivative gains for x, y, z, roll, pitch and yaw (diagonal of Kd)."},
    {"ki", AS_VECTOR, .size = 6, .range = NOT_NEGATIVE, IN(pid_def, ki), .unit = "N/(m s), N m/(rad s)",
     .doc = "Integral gains for x, y, z, roll, pitch and yaw (diagonal of Ki)."},
    {"setpoint", AS_SECTION, .doc = "Set-point: the pose to keep."},
    {"setpoint.position_m", AS_VECTOR, .size = 3, IN(pid_def, reference), .unit = "m",
     .doc = "Set-point of the vessel's reference point: x (north), y (east), z (down)."},
    {"setpoint.attitude_deg", AS_VECTOR, .size = 3, .optional = 1, .degrees = 1,
     IN(pid_def, reference) + 3 * sizeof(double), .unit = "deg",
     .doc = "Set-point of roll, pitch and yaw. Exactly one of attitude_deg and attitude_rad."},
    {"setpoint.attitude_rad", AS_VECTOR, .size = 3, .optional = 1,
     IN(pid_def, reference) + 3 * sizeof(double), .unit = "rad",
     .doc = "Set-point of roll, pitch and yaw in radians, where a value in degrees would be rounded. Exactly "
            "one of attitude_deg and attitude_rad."},
    {"integral_limit", AS_VECTOR, .size = 6, .range = NOT_NEGATIVE, .fallback = "0",
     IN(pid_def, integral_limit), .unit = "N, N m",
     .doc = "Limit of |Ki x integral|, for each component. 0: no limit."},
    {"start_s", AS_NUMBER, .range = NOT_NEGATIVE, IN(pid_def, start_s), .unit = "s",
     .doc = "Simulated time at which the controller switches on."},
    {"wrench_limit", AS_VECTOR, .size = 6, .range = NOT_NEGATIVE, .fallback = "0", IN(pid_def, wrench_limit),
     .unit = "N, N m",
     .doc = "Limit of the commanded wrench in the body frame, for each component. 0: no limit."},
};
const struct key_rows PID_ROWS = KEY_ROWS(PID_KEYS);

// ------------------------------------------------------------
// Rules that commands must meet, from the configuration.

// About half the weight, and for moments that force times the radius of gyration: more than any thruster, tug
// or tensioner can produce.
static double default_limit(const struct config *c, int i) {
  const struct vessel_def *v = &c->sim.vessel;
  double force = DEFAULT_WRENCH_MPS2 * v->mass_kg;
  double inertia = v->inertia[i][i] - v->added_mass[i][i];
  return i < 3 || !(v->mass_kg > 0) ? force : force * sqrt(fmax(inertia, 0) / v->mass_kg);
}

static struct tensioner_rule tensioner_rule_of(const struct config *c) {
  const struct pipe_def *pipe = &c->sim.pipe;
  const struct tensioner_def *t = &pipe->tensioner;
  const enum tensioner_accept accept = c->net.tensioner_accept;
  if (t->order_count == 0)
    return (struct tensioner_rule){0};
  return (struct tensioner_rule){
      .present = 1,
      .from_controllers = accept == TENSIONER_ACCEPT_ALL || accept == TENSIONER_ACCEPT_CONTROLLER,
      .from_operators = accept == TENSIONER_ACCEPT_ALL || accept == TENSIONER_ACCEPT_OPERATOR,
      .brakes_on_silence = c->net.tensioner_silence == TENSIONER_SILENCE_BRAKE,
      .tension_min_n = tensioner_least_n(t),
      .tension_max_n = tensioner_most_n(t),
      .speed_max_mps = pipe_tally_speed_max(pipe_tally_shortest(pipe), c->sim.step_s)};
}

void config_command_rules(const struct config *c, const double hold_b[6], struct command_def *def) {
  const struct net_def *net = &c->net;
  memcpy(def->initial_holding_force_b, hold_b, sizeof def->initial_holding_force_b);
  for (int i = 0; i < 6; i++)
    def->wrench_limit[i] = net->wrench_limit[i] > 0
                               ? net->wrench_limit[i]
                               : fmax(default_limit(c, i), HAND_OVER_HOLDING_FORCES * fabs(hold_b[i]));
  plant_command_rules(&c->sim.vessel.plant, c->sim.step_s, def);
  def->tensioner = tensioner_rule_of(c);
  def->controllers = c->scenario.controllers;
  def->thrusters_only = def->thruster_count > 0 && !net->accept_wrench;
}
