// The push of accelerating water: on pipes that it carries along, and on one that is held.
#include "verification/harness/case_functions.h"
#include "verification/harness/scenes.h"

#include "sagbend/math/trig.h"

#include <math.h>

// Across the axis, with m the pipe's mass, w the displaced water's, both per length, and a the water's
// acceleration:
//   (m + Ca w) dv/dt = (1 + Ca) w a,   along it the same with its own Ca.
// A pipe as heavy as its water moves with the water, however it lies; a heavier one lags by that ratio.
static const double DENSITY = 1000, LENGTH = 100, CA_ACROSS = 1, CA_ALONG = 0.3, SPEED = 2;

static double water_kgpm(void) {
  return DENSITY * 0.25 * TRIG_PI;
} // scene_beam's outer diameter is 1 m

// Without drag, in a current that is the same at all depths.
static struct sim_def in_current(int elements, double mass_ratio, double ei,
                                 const struct time_profile *profile) {
  const double mass = mass_ratio * water_kgpm();
  const struct scene_section section = {
      .ea = 1e9, .ga = 1e9, .gj = ei, .ei = ei, mass, 0.2 * mass, 0.1 * mass};
  struct sim_def def = scene_beam(elements, LENGTH, &section);
  def.env.water_density_kgpm3 = DENSITY;
  def.env.current =
      (struct current_def){.points = {{0, SPEED, 0.5 * TRIG_PI}}, .point_count = 1, .profile = *profile};
  def.pipe.line.added_mass_transverse = CA_ACROSS;
  def.pipe.line.added_mass_axial = CA_ALONG;
  def.pipe.water_inertia = 1;
  return def;
}

static struct sim *adrift(struct sim_def def, double step_s, const double euler[3], struct verify_result *r) {
  def.step_s = step_s;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return NULL;
  scene_release_lower(s, 1, 1);
  quat q = quat_of_euler(euler);
  mat3 attitude = quat_matrix(q);
  for (int i = 0; i < s->state.mesh.pipe.nodes; i++) {
    double at = LENGTH * i / def.pipe.elements;
    pipe_set3(s->state.pipe.r_n, i, vec3_axpy(at, mat3_column(&attitude, 0), (vec3){0, 0, 50}));
    pipe_set_quat(&s->state.pipe, i, q);
  }
  scene_restart(s);
  return s;
}

static struct time_profile uniform(double end_s) {
  return (struct time_profile){.rows = 2, .table = {{.time_s = 0}, {.time_s = end_s, .value = {1}}}};
}

// A current that grows, turns and dies down again, by a spline; the pipe lies askew in it. Its added mass is
// the same in all directions: Munk's moment is that of the velocity over ground (docs/model.md), and would
// turn it.
static void carried_along(struct verify_result *r) {
  const double rows[][3] = {{0, 0, 0}, {3, 0.7, 0.4}, {7, 1, 2}, {10, 0.2, 2.5}, {13, 0, 3}},
               euler[3] = {0.2, 0.4, 0.7};
  struct time_profile profile = {.rows = 5, .kind = TABLE_SPLINE};
  for (int i = 0; i < 5; i++)
    profile.table[i] = (struct table_row){.time_s = rows[i][0], .value = {rows[i][1], rows[i][2]}};
  const double step_s = 0.1;
  struct sim_def def = in_current(10, 1, 1e6, &profile);
  def.pipe.line.added_mass_axial = CA_ACROSS;
  struct sim *s = adrift(def, step_s, euler, r);
  if (!s)
    return;
  struct verify_plot *plot =
      verify_plot(r, "Neutrally buoyant pipe, oblique in a turning current", "time, s", "m/s");
  struct verify_series *line[2], *water[2];
  static const char *const axis[] = {"north", "east"};
  for (int c = 0; c < 2; c++)
    line[c] = verify_series(r, plot, VERIFY_LINE, "pipe, %s", axis[c]);
  for (int c = 0; c < 2; c++)
    water[c] = verify_series(r, plot, VERIFY_POINTS, "water, %s", axis[c]);
  double worst = 0;
  for (int k = 1; k <= 150; k++) {
    sim_step(s, NULL);
    const struct time_profile *p = &s->model.env.current.profile;
    double speed = SPEED * time_profile_at(p, k * step_s),
           turn = 0.5 * TRIG_PI + time_profile_turn(p, k * step_s);
    const double u[3] = {speed * cos(turn), speed * sin(turn), 0};
    for (int i = 0; i < s->state.mesh.pipe.nodes; i++)
      worst = fmax(worst, vec3_norm(vec3_sub(pipe_get3(s->state.pipe.v_n, i), vec3_of(u))));
    for (int c = 0; c < 2; c++) {
      verify_point(r, line[c], k * step_s, s->state.pipe.v_n[c][5]);
      if (k % 5 == 0)
        verify_point(r, water[c], k * step_s, u[c]);
    }
  }
  verify_add(r, VERIFY_ABSOLUTE, "m/s", worst, 0, 1e-8 * SPEED,
             "neutrally buoyant: largest difference between pipe and water velocity");
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(&s->run.ledger), 0, 1e-11, "its ledger closure");
  scene_free(s);
}

static void lags(int end_on, struct verify_result *r) {
  const double end_s = 10, step_s = 0.1, ratio = 2, ca = end_on ? CA_ALONG : CA_ACROSS;
  const double euler[3] = {0, 0, end_on ? 0.5 * TRIG_PI : 0}; // the current flows east
  const struct time_profile profile = uniform(end_s);
  const char *name = end_on ? "end-on" : "broadside";
  struct sim *s = adrift(in_current(10, ratio, 1e6, &profile), step_s, euler, r);
  if (!s)
    return;
  double start = s->state.pipe.r_n[1][5], share = (1 + ca) / (ratio + ca);
  for (int k = 0; k < 100; k++)
    sim_step(s, NULL);
  double mass = (ratio + ca) * water_kgpm() * LENGTH, v = share * SPEED;
  verify_add(r, VERIFY_RELATIVE, "m/s", s->state.pipe.v_n[1][5], v, 1e-9, "twice as heavy, %s: velocity",
             name);
  verify_add(r, VERIFY_RELATIVE, "m", s->state.pipe.r_n[1][5] - start, 0.5 * v * end_s, 1e-9,
             "twice the density of water, %s: displacement", name);
  verify_add(r, VERIFY_RELATIVE, "J", s->run.ledger.total_work_j[PORT_WATER_INERTIA], 0.5 * mass * v * v,
             1e-9, "twice the density of water, %s: work of the port", name);
  scene_free(s);
}

// A cantilever under the load q = (1 + Ca) w a per length: q L at its foot, less the half element that the
// clamp bears, and q L^4/(8 EI) + q L^2/(2 GA) at its tip. Damped critically in its first mode, it comes to
// rest under a steady load.
static void held(struct verify_result *r) {
  enum { ELEMENTS = 40, STEPS = 3000 };
  const double ei = 1e9, end_s = 300, acceleration = SPEED / end_s;
  const double q = (1 + CA_ACROSS) * water_kgpm() * acceleration, l = LENGTH / ELEMENTS;
  const struct time_profile profile = uniform(end_s);
  struct sim_def def = in_current(ELEMENTS, 1, ei, &profile);
  double first = 3.516 / (LENGTH * LENGTH) * sqrt(ei / ((1 + CA_ACROSS) * water_kgpm()));
  def.step_s = end_s / STEPS;
  def.pipe.structural_damping_s = 2 / first;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  for (int k = 0; k < STEPS; k++)
    sim_step(s, NULL);
  double stress[6], tip = q * pow(LENGTH, 4) / (8 * ei) + 0.5 * q * LENGTH * LENGTH / 1e9;
  scene_stress(s, 0, stress);
  verify_add(r, VERIFY_RELATIVE, "N", hypot(stress[1], stress[2]), q * (LENGTH - 0.5 * l), 1e-5,
             "fixed at one end: force at the fixed end, rho A (1 + Ca) a L");
  verify_add(r, VERIFY_RELATIVE, "m", s->state.pipe.r_n[1][ELEMENTS], tip, 1e-5,
             "fixed at one end: deflection of the other end");
  scene_free(s);
}

void verify_water_inertia(const struct verify_setup *setup, struct verify_result *r) {
  (void)setup;
  verify_run_with(r, "100 m of pipe, 1 m across, 10 elements, steps of 100 ms; fixed: 40 elements, 300 s; Ca "
                     "1 across, 0.3 along (1 where it lies askew), no drag");
  carried_along(r);
  lags(0, r);
  lags(1, r);
  held(r);
}
