// The checks between keys. A check is made only where what it compares has been read without an error.
#include "io/config/config_draft.h"
#include "io/config/config_instruments.h"
#include "io/config/config_plant.h"
#include "io/config/config_scenario.h"
#include "io/net/endpoint.h"

#include "core/base/number_text.h"
#include "core/math/trig.h"

#include <math.h>
#include <string.h>

struct checking {
  const struct node *root;
  struct error_list *errors;
};

// The node of a key that is given, and not as null.
static struct node *given(const struct checking *c, const char *path) {
  struct node *n = tree_find(c->root, path);
  return n && !node_is_null(n) ? n : NULL;
}

static int readable(const struct checking *c, const char *path) {
  const struct node *n = tree_find(c->root, path);
  return !n || !n->bad;
}

// Reports at the value of path, or at the key of the section that it is or would be in.
static void report(const struct checking *c, const char *path, const char *text) {
  char at[160];
  snprintf(at, sizeof at, "%s", path);
  const struct node *n = tree_find(c->root, at);
  for (char *dot; !n && (dot = strrchr(at, '.'));) {
    *dot = '\0';
    n = tree_find(c->root, at);
  }
  if (!n)
    n = c->root;
  int is_value = strcmp(at, path) == 0 && n->kind != NODE_MAP;
  error_add(c->errors, is_value ? n->at : n->key_at, "%s: %s", path, text);
}

// Exactly one of section.a and section.b, which exist in a section that is there.
static void check_one_of(const struct checking *c, const char *section, const char *a, const char *b) {
  const struct node *n = given(c, section);
  if (!n || n->kind != NODE_MAP)
    return;
  char path_a[128], path_b[128], text[160];
  snprintf(path_a, sizeof path_a, "%s.%s", section, a);
  snprintf(path_b, sizeof path_b, "%s.%s", section, b);
  int has_a = given(c, path_a) != NULL, has_b = given(c, path_b) != NULL;
  snprintf(text, sizeof text, "exactly one of %s and %s expected, got %s", a, b, has_a ? "both" : "neither");
  if (has_a && has_b)
    report(c, path_b, text);
  else if (!has_a && !has_b)
    report(c, section, text);
}

// The names of a section that are given although a table stands for them.
static void check_alone(const struct checking *c, const char *section, const char *const *names, int count) {
  char path[128];
  for (int i = 0; i < count; i++) {
    snprintf(path, sizeof path, "%s.%s", section, names[i]);
    if (given(c, path))
      report(c, path, "not expected beside a table, which stands for it");
  }
}

// Rows of section.table: at least two, at growing times.
static void check_rows(const struct checking *c, const char *section, const struct table_row *rows,
                       int count) {
  char path[128], text[160];
  snprintf(path, sizeof path, "%s.table", section);
  if (!readable(c, path))
    return;
  if (count < 2)
    report(c, path, "at least 2 rows expected");
  for (int i = 1; i < count; i++) {
    if (rows[i].time_s > rows[i - 1].time_s)
      continue;
    snprintf(path, sizeof path, "%s.table.%d.time_s", section, i);
    snprintf(text, sizeof text, "a time after the row before, %s, expected, got %s",
             number_text(rows[i - 1].time_s).text, number_text(rows[i].time_s).text);
    if (readable(c, path))
      report(c, path, text);
  }
}

static void check_profile(const struct checking *c, const char *section, const struct time_profile *p) {
  static const char *const names[] = {"start_s", "stop_s", "ramp_s", "variation", "period_s"};
  char path[5][128], own[128];
  snprintf(own, sizeof own, "%s.table", section);
  if (given(c, own)) {
    check_alone(c, section, names, 5);
    check_rows(c, section, p->table, p->rows);
    return;
  }
  snprintf(own, sizeof own, "%s.interpolation", section);
  if (given(c, own))
    report(c, own, "only expected beside a table");
  for (int i = 0; i < 5; i++) {
    snprintf(path[i], sizeof path[i], "%s.%s", section, names[i]);
    if (!readable(c, path[i]))
      return;
  }
  char text[160];
  if (p->stop_s > 0 && p->stop_s <= p->start_s) {
    snprintf(text, sizeof text, "a time after start_s = %s expected, or 0 for never, got %s",
             number_text(p->start_s).text, number_text(p->stop_s).text);
    report(c, path[1], text);
  } else if (p->stop_s > 0 && 2 * p->ramp_s > p->stop_s - p->start_s) {
    snprintf(text, sizeof text, "at most half of stop_s - start_s = %s expected, got %s",
             number_text(p->stop_s - p->start_s).text, number_text(p->ramp_s).text);
    report(c, path[2], text);
  }
  if (p->variation > 0 && p->period_s == 0)
    report(c, path[3], "0 expected where no period_s is given");
}

// Symmetric to rounding, then made exactly so; 0: it is not, and that has been reported.
static int symmetric(const struct checking *c, const char *path, double m[6][6]) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < i; j++) {
      double scale = fabs(m[i][j]) + fabs(m[j][i]);
      if (fabs(m[i][j] - m[j][i]) > 1e-12 * scale) {
        char text[160];
        snprintf(text, sizeof text,
                 "symmetric matrix expected, got %s in row %d, column %d and %s in row %d, "
                 "column %d",
                 number_text(m[j][i]).text, j, i, number_text(m[i][j]).text, i, j);
        report(c, path, text);
        return 0;
      }
      m[i][j] = m[j][i] = 0.5 * (m[i][j] + m[j][i]);
    }
  return 1;
}

// Cholesky of the matrix scaled to a unit diagonal, plus shift on the diagonal.
static int definite(double m[6][6], double shift) {
  double l[6][6] = {{0}};
  for (int i = 0; i < 6; i++) {
    if (m[i][i] < 0)
      return 0;
    for (int j = 0; j <= i; j++) {
      double scale = sqrt(m[i][i]) * sqrt(m[j][j]);
      if (scale == 0 && m[i][j] != 0)
        return 0;
      double sum = (scale > 0 ? m[i][j] / scale : 0) + (i == j ? shift : 0);
      for (int k = 0; k < j; k++)
        sum -= l[i][k] * l[j][k];
      if (i == j && !(sum > 0))
        return 0;
      l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
    }
  }
  return 1;
}

static void check_inertia(const struct checking *c, struct config_draft *draft) {
  struct vessel_def *v = &draft->out.sim.vessel;
  check_one_of(c, "vessel.inertia", "moments_kgm2", "rigid_body");
  int full = given(c, "vessel.inertia.rigid_body") != NULL;
  if (!readable(c, "vessel.inertia.rigid_body") || !readable(c, "vessel.inertia.moments_kgm2") ||
      !readable(c, "vessel.inertia.added_mass") || !readable(c, "vessel.mass_kg") ||
      !given(c, "vessel.mass_kg") || full == (given(c, "vessel.inertia.moments_kgm2") != NULL))
    return;
  for (int i = 0; i < 6 && !full; i++)
    draft->rigid_body[i][i] = i < 3 ? v->mass_kg : draft->moments_kgm2[i - 3];
  if (!symmetric(c, "vessel.inertia.rigid_body", draft->rigid_body) ||
      !symmetric(c, "vessel.inertia.added_mass", draft->added_mass))
    return;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      v->inertia[i][j] = draft->rigid_body[i][j] + draft->added_mass[i][j];
  memcpy(v->added_mass, draft->added_mass, sizeof v->added_mass);
  if (!definite(v->inertia, -1e-12))
    report(c, "vessel.inertia", "positive definite sum of rigid body and added mass expected");
}

static void check_vessel(const struct checking *c, struct config_draft *draft) {
  check_inertia(c, draft);
  check_one_of(c, "vessel", "attitude_deg", "attitude_rad");
  const char *damping = "vessel.damping.linear";
  if (given(c, damping) && readable(c, damping) &&
      symmetric(c, damping, draft->out.sim.vessel.damping_linear) &&
      !definite(draft->out.sim.vessel.damping_linear, 1e-12))
    report(c, damping, "positive semidefinite matrix expected");
}

static void check_integrator(const struct checking *c, const struct config_draft *draft) {
  const struct sim_def *d = &draft->out.sim;
  const char *key;
  struct reason why;
  if (readable(c, "simulation.order") && d->integrator.order == 3)
    report(c, "simulation.order", "2 or 4 expected, got 3");
  if (c->errors->count > 0) // what it is held against may be what is wrong
    return;
  if (sim_check_integrator(d, &key, &why) != STATUS_OK)
    report(c, key, why.text);
}

static void check_current(const struct checking *c, const struct current_def *d) {
  const char *section = "environment.current", *direction = "environment.current.direction_deg";
  if (!given(c, section))
    return;
  check_one_of(c, section, "surface_mps", "points");
  int by_points = given(c, "environment.current.points") != NULL;
  if (by_points && given(c, direction))
    report(c, direction, "no direction expected beside points, which have their own");
  if (!by_points && !given(c, direction))
    report(c, direction, "missing, where the current flows to");
  for (int i = 1; i < d->point_count; i++)
    if (!(d->points[i].depth_m > d->points[i - 1].depth_m)) {
      report(c, "environment.current.points", "depths that grow from point to point expected");
      return;
    }
}

static void check_motion(const struct checking *c, const struct motion_def *d) {
  static const char *const circle[] = {"period_s", "start_s", "stop_s", "ramp_s"};
  const char *section = "pipe.hangoff.motion", *first = "pipe.hangoff.motion.table.0";
  check_one_of(c, section, "radius_m", "table");
  if (given(c, "pipe.hangoff.motion.table")) {
    check_alone(c, section, circle, 4);
    check_rows(c, section, d->table, d->rows);
    if (d->rows > 0 && (d->table[0].value[0] != 0 || d->table[0].value[1] != 0 || d->table[0].value[2] != 0))
      report(c, first, "offsets of 0 expected in the first row: the top starts where the statics leaves it");
  } else if (given(c, "pipe.hangoff.motion.radius_m") && !given(c, "pipe.hangoff.motion.period_s")) {
    report(c, "pipe.hangoff.motion.period_s", "missing, the time of a turn expected beside radius_m");
  }
}

// Angles of rows that grow from 0, by which a turn or half of it is known.
static int angles_grow(const double *first, int stride, int count) {
  int good = first[0] == 0 && count >= 3;
  for (int i = 1; i < count; i++)
    good &= first[i * stride] > first[(i - 1) * stride];
  double last = first[(count - 1) * stride]; // half a turn is the last one, or is passed
  return good && (fabs(last - TRIG_PI) < 1e-9 || last > TRIG_PI);
}

static const char *const ANGLES =
    "angles that grow from 0 to 180, or from 0 to below 360 degrees expected, at least three";

static void check_windage(const struct checking *c, struct windage_def *d) {
  d->present = given(c, "vessel.wind") != NULL;
  if (!d->present)
    return;
  check_one_of(c, "vessel.wind", "rows", "closed_form");
  if (given(c, "vessel.wind.rows") && c->errors->count == 0 &&
      !(d->row_count > 0 &&
        angles_grow(&d->rows[0].angle_rad, sizeof d->rows[0] / sizeof(double), d->row_count)))
    report(c, "vessel.wind.rows", ANGLES);
}

// Rows that begin with frequency and heading: the same headings for every frequency.
static void check_wave_rows(const struct checking *c, const char *path, const double *rows, size_t bytes,
                            int count) {
  int stride = (int)(bytes / sizeof(double)), headings = 1;
  if (!given(c, path) || c->errors->count > 0) // a row may be what is wrong
    return;
  while (headings < count && rows[headings * stride] == rows[0])
    headings++;
  int good = count > 0 && count % headings == 0 && angles_grow(rows + 1, stride, headings);
  for (int i = headings; good && i < count; i++) {
    const double *row = rows + i * stride, *above = row - headings * stride;
    good &= row[1] == above[1] && row[0] > above[0] && row[0] == rows[i / headings * headings * stride];
  }
  if (!good)
    report(c, path,
           "frequencies that grow, each with the same headings that grow from 0 to 180, or from 0 to below "
           "360 degrees, expected");
}

static void check_weather(const struct checking *c, struct config_draft *draft) {
  struct env_def *env = &draft->out.sim.env;
  struct wave_response_def *w = &draft->out.sim.vessel.waves;
  env->wind.present = given(c, "environment.wind") != NULL;
  env->waves.present = given(c, "environment.waves") != NULL;
  check_profile(c, "environment.wind", &env->wind.profile);
  check_profile(c, "environment.waves", &env->waves.profile);
  check_windage(c, &draft->out.sim.vessel.windage);
  w->present = given(c, "vessel.waves") != NULL;
  check_wave_rows(c, "vessel.waves.force_rows", &w->force[0].omega_radps, sizeof w->force[0], w->force_count);
  check_wave_rows(c, "vessel.waves.drift_rows", &w->drift_rows[0].omega_radps, sizeof w->drift_rows[0],
                  w->drift_count);
}

static void check_ground(const struct checking *c, const struct config_draft *draft) {
  const char *slope = "environment.seabed_slope", *file = "environment.bathymetry_file";
  if (given(c, slope) && given(c, file))
    report(c, file, "no file expected beside seabed_slope");
  if (!given(c, file) && given(c, "environment.bathymetry_origin_m"))
    report(c, "environment.bathymetry_origin_m", "only expected beside bathymetry_file");
  if (!given(c, "environment.seabed") || !readable(c, "environment.seabed") ||
      draft->out.sim.env.seabed != SEABED_NONE)
    return;
  if (given(c, slope))
    report(c, slope, "no slope expected where the seabed is none");
  if (given(c, file))
    report(c, file, "no file expected where the seabed is none");
}

// What a section does not give is the pipe's; both rows of a key have the same place in struct pipe_section.
static void inherit(const struct checking *c, int section, const struct pipe_section *line,
                    struct pipe_section *def) {
  int index = -1;
  for (const struct key_def *key; (key = schema_next_below(&config_schema, "pipe.sections[]", &index));) {
    char path[128];
    snprintf(path, sizeof path, "pipe.sections.%d.%s", section, key_leaf(key));
    if (key->accepts & AS_TEXT || given(c, path))
      continue;
    size_t at = key->offset - offsetof(struct section_draft, def),
           size = key->accepts & AS_VECTOR ? (size_t)key->size : 1;
    memcpy((char *)def + at, (const char *)line + at, size * sizeof(double));
  }
}

static void check_bore(const struct checking *c, const char *section, const struct pipe_section *def) {
  char path[2][128];
  snprintf(path[0], sizeof path[0], "%s.inner_diameter_m", section);
  snprintf(path[1], sizeof path[1], "%s.outer_diameter_m", section);
  if (readable(c, path[0]) && readable(c, path[1]) && readable(c, "pipe.inner_diameter_m") &&
      readable(c, "pipe.outer_diameter_m") && def->inner_diameter_m > 0 &&
      def->inner_diameter_m >= def->outer_diameter_m) {
    char text[128];
    snprintf(text, sizeof text, "less than the outer diameter of %s m expected, got %s m",
             number_text(def->outer_diameter_m).text, number_text(def->inner_diameter_m).text);
    report(c, path[given(c, path[0]) ? 0 : 1], text);
  }
}

static void check_steel(const struct checking *c, const char *section, const struct pipe_section *def) {
  char path[3][128], text[128];
  snprintf(path[0], sizeof path[0], "%s.steel_diameter_m", section);
  snprintf(path[1], sizeof path[1], "%s.outer_diameter_m", section);
  snprintf(path[2], sizeof path[2], "%s.inner_diameter_m", section);
  for (int k = 0; k < 3; k++)
    if (!readable(c, path[k]) || !readable(c, k == 0   ? "pipe.steel_diameter_m"
                                              : k == 1 ? "pipe.outer_diameter_m"
                                                       : "pipe.inner_diameter_m"))
      return;
  if (def->steel_diameter_m == 0 ||
      (def->steel_diameter_m > def->inner_diameter_m && def->steel_diameter_m <= def->outer_diameter_m))
    return;
  snprintf(text, sizeof text,
           "more than the inner diameter of %g m and at most the outer one of %g m expected, got %g m",
           def->inner_diameter_m, def->outer_diameter_m, def->steel_diameter_m);
  report(c, path[given(c, path[0]) ? 0 : given(c, path[1]) ? 1 : 2], text);
}

static void check_sections(const struct checking *c, struct config_draft *draft) {
  struct pipe_def *p = &draft->out.sim.pipe;
  check_bore(c, "pipe", &p->line);
  check_steel(c, "pipe", &p->line);
  if (given(c, "pipe.sections") && !given(c, "pipe.mesh"))
    report(c, "pipe.sections", "only expected with pipe.mesh, whose parts name them");
  for (int i = 0; i < p->section_count; i++) {
    struct section_draft *x = &draft->sections[i];
    char path[64], text[160];
    snprintf(path, sizeof path, "pipe.sections.%d", i);
    inherit(c, i, &p->line, &x->def);
    check_bore(c, path, &x->def);
    check_steel(c, path, &x->def);
    p->sections[i] = x->def;
    snprintf(path, sizeof path, "pipe.sections.%d.name", i);
    for (int k = 0; k < i && readable(c, path); k++)
      if (*x->name && strcmp(x->name, draft->sections[k].name) == 0) {
        snprintf(text, sizeof text, "a name of its own expected, %s is pipe.sections.%d", quote(x->name).text,
                 k);
        report(c, path, text);
        break;
      }
  }
  const char *bore = "pipe.inner_diameter_m";
  if ((p->content_density_kgpm3 > 0 || p->content_pressure_pa != 0) && readable(c, bore) &&
      !(p->line.inner_diameter_m > 0))
    report(c, bore, "a diameter > 0 expected where the pipe has a content");
}

// The number of the section that a part of the mesh names, 0 for the pipe itself.
static int section_of(const struct checking *c, const struct config_draft *draft, int part) {
  const char *name = draft->mesh[part].section;
  char path[64], text[160];
  int count = draft->out.sim.pipe.section_count;
  snprintf(path, sizeof path, "pipe.mesh.%d.section", part);
  if (!*name || !readable(c, path))
    return 0;
  for (int k = 0; k < count; k++)
    if (strcmp(name, draft->sections[k].name) == 0)
      return k + 1;
  snprintf(text, sizeof text, "the name of one of pipe.sections expected, got %s", quote(name).text);
  report(c, path, text);
  return 0;
}

static void check_mesh(const struct checking *c, struct config_draft *draft) {
  struct pipe_def *p = &draft->out.sim.pipe;
  check_one_of(c, "pipe", "elements", "mesh");
  if (!given(c, "pipe.mesh"))
    return;
  double length = 0;
  p->elements = 0;
  for (int i = 0; i < p->mesh_parts; i++) {
    p->mesh[i] = draft->mesh[i].part;
    p->mesh[i].section = section_of(c, draft, i);
    length += p->mesh[i].length_m;
    p->elements += p->mesh[i].elements;
  }
  if (readable(c, "pipe.length_m") && !(fabs(length - p->length_m) <= 1e-9 * p->length_m))
    report(c, "pipe.mesh", "lengths that sum to pipe.length_m expected");
}

static void check_pipe(const struct checking *c, struct config_draft *draft) {
  struct statics_def *statics = &draft->out.sim.statics;
  if (!given(c, "pipe")) {
    if (given(c, "statics"))
      report(c, "statics", "no statics expected where there is no pipe");
    return;
  }
  check_sections(c, draft);
  check_mesh(c, draft);
  const char *angle = "pipe.hangoff.angle_deg";
  if (given(c, "pipe.hangoff.kind") && readable(c, "pipe.hangoff.kind")) {
    int clamped = draft->out.sim.pipe.hangoff == HANGOFF_CLAMPED;
    if (clamped && !given(c, angle))
      report(c, angle, "missing, an angle or auto expected where the hang-off is clamped");
    if (!clamped && given(c, angle))
      report(c, angle, "no angle expected where the hang-off is not clamped");
    if (given(c, "pipe.hangoff.end_load") && draft->out.sim.pipe.hangoff != HANGOFF_FREE)
      report(c, "pipe.hangoff.end_load", "no end load expected where the hang-off is not free");
    int moved = draft->out.sim.pipe.hangoff == HANGOFF_MOVED;
    if (moved && !given(c, "pipe.hangoff.motion"))
      report(c, "pipe.hangoff.motion", "missing, a section expected where the hang-off is moved");
    if (!moved && given(c, "pipe.hangoff.motion"))
      report(c, "pipe.hangoff.motion", "no motion expected where the hang-off is not moved");
  }
  if (!given(c, "pipe.lower_end.height_m"))
    draft->out.sim.pipe.lower_height =
        draft->out.sim.env.seabed_contact == CONTACT_AXIS ? HEIGHT_GROUND : HEIGHT_RESTING;
  if (given(c, "pipe.hangoff.motion"))
    check_motion(c, &draft->out.sim.pipe.motion);
  if (given(c, "pipe.hangoff.end_load"))
    check_profile(c, "pipe.hangoff.end_load", &draft->out.sim.pipe.end_profile);
  if (draft->out.sim.env.seabed == SEABED_LINEAR && !(draft->out.sim.env.seabed_stiffness_npm3 > 0))
    report(c, "environment.seabed_stiffness_npm3", "a stiffness > 0 expected where the seabed is linear");
  if (given(c, "statics"))
    check_one_of(c, "statics", "horizontal_force_n", "hangoff_position_m");
  else
    report(c, "statics",
           "missing, a section with horizontal_force_n or hangoff_position_m expected with a pipe");
  statics->kind =
      given(c, "statics.hangoff_position_m") ? STATICS_HANGOFF_POSITION : STATICS_HORIZONTAL_FORCE;
}

static void check_controller(const struct checking *c, const struct config_draft *draft) {
  if (given(c, "controller.pid"))
    check_one_of(c, "controller.pid.setpoint", "attitude_deg", "attitude_rad");
  if (!given(c, "controller.kind") || !readable(c, "controller.kind"))
    return;
  int has_file = given(c, "controller.dp_file") != NULL, has_pid = given(c, "controller.pid") != NULL;
  enum controller_kind kind = draft->out.sim.controller;
  if (kind == CONTROLLER_SAMPLED && !has_file)
    report(c, "controller.dp_file", "missing, the path of a DP file expected where kind is sampled");
  if (has_file && (kind == CONTROLLER_NONE || kind == CONTROLLER_CONTINUOUS))
    report(c, "controller.dp_file", "no DP file expected where kind is none or continuous");
  if (kind == CONTROLLER_CONTINUOUS && !has_pid)
    report(c, "controller.pid", "missing, a section expected where kind is continuous");
  if (has_pid && kind != CONTROLLER_CONTINUOUS)
    report(c, "controller.pid", "only expected where kind is continuous");
}

static void check_endpoint(const struct checking *c, const char *path, const char *text,
                           enum endpoint_use use) {
  struct reason why;
  if (readable(c, path) && endpoint_check(text, use, &why) != STATUS_OK)
    report(c, path, why.text);
}

// Two sockets cannot have one address; of those that the system chooses each is another.
static int same_address(const char *a, const char *b) {
  const char *port = strrchr(a, ':');
  return strcmp(a, b) == 0 && (strncmp(a, "tcp:", 4) != 0 || endpoint_port(port + 1) > 0);
}

static void check_network(const struct checking *c, struct config_draft *draft) {
  struct net_def *net = &draft->out.net;
  double step_s = draft->out.sim.step_s;
  check_endpoint(c, "network.command_endpoint", net->command_endpoint, ENDPOINT_LISTEN);
  check_endpoint(c, "network.telemetry_endpoint", net->telemetry_endpoint, ENDPOINT_LISTEN);
  if (same_address(net->command_endpoint, net->telemetry_endpoint))
    report(c, "network.telemetry_endpoint", "another endpoint than command_endpoint expected");
  if (!readable(c, "simulation.step_s") || !readable(c, "network.sensor_period_s"))
    return;
  int is_given = given(c, "network.sensor_period_s") != NULL;
  double steps = floor((is_given ? net->sensor_period_s : 0.1) / step_s + 0.5);
  steps = steps < 1 ? 1 : steps;
  if (is_given && fabs(net->sensor_period_s - steps * step_s) > 1e-9 * steps * step_s) {
    char text[160];
    snprintf(text, sizeof text, "a whole number of steps of %s s expected, got %s s",
             number_text(step_s).text, number_text(net->sensor_period_s).text);
    report(c, "network.sensor_period_s", text);
  }
  net->sensor_period_s = steps * step_s;
  if (!given(c, "log.sensors_period_s"))
    draft->out.log.sensors.period_s = net->sensor_period_s;
}

static int index_of(const struct instruments_def *all, const char *name) {
  for (int i = 0; i < all->count; i++)
    if (!strcmp(all->instrument[i].name, name))
      return i;
  return -1;
}

// Every instrument known, and none of which the port would say nothing.
static void check_nmea_instruments(const struct checking *c, const struct instruments_def *all,
                                   const char *path, const struct nmea_port_def *port) {
  const char *names = port->instruments;
  char word[SIGNAL_NAME], text[160];
  int count = 0;
  if (!readable(c, path) || !readable(c, "instruments"))
    return;
  for (; nmea_next_word(&names, word, sizeof word); count++) {
    int i = index_of(all, word), thrusters = !strcmp(word, "thrusters");
    if (i < 0 && !thrusters)
      snprintf(text, sizeof text, "names of instruments, or thrusters, expected, separated by blanks; got %s",
               word);
    else if (!nmea_sentences_of(port, thrusters ? INSTRUMENT_COUNT : all->instrument[i].kind))
      snprintf(text, sizeof text, "those that have one of the port's sentences expected; got %s", word);
    else
      continue;
    report(c, path, text);
  }
  if (!count)
    report(c, path, "names of instruments, or thrusters, expected, separated by blanks; got none");
}

static void check_nmea_port(const struct checking *c, const struct instruments_def *all,
                            const struct nmea_port_def *port, int index) {
  char section[32], path[96], text[160], word[16];
  snprintf(section, sizeof section, "nmea.ports.%d", index);
  check_one_of(c, section, "udp", "serial");
  snprintf(path, sizeof path, "%s.udp", section);
  if (given(c, path) && readable(c, path) && !nmea_is_udp(port->udp))
    report(c, path, "HOST:PORT expected, a numeric IPv4 address and a port from 1 to 65535");
  snprintf(path, sizeof path, "%s.baud", section);
  if (readable(c, path) && !nmea_is_baud(port->baud))
    report(c, path, "4800, 9600, 19200, 38400, 57600 or 115200 expected");
  snprintf(path, sizeof path, "%s.instruments", section);
  check_nmea_instruments(c, all, path, port);
  snprintf(path, sizeof path, "%s.talker", section);
  if (given(c, path) && readable(c, path) &&
      strspn(port->talker, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != 2)
    report(c, path, "two capital letters expected");
  snprintf(path, sizeof path, "%s.sentences", section);
  if (given(c, path) && readable(c, path) && !nmea_known_sentences(port->sentences, word)) {
    snprintf(text, sizeof text, "names of sentences expected, such as GGA HDT; got %s", word);
    report(c, path, text);
  }
}

static void check_nmea(const struct checking *c, struct config_draft *draft) {
  struct nmea_def *nmea = &draft->out.nmea;
  if (!given(c, "nmea"))
    return;
  if (readable(c, "nmea.start_utc") && !nmea_parse_utc(draft->nmea_start_utc, &nmea->origin.start_utc_s))
    report(c, "nmea.start_utc", "a date and time such as 2026-01-31T12:00:00 expected");
  if (readable(c, "nmea.origin_deg") && fabs(nmea->origin.latitude_rad) > 1.5697)
    report(c, "nmea.origin_deg", "a latitude within 89.9 degrees expected");
  for (int i = 0; i < nmea->port_count; i++)
    check_nmea_port(c, &draft->out.suite.instruments, &nmea->ports[i], i);
}

void config_check(const struct node *root, struct config_draft *draft, struct error_list *errors) {
  struct checking c = {root, errors};
  check_current(&c, &draft->out.sim.env.current);
  check_profile(&c, "environment.current", &draft->out.sim.env.current.profile);
  for (int i = 0; i < draft->out.sim.env.load_count; i++) {
    char section[32];
    snprintf(section, sizeof section, "loads.%d", i);
    check_profile(&c, section, &draft->loads[i].def.profile);
  }
  check_ground(&c, draft);
  check_vessel(&c, draft);
  check_weather(&c, draft);
  config_check_plant(root, &draft->out.sim.vessel.plant, errors);
  check_pipe(&c, draft);
  check_controller(&c, draft);
  check_network(&c, draft);
  config_check_instruments(root, draft, errors);
  config_check_scenario(root, draft, errors);
  check_nmea(&c, draft);
  check_integrator(&c, draft);
}

static void check_actuator(const struct checking *c, const struct allocation_def *d, int i) {
  const struct actuator_def *a = &d->actuator[i];
  struct allowed_arc arcs[MAX_FORBIDDEN];
  char path[48];
  snprintf(path, sizeof path, "thrusters.%d.name", i);
  for (int j = 0; j < i; j++)
    if (readable(c, path) && strcmp(d->actuator[j].name, a->name) == 0)
      report(c, path, "another name than those above expected");
  snprintf(path, sizeof path, "thrusters.%d.forbidden", i);
  if (!given(c, path) || !readable(c, path))
    return;
  if (a->kind != ACTUATOR_AZIMUTH)
    report(c, path, "only expected where kind is azimuth");
  else if (a->forbidden_count > 0 && actuator_arcs(a, arcs) == 0)
    report(c, path, "sectors that leave a direction expected");
}

static void check_allocation(const struct checking *c, struct allocation_def *d) {
  if (!given(c, "allocation.error_weights")) {
    const double usual[3] = {1, 1, 10};
    memcpy(d->error_weight, usual, sizeof usual);
  }
  for (int i = 0; i < d->actuator_count; i++) {
    char path[48];
    int known = !d->actuator[i].bus[0];
    check_actuator(c, d, i);
    for (int b = 0; b < d->bus_count; b++)
      known |= strcmp(d->bus[b].name, d->actuator[i].bus) == 0;
    snprintf(path, sizeof path, "thrusters.%d.bus", i);
    if (!known && readable(c, path))
      report(c, path, "the name of one of allocation.buses expected");
  }
}

static void check_dp_instruments(const struct checking *c, const struct navigation_def *d) {
  for (int i = 0; i < d->count; i++) {
    char path[48];
    snprintf(path, sizeof path, "instruments.%d.name", i);
    for (int j = 0; j < i; j++)
      if (readable(c, path) && strcmp(d->instrument[j].name, d->instrument[i].name) == 0)
        report(c, path, "another name than those above expected");
    snprintf(path, sizeof path, "instruments.%d.sigma_m", i);
    if (given(c, path) && d->instrument[i].kind != INSTRUMENT_GNSS)
      report(c, path, "only expected where kind is gnss");
    snprintf(path, sizeof path, "instruments.%d.sigma_deg", i);
    if (given(c, path) && d->instrument[i].kind != INSTRUMENT_GYRO)
      report(c, path, "only expected where kind is gyro");
  }
}

static int definite3(double (*m)[3]) {
  double a = m[0][0], b = a * m[1][1] - m[0][1] * m[1][0];
  double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
               m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
               m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  return a > 0 && b > 0 && det > 0 && m[0][1] == m[1][0] && m[0][2] == m[2][0] && m[1][2] == m[2][1];
}

static void check_observer(const struct checking *c, struct observer_def *o) {
  o->present = given(c, "observer") != NULL;
  if (!o->present || !given(c, "observer.mass") || !readable(c, "observer.mass"))
    return;
  if (!definite3(o->mass))
    report(c, "observer.mass", "symmetric positive definite matrix expected");
  o->wave_sigma[2] *= 3.14159265358979323846 / 180;
  static const double usual[3] = {0.01, 0.01, 1e-4}; // m/s2, rad/s2
  for (int i = 0; i < 3; i++) {
    if (!given(c, "observer.force_noise"))
      o->force_sigma[i] = usual[i] * o->mass[i][i];
    if (!given(c, "observer.bias_noise"))
      o->bias_sigma[i] = 0.1 * o->force_sigma[i];
  }
}

static void check_wind_table(const struct checking *c, const struct wind_force_def *d) {
  const char *path = "wind_feedforward.coefficients";
  if (!given(c, path) || !readable(c, path))
    return;
  int grows = d->row_count >= 2 && d->row[0].angle_rad == 0;
  for (int i = 1; i < d->row_count; i++)
    grows &= d->row[i].angle_rad > d->row[i - 1].angle_rad;
  if (!grows || d->row[d->row_count - 1].angle_rad > 6.28318)
    report(c, path, "two rows or more, of angles that grow from 0 to 180 or to below 360 degrees, expected");
}

void dp_check(const struct node *root, struct dp_draft *draft, struct error_list *errors) {
  struct checking c = {root, errors};
  check_one_of(&c, "pid.setpoint", "attitude_deg", "attitude_rad");
  check_endpoint(&c, "connect", draft->out.connect, ENDPOINT_CONNECT);
  check_dp_instruments(&c, &draft->out.def.navigation);
  check_observer(&c, &draft->out.def.observer);
  check_wind_table(&c, &draft->out.def.wind);
  check_allocation(&c, &draft->out.def.allocation);
}
