// Extremes at ends and joints, and the force between the pipe and what holds its top.
#include "verification/harness/case_functions.h"
#include "verification/harness/scenes.h"
#include "verification/pipe/small_pipe.h"

#include "sagbend/math/trig.h"

#include <math.h>
#include <string.h>

static const double DEG = 180 / TRIG_PI;

static void add_all(struct verify_result *r, const struct small_pipe_row *rows, const double *values,
                    int count) {
  for (int k = 0; k < count; k++) {
    verify_add(r, VERIFY_RELATIVE, rows[k].unit, values[k], rows[k].reference, rows[k].limit, "%s",
               rows[k].quantity);
    if (isfinite(rows[k].before))
      verify_show(r, rows[k].unit, rows[k].before, rows[k].reference, "before, %s", rows[k].quantity);
  }
}

void verify_clamped_hangoff(const struct verify_setup *setup, struct verify_result *r) {
  enum { LEVELS = 5 };
  static const int orders[3] = {SMALL_PIPE_MOMENT, SMALL_PIPE_SHEAR, SMALL_PIPE_TENSION};
  const struct small_pipe_row *rows = SMALL_PIPE_CLAMPED;
  double width[LEVELS], error[3][LEVELS];
  verify_run_with(
      r, "12.75-inch pipe, 350 m of water, clamped at 65 deg, H = 50 kN; rows for 100 equal elements of 8 m");
  for (int k = 0; k < LEVELS; k++) {
    struct sim_def def;
    if (!small_pipe(setup, &def, r))
      return;
    def.pipe.elements = 50 << k;
    def.pipe.hangoff = HANGOFF_CLAMPED;
    def.pipe.hangoff_angle_auto = 0;
    def.pipe.hangoff_angle_rad = 65 / DEG;
    struct sim *s = scene_create(&def, r);
    if (!s)
      return;
    struct sim_output o;
    sim_get_output(s, &o);
    double values[SMALL_PIPE_ROWS];
    small_pipe_values(s, values);
    if (k == 1) {
      add_all(r, rows, values, SMALL_PIPE_ROWS);
      verify_add(r, VERIFY_ABSOLUTE, "m", o.max_moment_arc_length_m, 800, 1e-9,
                 "arc length of the largest moment");
      verify_add(r, VERIFY_ABSOLUTE, "deg", o.hangoff_angle_rad * DEG, 65, 1e-4, "hang-off angle");
    }
    width[k] = 800.0 / def.pipe.elements;
    for (int i = 0; i < 3; i++)
      error[i][k] = fabs(values[orders[i]] / rows[orders[i]].reference - 1);
    scene_free(s);
  }
  verify_order(r, "Moment at the clamp", "element length, m", "the moment at the clamp", width, error[0],
               LEVELS, 2, 0.3);
  verify_order(r, "Shear force at the clamp", "element length, m", "the shear force at the clamp", width,
               error[1], LEVELS, 2, 0.3);
  verify_order(r, "Tension at the clamp", "element length, m", "the hang-off tension", width, error[2],
               LEVELS, 2, 0.5);
}

void verify_stiff_joint(const struct verify_setup *setup, struct verify_result *r) {
  enum { ROWS = 6 };
  static const struct small_pipe_row rows[ROWS] = {
      {"largest bending moment", "N m", 150975.06, 124382.64, 2e-3},
      {"largest curvature", "1/m", 4.153029e-3, 3.9929465e-3, 3e-3},
      {"largest strain", "", 6.922239e-4, (double)NAN, 3e-3},
      {"smallest strain", "", -6.527346e-4, (double)NAN, 3e-3},
      {"hang-off tension", "N", 94686.501, 94273.868, 5e-5},
      {"smallest wall tension", "N", -239803.74, (double)NAN, 3e-5}};
  struct sim_def def;
  verify_run_with(r, "the same pipe, pinned, with a joint of twenty times the stiffness from 240 to 280 m: "
                     "124 elements of 5 m, in the upper part of 7.6 m");
  if (!small_pipe(setup, &def, r))
    return;
  struct pipe_type *x = &def.pipe.types[0];
  def.pipe.mesh_segment_count = 3;
  def.pipe.mesh[0] = (struct mesh_segment){240, 48, 0};
  def.pipe.mesh[1] = (struct mesh_segment){40, 8, 1};
  def.pipe.mesh[2] = (struct mesh_segment){520, 68, 0};
  def.pipe.elements = 124;
  def.pipe.type_count = 1;
  *x = def.pipe.line;
  x->axial_stiffness_n *= 20, x->torsion_stiffness_nm2 *= 20;
  for (int k = 0; k < 2; k++)
    x->shear_stiffness_n[k] *= 20, x->bending_stiffness_nm2[k] *= 20;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  struct sim_output o;
  sim_get_output(s, &o);
  const double values[ROWS] = {o.max_moment_nm, o.max_curvature_1pm, o.max_strain,
                               o.min_strain,    o.hangoff_tension_n, o.min_wall_tension_n};
  add_all(r, rows, values, ROWS);
  verify_add(r, VERIFY_ABSOLUTE, "m", o.max_moment_arc_length_m, 259.6, 2.5,
             "arc length of the largest moment (in the joint)");
  verify_add(r, VERIFY_ABSOLUTE, "m", o.max_curvature_arc_length_m, 240, 1e-9,
             "arc length of the largest curvature (at the lower end of the joint)");
  scene_free(s);
}

// Along a rod in gravity on frictionless ground N (1 + N/2EA) + Q^2/2GA + M^2/2EI = w z - (energy of the
// seabed per length) + constant: from the flat part, where N = H, to the pinned top, where M = 0 and Q is
// small.
static double first_integral(const struct sim_def *def, double height_m) {
  const struct pipe_type *x = &def->pipe.line;
  double w = pipe_type_weight(&def->pipe, x, &def->env), d = x->outer_diameter_m, ea = x->axial_stiffness_n;
  double slope = w / (d / 8 - d / 40),
         seabed = slope * (d * d / 20 / 20 / 6 + 0.5 * (d * d / 64 - d * d / 160));
  double h = def->statics.horizontal_force_n,
         sum = h * (1 + 0.5 * h / ea) + w * (height_m - 0.375 * d) - seabed;
  return 2 * sum / (1 + sqrt(1 + 2 * sum / ea));
}

static void static_tension(const struct verify_setup *setup, struct verify_result *r) {
  for (int elements = 100; elements <= 400; elements *= 4) {
    struct sim_def def;
    struct sim_output o;
    if (!scene_load(setup, "jlay-900m", 0, NULL, &def, r))
      return;
    def.pipe.elements = elements;
    def.pipe.buoyancy = BUOYANCY_SUBMERGED; // of the whole pipe: the first integral has one weight
    struct sim *s = scene_create(&def, r);
    if (!s)
      return;
    sim_get_output(s, &o);
    double expected = first_integral(&def, def.env.depth_m - o.hangoff_position_n_m[2]);
    double middle = sim_element_forces(s, def.pipe.elements - 1).effective_tension_n;
    verify_add(r, VERIFY_RELATIVE, "N", o.hangoff_tension_n, expected, elements == 100 ? 3e-5 : 3e-6,
               "at rest, %d elements", elements);
    verify_show(r, "N", middle, expected, "before: the middle of the last element, %d elements", elements);
    scene_free(s);
  }
}

// A rod drawn along its axis by its top from rest, x = A (t - sin(w t)/w): T = m L A w sin(w t) tan(b)/b, b =
// w L sqrt(m/EA).
static void drawn_rod(struct verify_result *r) {
  enum { ROWS = 1001, STEPS = 500, ELEMENTS = 10 };
  static const struct scene_section rod = {.ea = 1e9, .ga = 4e8, .gj = 1e8, .ei = 1e8, 100, 10, 5};
  const double length = 100, a = 1, rate = 0.5, wave = rate * length * sqrt(rod.mass_kgpm / rod.ea);
  struct sim_def def = scene_beam(ELEMENTS, length, &rod);
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  scene_release_lower(s, 1, 1);
  scene_hold_top(s);
  s->model.pipe.structural_damping_s = 0.002; // what the start excites dies out
  s->model.motion.rows = ROWS;
  for (int k = 0; k < ROWS; k++) {
    double t = 0.01 * k;
    s->model.motion.table[k] = (struct table_row){.time_s = t, .value = {a * (t - sin(rate * t) / rate)}};
  }
  table_prepare(s->model.motion.table, ROWS);
  double most = 0, before = 0, peak = rod.mass_kgpm * length * a * rate * tan(wave) / wave;
  for (int k = 0; k < STEPS; k++) {
    struct sim_output o;
    sim_step(s, NULL);
    sim_get_output(s, &o);
    if (o.time_s < 2)
      continue;
    double expected = peak * sin(rate * o.time_s);
    most = fmax(most, fabs(o.hangoff_tension_n - expected));
    before = fmax(before, fabs(sim_element_forces(s, ELEMENTS - 1).effective_tension_n - expected));
  }
  verify_add(r, VERIFY_ABSOLUTE, "", most / peak, 0, 2e-3,
             "a rod pulled by its top, 10 elements: largest error over the peak");
  verify_show(r, "", before / peak, 0, "before: the middle of the last element");
  scene_free(s);
}

// The vessel alone, heaving with the pipe attached: the force that it needs beside its own restoring force is
// the pull of the pipe.
static void heaving_vessel(const struct verify_setup *setup, struct verify_result *r) {
  enum { STEPS = 5000, FADE = 2000, FIRST = 4000 };
  struct sim_def def;
  if (!scene_load(setup, "jlay-900m", 0, NULL, &def, r))
    return;
  def.env.current.surface_mps = 0;
  def.env.load_count = 0;
  memset(def.vessel.damping_linear, 0, sizeof def.vessel.damping_linear);
  def.vessel.velocity_b[2] = 1;
  def.pipe.elements = 25; // a half element of 18 t
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  double stiffness = def.env.water_density_kgpm3 * def.env.gravity_mps2 * def.vessel.waterplane_area_m2,
         most = 0, size = 0;
  double before = 0, speed[3] = {0}, pull[2] = {0}, old[2] = {0}, depth[2] = {0};
  for (int k = 0; k < STEPS; k++) {
    struct sim_output o;
    if (k > FADE && k < FIRST) // the damping that has settled the start is no part of the tension: it is
                               // taken away slowly
      s->model.pipe.structural_damping_s *= 0.997;
    sim_step(s, NULL);
    sim_get_output(s, &o);
    speed[0] = speed[1], speed[1] = speed[2], speed[2] = o.velocity_n_mps[2];
    pull[0] = pull[1], old[0] = old[1], depth[0] = depth[1];
    pull[1] = o.hangoff_force_n_n[2], depth[1] = o.position_n_m[2];
    old[1] = pull[1] + s->run.top_rate_end_n[2]; // without the inertia of the half element
    if (k < FIRST)
      continue;
    double needed = def.vessel.inertia[2][2] * (speed[2] - speed[0]) / (2 * def.step_s) +
                    stiffness * (depth[0] - def.vessel.equilibrium_z_m) + s->model.weight_compensation_n;
    most = fmax(most, fabs(pull[0] - needed));
    before = fmax(before, fabs(old[0] - needed));
    size = fmax(size, fabs(needed - s->model.weight_compensation_n));
  }
  verify_add(r, VERIFY_ABSOLUTE, "", most / size, 0, 2e-3,
             "pipe force on a heaving vessel: largest error over its largest change");
  verify_show(r, "", before / size, 0, "before: without the inertia of the half element");
  scene_free(s);
}

void verify_hangoff_tension(const struct verify_setup *setup, struct verify_result *r) {
  verify_run_with(r, "J-lay at H = 400 kN, 100 and 400 elements; rod of 100 m, 10 elements; J-lay heaving by "
                     "some 1 m, 25 elements");
  static_tension(setup, r);
  if (!*r->failure)
    drawn_rod(r);
  if (!*r->failure)
    heaving_vessel(setup, r);
}
