// Large static deflections of beams: end moment, 45 degree bend, elastica.
#include "verification/pipe/pipe.h"

#include "sagbend/math/math.h"
#include "verification/harness/harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static vec3 tip_of(const struct sim *s) { // from the clamp, z up
  vec3 r = pipe_get3(s->state.pipe.r_n, s->state.mesh.pipe.nodes - 1);
  return (vec3){r.x, r.y, s->def->env.depth_m - r.z};
}

static void draw(struct verify_result *r, struct verify_series *line, const struct sim *s, int across) {
  for (int i = 0; i < s->state.mesh.pipe.nodes; i++) {
    vec3 p = pipe_get3(s->state.pipe.r_n, i);
    verify_point(r, line, across ? p.y : p.x, s->def->env.depth_m - p.z);
  }
}

// EI = 1e4, L = 10; stretch and shear vanish under a pure moment.
static const struct scene_section ROLLED = {.ea = 1e8, .ga = 1e8, .gj = 1e4, .ei = 1e4, 100, 1, 1};

void verify_roll_up(const struct verify_setup *setup, struct verify_result *r) {
  enum { LEVELS = 4 };
  double width[LEVELS], error[LEVELS];
  (void)setup;
  verify_run_with(r, "length 10 m, EI = 1e4 N m2, 20 to 160 elements; the moment increases in steps");
  struct verify_plot *shape =
      verify_plot(r, "Cantilever under an end moment", "along the clamp, m", "across, m");
  for (int k = 0; k < LEVELS; k++) {
    struct sim_def def = scene_beam(20 << k, 10, &ROLLED);
    def.pipe.end_moment_nm[1] = PI * 1e4 / 10;
    struct sim *s = scene_create(&def, r);
    if (!s)
      return;
    vec3 tip = tip_of(s);
    width[k] = 10.0 / (20 << k);
    error[k] = vec3_norm(vec3_sub(tip, (vec3){0, 0, 2 * 10 / PI}));
    if (k == LEVELS - 1) {
      verify_add(r, VERIFY_ABSOLUTE, "m", tip.x, 0, 4e-3,
                 "half circle, 160 elements: tip position along the beam");
      verify_add(r, VERIFY_ABSOLUTE, "m", tip.z, 2 * 10 / PI, 4e-3,
                 "half circle, 160 elements: transverse tip position");
      draw(r, verify_series(r, shape, VERIFY_LINE, "half circle"), s, 0);
    }
    scene_free(s);
  }
  verify_order(r, "Tip of the half circle", "element length, m", "the tip position", width, error, LEVELS, 2,
               0.15);
  for (int part = 1; part <= 4; part += part) { // quarter, half, whole circle
    struct sim_def def = scene_beam(160, 10, &ROLLED);
    def.pipe.end_moment_nm[1] = part * 0.5 * PI * 1e4 / 10;
    struct sim *s = scene_create(&def, r);
    if (!s)
      return;
    if (part != 2)
      draw(r, verify_series(r, shape, VERIFY_LINE, "M = %d/4 of 2 pi EI/L", part), s, 0);
    struct verify_series *arc =
        verify_series(r, shape, VERIFY_POINTS, "circular arc, %d/4 of a circle", part);
    for (int i = 0; i <= 20; i++) {
      double turn = 0.5 * PI * part, at = 0.05 * i * turn;
      verify_point(r, arc, 10 / turn * sin(at), 10 / turn * (1 - cos(at)));
    }
    if (part == 4)
      verify_add(r, VERIFY_ABSOLUTE, "m", vec3_norm(tip_of(s)), 0, 0.012,
                 "full circle, 160 elements: distance of the tip from the clamp");
    scene_free(s);
  }
}

// Tips by the rod's ordinary differential equations (m' = -r' x n, n the load), Runge-Kutta of order 4 with
// 800 steps, the moment at the clamp from shooting, in an independent code. Published, 8 elements: Simo and
// Vu-Quoc (1986).
static const double BEND_LOAD[] = {300, 450, 600};
static const double BEND_TIP[][3] = {
    {22.24478, 58.77912, 40.19189}, {18.50818, 52.23856, 48.50293}, {15.68480, 47.15044, 53.47486}};
static const double BEND_PUBLISHED[][3] = {
    {22.33, 58.84, 40.08}, {(double)NAN, (double)NAN, (double)NAN}, {15.79, 47.23, 53.37}};

void verify_bend(const struct verify_setup *setup, struct verify_result *r) {
  static const struct scene_section section = {
      .ea = 1e7, .ga = 5e6, .gj = 1e7 / 12, .ei = 1e7 / 12, 100, 1, 1};
  static const char *const axis[] = {"x", "y", "z"};
  enum { LEVELS = 3 };
  (void)setup;
  verify_run_with(r, "radius 100, section 1 by 1, E = 1e7, Poisson's ratio 0; 8, 32 and 128 elements");
  struct verify_plot *shape = verify_plot(r, "Out-of-plane bend, seen from the clamp",
                                          "across, unit of length", "up, unit of length");
  for (int load = 0; load < 3; load++) {
    double width[LEVELS], error[LEVELS];
    for (int k = 0; k < LEVELS; k++) {
      struct sim_def def = scene_beam(8 << (2 * k), 25 * PI, &section);
      def.pipe.line.curvature_1pm[1] = 0.01; // about t3, down: towards +y
      def.pipe.end_force_n[2] = -BEND_LOAD[load];
      struct sim *s = scene_create(&def, r);
      if (!s)
        return;
      vec3 tip = tip_of(s);
      const double seen[3] = {tip.y, tip.x, tip.z};
      width[k] = 25 * PI / (8 << (2 * k));
      error[k] = vec3_norm(vec3_sub(vec3_of(seen), vec3_of(BEND_TIP[load])));
      for (int c = 0; c < 3 && k == LEVELS - 1; c++)
        verify_add(r, VERIFY_ABSOLUTE, "", seen[c], BEND_TIP[load][c], 5e-3, "load %g, 128 elements: tip %s",
                   BEND_LOAD[load], axis[c]);
      for (int c = 0; c < 3 && k == 0 && !isnan(BEND_PUBLISHED[load][0]); c++)
        verify_show(r, "", seen[c], BEND_PUBLISHED[load][c], "load %g, 8 elements: tip %s, Simo and Vu-Quoc",
                    BEND_LOAD[load], axis[c]);
      if (k == LEVELS - 1)
        draw(r, verify_series(r, shape, VERIFY_LINE, "load %g", BEND_LOAD[load]), s, 1);
      scene_free(s);
    }
    verify_point(r, verify_series(r, shape, VERIFY_POINTS, "tip by shooting, load %g", BEND_LOAD[load]),
                 BEND_TIP[load][0], BEND_TIP[load][2]);
    char what[64];
    snprintf(what, sizeof what, "the tip under load %g", BEND_LOAD[load]);
    verify_order(r, what, "element length", what, width, error, LEVELS, 2, 0.15);
  }
}

// Inextensible and without shear: for F L^2 / EI = alpha and the slope phi at the tip, with k^2 = (1 + sin
// phi)/2 and sin t1 = 1/(k sqrt 2): sqrt alpha = K(k) - F(k, t1), deflection/L = 1 - 2 (E(k) - E(k, t1)) /
// sqrt alpha, reach/L = sqrt(2 sin phi / alpha).
static double simpson(double (*f)(double t, double k), double k, double from, double to) {
  enum { N = 4000 };
  double h = (to - from) / N, sum = f(from, k) + f(to, k);
  for (int i = 1; i < N; i++)
    sum += (i % 2 ? 4 : 2) * f(from + i * h, k);
  return sum * h / 3;
}
static double first_kind(double t, double k) {
  return 1 / sqrt(1 - k * k * sin(t) * sin(t));
}
static double second_kind(double t, double k) {
  return sqrt(1 - k * k * sin(t) * sin(t));
}

void verify_elastica(const struct verify_setup *setup, struct verify_result *r) {
  static const struct scene_section section = {.ea = 1e8, .ga = 1e8, .gj = 1, .ei = 1, 100, 1, 1};
  enum { LEVELS = 4 };
  double width[LEVELS], error[LEVELS], x[LEVELS], z[LEVELS];
  double phi = 0.9, k = sqrt((1 + sin(phi)) / 2), t1 = asin(1 / (k * sqrt(2)));
  double root = simpson(first_kind, k, t1, PI / 2), alpha = root * root;
  double deflection = 1 - 2 * simpson(second_kind, k, t1, PI / 2) / root, reach = sqrt(2 * sin(phi)) / root;
  (void)setup;
  verify_run_with(
      r, "EI = 1, EA = GA = 1e8 (their contribution is below 1e-8), F L^2/EI = %.6f; 50 to 400 elements",
      alpha);
  struct verify_plot *shape =
      verify_plot(r, "Cantilever under a transverse end force", "along the clamp, m", "across, m");
  for (int i = 0; i < LEVELS; i++) {
    struct sim_def def = scene_beam(50 << i, 1, &section);
    def.pipe.end_force_n[2] = -alpha;
    struct sim *s = scene_create(&def, r);
    if (!s)
      return;
    vec3 tip = tip_of(s);
    width[i] = 1.0 / (50 << i);
    error[i] = hypot(tip.x - reach, tip.z - deflection);
    x[i] = tip.x, z[i] = tip.z;
    if (i == LEVELS - 1)
      draw(r, verify_series(r, shape, VERIFY_LINE, "400 elements"), s, 0);
    scene_free(s);
  }
  verify_point(r, verify_series(r, shape, VERIFY_POINTS, "tip by elliptic integrals"), reach, deflection);
  double limit_x = (4 * x[LEVELS - 1] - x[LEVELS - 2]) / 3, limit_z = (4 * z[LEVELS - 1] - z[LEVELS - 2]) / 3;
  verify_add(r, VERIFY_RELATIVE, "m", x[LEVELS - 1], reach, 1e-5, "reach of the tip, 400 elements");
  verify_add(r, VERIFY_RELATIVE, "m", z[LEVELS - 1], deflection, 1e-5, "deflection of the tip, 400 elements");
  verify_add(r, VERIFY_RELATIVE, "m", limit_x, reach, 1e-6, "reach, extrapolated from 200 and 400 elements");
  verify_add(r, VERIFY_RELATIVE, "m", limit_z, deflection, 1e-6,
             "deflection, extrapolated from 200 and 400 elements");
  verify_order(r, "Tip of the elastica", "element length, m", "the tip position", width, error, LEVELS, 2,
               0.1);
}

// ------------------------------------------------------------
// Extremes at ends and joints, and the force between the pipe and what holds its top.

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
  enum { END_LEVELS = 5 };
  static const int orders[3] = {SMALL_PIPE_MOMENT, SMALL_PIPE_SHEAR, SMALL_PIPE_TENSION};
  const struct small_pipe_row *rows = SMALL_PIPE_CLAMPED;
  double width[END_LEVELS], error[3][END_LEVELS];
  verify_run_with(
      r, "12.75-inch pipe, 350 m of water, clamped at 65 deg, H = 50 kN; rows for 100 equal elements of 8 m");
  for (int k = 0; k < END_LEVELS; k++) {
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
               END_LEVELS, 2, 0.3);
  verify_order(r, "Shear force at the clamp", "element length, m", "the shear force at the clamp", width,
               error[1], END_LEVELS, 2, 0.3);
  verify_order(r, "Tension at the clamp", "element length, m", "the hang-off tension", width, error[2],
               END_LEVELS, 2, 0.5);
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
  s->model->pipe.structural_damping_s = 0.002; // what the start excites dies out
  s->model->motion.rows = ROWS;
  for (int k = 0; k < ROWS; k++) {
    double t = 0.01 * k;
    s->model->motion.table[k] = (struct table_row){.time_s = t, .value = {a * (t - sin(rate * t) / rate)}};
  }
  table_prepare(s->model->motion.table, ROWS);
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
      s->model->pipe.structural_damping_s *= 0.997;
    sim_step(s, NULL);
    sim_get_output(s, &o);
    speed[0] = speed[1], speed[1] = speed[2], speed[2] = o.velocity_n_mps[2];
    pull[0] = pull[1], old[0] = old[1], depth[0] = depth[1];
    pull[1] = o.hangoff_force_n_n[2], depth[1] = o.position_n_m[2];
    old[1] = pull[1] + s->run.top_rate_end_n[2]; // without the inertia of the half element
    if (k < FIRST)
      continue;
    double needed = def.vessel.inertia[2][2] * (speed[2] - speed[0]) / (2 * def.step_s) +
                    stiffness * (depth[0] - def.vessel.equilibrium_z_m) + s->model->weight_compensation_n;
    most = fmax(most, fabs(pull[0] - needed));
    before = fmax(before, fabs(old[0] - needed));
    size = fmax(size, fabs(needed - s->model->weight_compensation_n));
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
