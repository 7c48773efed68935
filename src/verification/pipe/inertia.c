// The push of accelerating water: on pipes that it carries along, and on one that is held.
#include "sagbend/math/math.h"
#include "verification/harness/harness.h"

#include <math.h>
#include <string.h>

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
      verify_plot(r, "Neutrally buoyant pipe, oblique in a turning current", "time, s", "velocity, m/s");
  struct verify_series *line[2], *water[2];
  static const char *const axis[] = {"north", "east"};
  for (int c = 0; c < 2; c++)
    line[c] = verify_series(r, plot, VERIFY_LINE, "pipe, %s", axis[c]);
  for (int c = 0; c < 2; c++)
    water[c] = verify_series(r, plot, VERIFY_POINTS, "water, %s", axis[c]);
  double worst = 0;
  for (int k = 1; k <= 150; k++) {
    sim_step(s, NULL);
    const struct time_profile *p = &s->model->env.current.profile;
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

// ------------------------------------------------------------
// Forces, motions and statics turn with the frame.

static quat some_rotation(void) {
  const double euler[3] = {0.7, -1.1, 2.3};
  return quat_of_euler(euler);
}

static vec3 turned(const mat3 *q, vec3 v) {
  return mat3_mul(q, v);
}

// A bent and twisted rod of this length, its pose and velocities turned by q.
static void bend(struct sim *s, quat q, double amplitude, double speed) {
  int n = s->state.mesh.pipe.elements;
  double l = s->state.mesh.pipe.length_m[0];
  mat3 rotation = quat_matrix(q);
  vec3 r = {0, 0, 0};
  for (int i = 0; i <= n; i++) {
    double x = (double)i / n, m = (i + 0.5) / n;
    const double euler[3] = {0.3 * x, amplitude * x * x, 0.5 * amplitude * trig_sin(3 * x)};
    const double next[3] = {0.3 * m, amplitude * m * m, 0.5 * amplitude * trig_sin(3 * m)};
    mat3 attitude = quat_matrix(quat_of_euler(next));
    pipe_set3(s->state.pipe.r_n, i, turned(&rotation, r));
    pipe_set_quat(&s->state.pipe, i, quat_unit(quat_mul(q, quat_of_euler(euler))));
    pipe_set3(s->state.pipe.v_n, i,
              turned(&rotation, (vec3){0.3 * speed, speed * (2 * x - 0.3), -speed * x}));
    pipe_set3(s->state.pipe.omega_t, i, (vec3){0.2 * speed, 0.1 * speed * x, 0.1 * speed});
    r = vec3_axpy(1.0001 * l, mat3_column(&attitude, 0), r);
  }
}

// Largest difference of the stress resultants of two rods in their section frames, over the largest of them.
static double stress_difference(const struct sim *a, const struct sim *b, double moment_scale) {
  double most = 0, size = 0;
  for (int e = 0; e < a->state.mesh.pipe.elements; e++) {
    double x[6], y[6];
    scene_stress(a, e, x);
    scene_stress(b, e, y);
    for (int c = 0; c < 6; c++) {
      double scale = c < 3 ? 1 : moment_scale;
      most = fmax(most, scale * fabs(x[c] - y[c]));
      size = fmax(size, scale * fabs(x[c]));
    }
  }
  return most / size;
}

void verify_frame_unit(const struct verify_setup *setup, struct verify_result *r) {
  static const struct scene_section unit = {.ea = 1, .ga = 1, .gj = 1, .ei = 1, 1, 1, 1};
  (void)setup;
  verify_run_with(r, "20 elements; length 1 with stiffnesses 1, then 1 km of a pipe with elements of 50 m");
  for (int scale = 0; scale < 2; scale++) {
    struct scene_section pipe = {
        .ea = 1.5569e10, .ga = 9.033e9, .gj = 7.972e8, .ei = 1.0364e9, 593, 79, 39.5};
    struct sim_def def = scene_beam(20, scale ? 1000 : 1, scale ? &pipe : &unit);
    struct sim *a = scene_create(&def, r), *b = scene_create(&def, r);
    if (a && b) {
      const quat none = {1, 0, 0, 0};
      bend(a, none, 0.5, 0), bend(b, some_rotation(), 0.5, 0);
      scene_restart(a), scene_restart(b);
      if (scale == 0) {
        verify_add(r, VERIFY_ABSOLUTE, "", stress_difference(a, b, 1), 0, 1e-12,
                   "forces and moments at unit scale, relative difference");
      } else { // coordinates round to 2^-53 of 1 km: in strain that over the element, in force that times EA
        double rounding = 0x1p-53 * 1000 / 50 * pipe.ea, most = 0;
        for (int e = 0; e < 20; e++) {
          double x[6], y[6];
          scene_stress(a, e, x);
          scene_stress(b, e, y);
          for (int c = 0; c < 3; c++)
            most = fmax(most, fabs(x[c] - y[c]));
        }
        verify_add(r, VERIFY_ABSOLUTE, "", most / rounding, 0, 16,
                   "forces at 1 km, difference over EA 2^-53 L/l");
      }
    }
    scene_free(a), scene_free(b);
  }
}

void verify_frame_dynamics(const struct verify_setup *setup, struct verify_result *r) {
  static const struct scene_section soft = {.ea = 1e3, .ga = 1e3, .gj = 1, .ei = 1, 1, 0.01, 0.01};
  enum { TURNED_STEPS = 200 };
  (void)setup;
  verify_run_with(r, "free rod of length 1, 20 elements, %d steps of 5 ms", TURNED_STEPS);
  struct sim_def def = scene_beam(20, 1, &soft);
  def.step_s = 0.005;
  struct sim *a = scene_create(&def, r), *b = scene_create(&def, r);
  if (a && b) {
    const quat none = {1, 0, 0, 0};
    mat3 rotation = quat_matrix(some_rotation());
    scene_release_lower(a, 1, 1), scene_release_lower(b, 1, 1);
    bend(a, none, 0.5, 1), bend(b, some_rotation(), 0.5, 1);
    scene_restart(a), scene_restart(b);
    for (int k = 0; k < TURNED_STEPS; k++)
      sim_step(a, NULL), sim_step(b, NULL);
    double position = 0, velocity = 0, travelled = 0;
    for (int i = 0; i <= 20; i++) {
      vec3 back = mat3_tmul(&rotation, pipe_get3(b->state.pipe.r_n, i)),
           v = mat3_tmul(&rotation, pipe_get3(b->state.pipe.v_n, i));
      position = fmax(position, vec3_norm(vec3_sub(back, pipe_get3(a->state.pipe.r_n, i))));
      velocity = fmax(velocity, vec3_norm(vec3_sub(v, pipe_get3(a->state.pipe.v_n, i))));
      travelled = fmax(travelled, vec3_norm(pipe_get3(a->state.pipe.r_n, i)));
    }
    verify_add(r, VERIFY_ABSOLUTE, "m", position, 0, 1e-10, "positions after %d steps, turned back",
               TURNED_STEPS);
    verify_add(r, VERIFY_ABSOLUTE, "m/s", velocity, 0, 1e-9, "velocities after %d steps, turned back",
               TURNED_STEPS);
    verify_add(r, VERIFY_ABSOLUTE, "", stress_difference(a, b, 1), 0, 1e-9,
               "forces and moments after %d steps, relative", TURNED_STEPS);
    verify_show(r, "m", travelled, (double)NAN, "largest distance from the origin by then");
  }
  scene_free(a), scene_free(b);
}

void verify_frame_statics(const struct verify_setup *setup, struct verify_result *r) {
  const char *const sets[] = {"pipe.lower_end.azimuth_deg=130", "vessel.attitude_deg=[0, 0, 130]",
                              "pipe.lower_end.position_m=[100, -50]"};
  struct sim_def north, def;
  verify_run_with(r, "100 elements; lay azimuth 0 and 130 deg, the lower end moved by (100, -50) m");
  if (!scene_load(setup, "jlay-900m", 0, NULL, &north, r) ||
      !scene_load(setup, "jlay-900m", 3, sets, &def, r))
    return;
  struct sim *a = scene_create(&north, r), *b = scene_create(&def, r);
  if (a && b) {
    struct sim_output x, y;
    double angle = 130 * TRIG_PI / 180, tolerance = a->statics.tolerance_n;
    sim_get_output(a, &x), sim_get_output(b, &y);
    double along = x.hangoff_force_n_n[0];
    verify_add(r, VERIFY_ABSOLUTE, "N", y.hangoff_force_n_n[0], along * cos(angle), 10 * tolerance,
               "force at the hang-off, north");
    verify_add(r, VERIFY_ABSOLUTE, "N", y.hangoff_force_n_n[1], along * sin(angle), 10 * tolerance,
               "force at the hang-off, east");
    verify_add(r, VERIFY_ABSOLUTE, "N", y.hangoff_force_n_n[2], x.hangoff_force_n_n[2], 10 * tolerance,
               "force at the hang-off, down");
    verify_add(r, VERIFY_ABSOLUTE, "m", y.position_n_m[0], 100 + x.position_n_m[0] * cos(angle), 1e-6,
               "vessel, north");
    verify_add(r, VERIFY_ABSOLUTE, "m", y.position_n_m[1], -50 + x.position_n_m[0] * sin(angle), 1e-6,
               "vessel, east");
    verify_add(r, VERIFY_ABSOLUTE, "rad", y.hangoff_angle_rad, x.hangoff_angle_rad, 1e-9, "hang-off angle");
  }
  scene_free(a), scene_free(b);
}
