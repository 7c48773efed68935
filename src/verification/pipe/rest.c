// Statics on an uneven seabed, in a current and with friction: free spans, stability, tension of the laid
// pipe.
#include "sagbend/math/math.h"
#include "verification/harness/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double DEG = 57.29577951308232;

// ---- a free span ----

enum { SPAN_ELEMENTS = 1500, GRID_NORTH = 321, GRID_EAST = 3 }; // elements of 1 m; grid nodes every 4 m
static const double SPAN_AT = 150, SPAN_WIDE = 25;

// tests/reference/planar_statics.py 3000 6000, extrapolated with order 2 (4/3 of the
// finer minus 1/3 of the coarser result).
static const struct span_case {
  const char *name;
  double deep_m, angle_deg, hangoff_m, z_m, middle_nm, lower_nm;
  int crossings;
  double crossing_s_m[4];
} SPANS[] = {
    {"level", 0, 74.300434, 972.05666, 899.7141, 1624.4, 4.23, 0, {0}},
    {"trench", 3, 74.300689, 972.03594, 900.442515, 653285.1, 17727.6, 2, {117.1076, 182.9612}},
    {"ridge",
     -2,
     74.300103,
     972.03947,
     898.161573,
     1525484.4,
     62128.0,
     4,
     {74.2100, 133.0514, 166.8795, 225.3970}},
};

static double span_level(const struct span_case *c, double north) {
  double u = (north - SPAN_AT) / SPAN_WIDE;
  return 900 + c->deep_m * exp(-u * u);
}

static double moment_at(const struct sim *s, int node) {
  struct section_forces f =
      pipe_node_section_forces(&s->state.mesh.pipe, &s->state.pipe, &s->work.pipe, node);
  return sqrt(f.bending_nm[0] * f.bending_nm[0] + f.bending_nm[1] * f.bending_nm[1]);
}

static void span_crossings(const struct span_case *c, const struct sim *s, struct verify_result *r) {
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  int found = 0;
  double before = 0;
  for (int i = 0; i <= SPAN_ELEMENTS * 250 / 1500; i++) {
    double sunk =
        surface_penetration(&p->pipe->ground, p->contact_offset_m[i], pipe_get3(s->state.pipe.r_n, i), NULL);
    if (i > 0 && (sunk > 0) != (before > 0)) {
      double at = (i - 1 + before / (before - sunk)) * 1500 / SPAN_ELEMENTS;
      if (found < c->crossings)
        verify_add(r, VERIFY_ABSOLUTE, "m", at, c->crossing_s_m[found], 0.02,
                   "%s: arc length of lift-off or touchdown %d", c->name, found + 1);
      found++;
    }
    before = sunk;
  }
  verify_add(r, VERIFY_ABSOLUTE, "", found, c->crossings, 0,
             "%s: number of lift-offs and touchdowns in the first 250 m", c->name);
}

static void span(const struct verify_setup *setup, const struct span_case *c, struct verify_result *r,
                 struct verify_plot *shape) {
  const char *const sets[] = {"environment.current=null", "loads=null"};
  static double z_m[GRID_NORTH * GRID_EAST];
  struct sim_def def;
  if (!scene_load(setup, "jlay-900m", 2, sets, &def, r))
    return;
  for (int i = 0; i < GRID_NORTH; i++)
    for (int j = 0; j < GRID_EAST; j++)
      z_m[i * GRID_EAST + j] = span_level(c, -40 + 4.0 * i);
  def.env.bathymetry = (struct bathymetry_def){GRID_NORTH, GRID_EAST, -40, -4, 4, z_m, NULL};
  def.pipe.elements = SPAN_ELEMENTS;
  def.statics.horizontal_force_n = 400e3;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  struct sim_output o;
  sim_get_output(s, &o);
  double *const *at = s->state.pipe.r_n;
  int i = 1;
  while (at[0][i] < SPAN_AT)
    i++;
  double share = (SPAN_AT - at[0][i - 1]) / (at[0][i] - at[0][i - 1]);
  verify_add(r, VERIFY_ABSOLUTE, "deg", o.hangoff_angle_rad * DEG, c->angle_deg, 5e-5, "%s: hang-off angle",
             c->name);
  verify_add(r, VERIFY_ABSOLUTE, "m", at[0][SPAN_ELEMENTS], c->hangoff_m, 2e-4, "%s: hang-off, north",
             c->name);
  verify_add(r, VERIFY_ABSOLUTE, "m", at[2][i - 1] + share * (at[2][i] - at[2][i - 1]), c->z_m, 2e-4,
             "%s: level of the axis at 150 m", c->name);
  verify_add(r, c->deep_m == 0 ? VERIFY_ABSOLUTE : VERIFY_RELATIVE, "N m",
             moment_at(s, i - 1) + share * (moment_at(s, i) - moment_at(s, i - 1)), c->middle_nm,
             c->deep_m == 0 ? 5 : 1e-3, "%s: bending moment at 150 m", c->name);
  verify_add(r, VERIFY_RELATIVE, "N m", moment_at(s, 0), c->lower_nm, 1e-3,
             "%s: bending moment at the lower end", c->name);
  span_crossings(c, s, r);
  struct verify_series *pipe = verify_series(r, shape, VERIFY_LINE, "pipe over a %s", c->name);
  struct verify_series *ground = verify_series(r, shape, VERIFY_DASHED, "%s", c->name);
  for (int k = 0; k < SPAN_ELEMENTS && at[0][k] < 280; k += 2) {
    verify_point(r, pipe, at[0][k], at[2][k] + 0.381);
    verify_point(r, ground, at[0][k], span_level(c, at[0][k]));
  }
  scene_free(s);
}

void verify_span(const struct verify_setup *setup, struct verify_result *r) {
  verify_run_with(
      r, "H = 400 kN; %d elements of 1 m; grid of 4 m, depth 900 m + a exp(-((north - 150 m)/25 m)^2)",
      SPAN_ELEMENTS);
  struct verify_plot *shape =
      verify_plot(r, "Underside of the pipe on an uneven seabed", "north, m", "depth, m");
  if (shape)
    shape->flip_y = 1;
  for (int k = 0; k < 3; k++)
    span(setup, &SPANS[k], r, shape);
}

// ---- stability ----

enum stability { STABLE, UNSTABLE, NOT_SOLVED };

// Whether the statics accept the equilibrium, and if they do not, for which reason.
static enum stability stability_of(const struct sim_def *def, struct reason *why) {
  size_t size;
  void *memory = sim_memsize(def, &size, why) == STATUS_OK ? aligned_alloc(64, (size + 63) / 64 * 64) : NULL;
  struct sim *s = NULL;
  int accepted = memory && sim_create(def, memory, size, &s, why) == STATUS_OK;
  free(memory);
  if (accepted)
    return STABLE;
  return strstr(why->text, "the equilibrium is unstable") ? UNSTABLE : NOT_SOLVED;
}

// Finds by bisection the compression at the free end of a beam along x above which its equilibrium is
// unstable.
static double buckling_load_n(struct sim_def def, double low_n, double high_n, struct verify_result *r) {
  for (int k = 0; k < 30; k++) {
    struct reason why = {""};
    double middle = 0.5 * (low_n + high_n);
    def.pipe.end_force_n[0] = -middle;
    enum stability found = stability_of(&def, &why);
    if (found == NOT_SOLVED)
      verify_fail(r, "no statics at a compression of %g N: %s", middle, why.text);
    *(found == STABLE ? &low_n : &high_n) = middle;
  }
  return 0.5 * (low_n + high_n);
}

enum { COLUMN_ELEMENTS = 60, LYING_ELEMENTS = 320 };
static const struct scene_section COLUMN = {1e9, 4e8, 8e5, 1e6, 100, 0.2, 0.1}; // EI = 1e6 N m2

static void column(struct verify_result *r) {
  const double length = 20, euler = TRIG_PI * TRIG_PI * COLUMN.ei / (4 * length * length);
  struct sim_def def = scene_beam(COLUMN_ELEMENTS, length, &COLUMN);
  verify_add(r, VERIFY_RELATIVE, "N", buckling_load_n(def, 0.5 * euler, 2 * euler, r), euler, 2e-3,
             "column of 20 m, clamped at its foot: buckling load (Euler)");
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  double square = 12.362363 * COLUMN.ei / (COLUMN.mass_kgpm * pow(length, 4));
  verify_add(r, VERIFY_RELATIVE, "1/s2", s->statics.softest.least_1ps2, square, 5e-3,
             "the same without load: softest mode, the square of the first angular frequency");
  scene_free(s);
}

// A beam on the seabed. Laterally, the elastic springs of friction hold it with a stiffness k per length.
static void lying(struct verify_result *r) {
  const double k = 1e4, length = 80, critical = sqrt(k * COLUMN.ei);
  struct sim_def def = scene_beam(LYING_ELEMENTS, length, &COLUMN);
  def.env.gravity_mps2 = 9.80665;
  def.env.seabed = SEABED_LINEAR;
  def.env.seabed_contact = CONTACT_AXIS;
  def.env.seabed_stiffness_npm3 = 1e7;
  def.env.friction.coefficient[1] = 0.5;
  def.env.friction.stiffness_npm2 = k;
  def.pipe.lower_height = HEIGHT_RESTING;
  verify_add(r, VERIFY_RELATIVE, "N", buckling_load_n(def, 0.5 * critical, 2 * critical, r), critical, 1e-2,
             "beam on the seabed, held laterally by the friction springs: buckling load, sqrt(k EI)");
  def.env.friction.coefficient[1] = 0; // without friction only its foot holds it
  double euler = TRIG_PI * TRIG_PI * COLUMN.ei / (4 * length * length);
  verify_add(r, VERIFY_RELATIVE, "N", buckling_load_n(def, 0.1 * euler, 10 * euler, r), euler, 5e-3,
             "the same without friction: buckling load (Euler)");
}

void verify_buckling(const struct verify_setup *setup, struct verify_result *r) {
  (void)setup;
  verify_run_with(r, "EI = 1e6 N m2; %d elements of 0.33 m, %d of 0.25 m; k = 1e4 N/m2", COLUMN_ELEMENTS,
                  LYING_ELEMENTS);
  column(r);
  lying(r);
}

// ---- friction on a slope ----

static double tension_at(const struct sim *s, double at_m) { // at the middle of that element
  int e = (int)(at_m / s->state.mesh.pipe.length_m[0]);
  return s->work.pipe.stress[0][e];
}

static int rising(const struct verify_setup *setup, double friction, struct sim_def *def,
                  struct verify_result *r) {
  const char *const sets[] = {"pipe.elements=600", "pipe.length_m=2300", "environment.current=null",
                              "loads=null", "environment.seabed_slope={angle_deg: 15, direction_deg: 180}"};
  if (!scene_load(setup, "jlay-900m", 5, sets, def, r))
    return 0;
  def->env.friction.coefficient[0] = friction;
  def->env.friction.coefficient[1] = friction > 0 ? 0.7 : 0;
  return 1;
}

void verify_rising(const struct verify_setup *setup, struct verify_result *r) {
  const double slope = 15 * TRIG_PI / 180, h = 400e3, friction[] = {0.5, 0.2};
  struct sim_def def;
  struct reason why = {""};
  verify_run_with(
      r, "H = 400 kN, 2300 m of pipe, 600 elements, on a seabed that rises by 15 deg in the lay direction");
  struct verify_plot *plot =
      verify_plot(r, "Tension on a rising slope", "arc length S, m", "effective tension, N");
  for (int k = 0; k < 2; k++) {
    if (!rising(setup, friction[k], &def, r))
      return;
    struct sim *s = scene_create(&def, r);
    if (!s)
      return;
    double weight = s->state.mesh.pipe.weight_npm[0], pulls = sin(slope) - friction[k] * cos(slope),
           l = s->state.mesh.pipe.length_m[0];
    int elements = (int)(1000 / l) - (int)(200 / l);
    verify_add(r, VERIFY_ABSOLUTE, "N/m", (tension_at(s, 1000) - tension_at(s, 200)) / (elements * l),
               fmax(0, weight * pulls), 0.01, "friction %g: tension gradient of the laid pipe", friction[k]);
    if (k == 0)
      verify_add(r, VERIFY_RELATIVE, "N", tension_at(s, 200), h / cos(slope), 1e-4,
                 "friction %g: tension of the laid pipe", friction[k]);
    verify_add(r, VERIFY_ABSOLUTE, "", s->statics.stable, 1, 0, "friction %g: stable", friction[k]);
    struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "friction %g", friction[k]);
    struct verify_series *closed =
        verify_series(r, plot, VERIFY_POINTS, "friction %g, closed form", friction[k]);
    for (int e = 0; e < def.pipe.elements; e += 6)
      verify_point(r, line, (e + 0.5) * l, s->work.pipe.stress[0][e]);
    for (double at = 0; at < 1300; at += 100)
      verify_point(r, closed, at, tension_at(s, 1000) + (at - 1000) * fmax(0, weight * pulls));
    scene_free(s);
    def.statics.current = CURRENT_NONE; // a current of 1 cm/s must not start a growing motion
    def.env.current = (struct current_def){.point_count = 1, .points = {{0, 0.01, 0.5 * TRIG_PI}}};
    s = scene_run(def, 60, 600, r);
    if (!s)
      return;
    double aside = 0;
    for (int i = 0; i < s->state.mesh.pipe.nodes; i++)
      aside = fmax(aside, fabs(s->state.pipe.r_n[1][i]));
    verify_add(r, VERIFY_ABSOLUTE, "m", aside, 0, 0.05,
               "friction %g: lateral displacement after 60 s in a current of 1 cm/s", friction[k]);
    scene_free(s);
  }
  if (!rising(setup, 0, &def, r))
    return;
  int refused = stability_of(&def, &why) == UNSTABLE;
  verify_add(r, VERIFY_ABSOLUTE, "", refused, 1, 0,
             "no friction: compression of 109 kN at the lower end is rejected as unstable");
}

// ---- a current ----

// tests/reference/cable_in_current.py 3000: force at the lower end and at the top, position at S = 750 m.
static const struct {
  double direction_deg, lower_n, top_n[3], middle_m[3];
} CABLES[] = {{90, 620885.96, {578409.19, -139194.53, -1626103.17}, {656.51986, 17.33572, 662.24016}},
              {50, 640408.06, {521854.47, -103950.68, -1667801.57}, {660.11832, 12.35885, 663.08343}},
              {180, 592399.12, {661611.35, 0, -1570598.55}, {651.08672, 0, 661.47602}}};

void verify_current(const struct verify_setup *setup, struct verify_result *r) {
  const char *const sets[] = {"pipe.elements=600",
                              "environment.seabed=none",
                              "environment.current={surface_mps: 1, direction_deg: 0}",
                              "pipe.bending_stiffness_nm2=1e4",
                              "pipe.lower_end.kind=anchored",
                              "statics.horizontal_force_n=null",
                              "statics.hangoff_position_m=[1000, 0]",
                              "loads=null"};
  static const char *const axes[] = {"north", "east", "down"};
  verify_run_with(r,
                  "600 elements, EI = 1e4 N m2 (1e-5 of the pipe's), 1 m/s at the surface, 0 at the seabed");
  struct verify_plot *plot = verify_plot(r, "Plan view", "north, m", "east, m");
  for (int k = 0; k < 3; k++) {
    struct sim_def def;
    if (!scene_load(setup, "jlay-900m", 8, sets, &def, r))
      return;
    def.step_s = 0.05;
    def.pipe.buoyancy = BUOYANCY_SUBMERGED; // the reference has no surface
    def.env.current.direction_rad = CABLES[k].direction_deg * TRIG_PI / 180;
    if (k == 1) { // the same profile as a table
      def.env.current.point_count = 3;
      for (int i = 0; i < 3; i++)
        def.env.current.points[i] = (struct current_point){.depth_m = 0.5 * i * def.env.depth_m,
                                                           .speed_mps = 1 - 0.5 * i,
                                                           .direction_rad = def.env.current.direction_rad};
    }
    struct sim *s = scene_create(&def, r);
    if (!s)
      return;
    double deg = CABLES[k].direction_deg;
    struct section_forces lower =
        pipe_node_section_forces(&s->state.mesh.pipe, &s->state.pipe, &s->work.pipe, 0);
    verify_add(r, VERIFY_RELATIVE, "N", lower.effective_tension_n, CABLES[k].lower_n, 2e-5,
               "%g deg: tension at the lower end", deg);
    for (int c = 0; c < 2; c++)
      verify_add(r, VERIFY_ABSOLUTE, "N", s->statics.initial_holding_force_b[c], CABLES[k].top_n[c], 20,
                 "%g deg: force on the vessel that balances the pipe, %s", deg, axes[c]);
    verify_add(r, VERIFY_RELATIVE, "N", s->statics.weight_compensation_n, -CABLES[k].top_n[2], 2e-5,
               "%g deg: vertical force at the top", deg);
    for (int c = 0; c < 3; c++)
      verify_add(r, VERIFY_ABSOLUTE, "m", s->state.pipe.r_n[c][300], CABLES[k].middle_m[c], 1e-3,
                 "%g deg: middle of the pipe, %s", deg, axes[c]);
    struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "towards %g deg", deg);
    struct verify_series *point = verify_series(r, plot, VERIFY_POINTS, "reference, %g deg", deg);
    for (int i = 0; i <= 600; i += 5)
      verify_point(r, line, s->state.pipe.r_n[0][i], s->state.pipe.r_n[1][i]);
    verify_point(r, point, CABLES[k].middle_m[0], CABLES[k].middle_m[1]);
    double most = 0, start = s->state.pipe.r_n[1][300]; // the run starts at rest
    for (int i = 0; i < 100; i++) {
      sim_step(s, NULL);
      most = fmax(most, fabs(s->state.pipe.r_n[1][300] - start));
    }
    verify_add(r, VERIFY_ABSOLUTE, "m", most, 0, 1e-4,
               "%g deg: lateral displacement in the first 5 s of a run", deg);
    scene_free(s);
  }
}
