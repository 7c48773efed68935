// The pipe on the seabed: sliding with friction, on slopes, and touchdown on a graded mesh.
#include "sagbend/math/math.h"
#include "verification/harness/harness.h"

#include <math.h>
#include <string.h>

static const double AXIAL = 0.3, LATERAL = 0.6; // Coulomb's coefficients
enum { LYING_ELEMENTS = 10 };

struct lying {
  double weight_npm, mass_kgpm, length_m, stiffness_npm2;
};

// 100 m of the pipe on a plane that falls along or across it, both ends free, nothing else acting; what it
// weighs into lying. It presses on the ground with what the ground holds, and friction is not loaded yet.
static struct sim *lying_pipe(const struct verify_setup *setup, double step_s, double slope_rad, int across,
                              struct lying *l, struct verify_result *r) {
  const char *const sets[] = {"pipe.elements=10",        "pipe.length_m=100",
                              "environment.depth_m=100", "pipe.added_mass_transverse=0",
                              "pipe.drag_transverse=0",  "pipe.drag_axial=0"};
  struct sim_def def;
  if (!scene_load(setup, "jlay-circle", 6, sets, &def, r))
    return NULL;
  struct pipe_def *p = &def.pipe;
  double area = 0.25 * TRIG_PI * p->line.outer_diameter_m * p->line.outer_diameter_m;
  *l = (struct lying){(p->line.mass_kgpm - def.env.water_density_kgpm3 * area) * def.env.gravity_mps2,
                      p->line.mass_kgpm, p->length_m, 1e5};
  double penetration_m =
      l->weight_npm * trig_cos(slope_rad) / (def.env.seabed_stiffness_npm3 * p->line.outer_diameter_m);
  def.step_s = step_s;
  def.env.slope = (struct seabed_slope_def){slope_rad, across ? 0.5 * TRIG_PI : 0, {0, 0}};
  def.env.friction.coefficient[0] = AXIAL, def.env.friction.coefficient[1] = LATERAL;
  def.env.friction.stiffness_npm2 = l->stiffness_npm2;
  def.env.gravity_mps2 = 0; // straight; the weight comes on with the pose that carries it
  p->hangoff = HANGOFF_FREE;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return NULL;
  scene_release_lower(s, 1, 1);
  for (int i = 0; i <= LYING_ELEMENTS; i++) {
    vec3 at = pipe_get3(s->state.pipe.r_n, i);
    pipe_set3(s->state.pipe.r_n, i, vec3_axpy(penetration_m, s->model->pipe.ground.normal_n, at));
    s->state.mesh.pipe.weight_n[i] = l->weight_npm * (i == 0 || i == LYING_ELEMENTS ? 5 : 10);
  }
  scene_restart(s);
  return s;
}

// Thrown along or across at v: the springs load within c = mu w/k, then mu w brakes; at the stop
// m v^2/2 = mu w (d - c/2).
static void slide(const struct verify_setup *setup, int lateral, struct verify_result *r,
                  struct verify_plot *plot) {
  const double speed = 1, mu = lateral ? LATERAL : AXIAL;
  const char *name = lateral ? "lateral" : "axial";
  struct lying l;
  struct sim *s = lying_pipe(setup, 0.002, 0, 0, &l, r);
  if (!s)
    return;
  struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "%s", name);
  struct verify_series *closed = verify_series(r, plot, VERIFY_POINTS, "%s, v - mu w t/m", name);
  const int middle = LYING_ELEMENTS / 2, axis = lateral ? 1 : 0;
  double start = s->state.pipe.r_n[axis][middle], farthest = 0, c = mu * l.weight_npm / l.stiffness_npm2,
         stop_s = 0;
  double brake = mu * l.weight_npm / l.mass_kgpm;
  for (int i = 0; i <= LYING_ELEMENTS; i++)
    s->state.pipe.v_n[axis][i] = speed;
  scene_restart(s);
  for (int k = 0; k < (int)(1.2 * speed / brake / s->def->step_s); k++) {
    sim_step(s, NULL);
    double now_s = (double)s->run.step * s->def->step_s;
    if (k % 10 == 0)
      verify_point(r, line, now_s, s->state.pipe.v_n[axis][middle]);
    if (k % 50 == 0 && now_s < speed / brake)
      verify_point(r, closed, now_s, speed - brake * now_s);
    if (s->state.pipe.r_n[axis][middle] - start > farthest)
      farthest = s->state.pipe.r_n[axis][middle] - start, stop_s = now_s;
  }
  const struct ledger *e = &s->run.ledger;
  double kinetic = 0.5 * l.mass_kgpm * l.length_m * speed * speed,
         stored = 0.5 * l.stiffness_npm2 * c * c * l.length_m;
  verify_add(r, VERIFY_RELATIVE, "m", farthest, speed * speed / (2 * brake) + 0.5 * c, 1e-3,
             "%s: sliding distance from 1 m/s to rest", name);
  verify_add(r, VERIFY_RELATIVE, "s", stop_s, speed / brake, 1e-2, "%s slide, time to the stop", name);
  verify_add(r, VERIFY_RELATIVE, "J", e->total_loss_j[LOSS_FRICTION], kinetic - stored, 1e-5,
             "%s: energy dissipated by friction", name);
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(e), 0, 1e-11, "%s slide, ledger closure", name);
  scene_free(s);
}

// Pushed along by a share of mu w L at its end: below 1 it sticks, displaced by the springs; above, it
// accelerates.
static void push(const struct verify_setup *setup, double share, struct verify_result *r) {
  struct lying l;
  struct sim *s = lying_pipe(setup, 0.01, 0, 0, &l, r);
  if (!s)
    return;
  double hold = AXIAL * l.weight_npm * l.length_m, force = share * hold, mean = 0, before = 0;
  s->model->end_force_n = (vec3){force, 0, 0};
  s->model->end_profile = (struct time_profile){.ramp_s = 20};
  s->model->pipe.structural_damping_s = 0.1;
  scene_restart(s);
  for (int k = 0; k < 3000; k++) {
    if (k == 2500)
      before = s->state.pipe.v_n[0][LYING_ELEMENTS / 2];
    sim_step(s, NULL);
  }
  for (int i = 0; i < LYING_ELEMENTS; i++)
    mean += 0.5 * (s->state.pipe.r_n[0][i] + s->state.pipe.r_n[0][i + 1] - 10 * (2 * i + 1)) / LYING_ELEMENTS;
  double after = s->state.pipe.v_n[0][LYING_ELEMENTS / 2];
  if (share < 1) {
    verify_add(r, VERIFY_RELATIVE, "m", mean, force / (l.stiffness_npm2 * l.length_m), 1e-5,
               "end force %.2f mu w L: displacement of the sticking pipe", share);
    verify_add(r, VERIFY_ABSOLUTE, "m/s", after, 0, 1e-5, "pushed with %.2f of mu w L: velocity left", share);
  } else {
    verify_add(r, VERIFY_RELATIVE, "m/s2", (after - before) / 5, (force - hold) / (l.mass_kgpm * l.length_m),
               1e-8, "end force %.2f mu w L: acceleration", share);
  }
  scene_free(s);
}

void verify_sliding(const struct verify_setup *setup, struct verify_result *r) {
  verify_run_with(r,
                  "100 m of the 30-inch pipe, 10 elements, mu %.1f axial and %.1f lateral, springs 1e5 N/m2; "
                  "steps of 2 ms, pushed 10 ms",
                  AXIAL, LATERAL);
  struct verify_plot *plot = verify_plot(r, "Sliding on the seabed", "time, s", "velocity, m/s");
  slide(setup, 0, r, plot);
  slide(setup, 1, r, plot);
  const double share[] = {0.5, 0.9, 1.1, 2};
  for (int k = 0; k < 4; k++)
    push(setup, share[k], r);
}

struct slope_case {
  double share;     // of the angle atan(mu)
  double speed_mps; // downhill at the start
};

// What 10 s on a slope should come to: pull = w sin a, hold = mu w cos a. Below atan(mu) a pipe at rest
// stays; one that moves loads the springs on over x = (hold - pull)/k and stops after m v^2/2 = (hold -
// pull)(d - x/2).
static void judge_slope(const struct slope_case *c, const char *name, double way, double farthest,
                        double speed, double pull, double hold, const struct lying *l,
                        struct verify_result *r) {
  double excess = (pull - hold) / l->mass_kgpm, end_s = 10;
  if (c->share > 1) {
    verify_add(r, VERIFY_RELATIVE, "m/s2", speed / end_s, excess, 1e-7, "%s, %.2f of atan(mu): acceleration",
               name, c->share);
    verify_add(r, VERIFY_RELATIVE, "m", way, 0.5 * excess * end_s * end_s, 1e-7,
               "%s, %.2f of atan(mu): displacement in 10 s", name, c->share);
  } else if (c->speed_mps > 0) {
    verify_add(r, VERIFY_RELATIVE, "m", farthest,
               0.5 * c->speed_mps * c->speed_mps / -excess + 0.5 * (hold - pull) / l->stiffness_npm2, 1e-2,
               "%s, %.2f of atan(mu), initial speed %g m/s: stopping distance", name, c->share, c->speed_mps);
  } else {
    verify_add(r, VERIFY_ABSOLUTE, "m", way, 0, 1e-6, "%s, %.2f of atan(mu): sticks, moved in 10 s", name,
               c->share);
  }
}

// On a slope, the friction's springs loaded as far as they hold.
static void lie_on_slope(const struct verify_setup *setup, int lateral, const struct slope_case *c,
                         struct verify_result *r, struct verify_plot *plot) {
  const double mu = lateral ? LATERAL : AXIAL, angle = c->share * trig_atan2(mu, 1);
  const char *name = lateral ? "across" : "along";
  const int middle = LYING_ELEMENTS / 2;
  struct lying l;
  struct sim *s = lying_pipe(setup, 0.01, angle, lateral, &l, r);
  if (!s)
    return;
  double pull = l.weight_npm * trig_sin(angle), hold = mu * l.weight_npm * trig_cos(angle), farthest = 0,
         way = 0;
  vec3 downhill = {lateral ? 0 : trig_cos(angle), lateral ? trig_cos(angle) : 0, trig_sin(angle)};
  for (int i = 0; i <= LYING_ELEMENTS; i++) {
    s->state.pipe.friction_elongation_m[lateral][i] = (pull < hold ? pull : hold) / l.stiffness_npm2;
    pipe_set3(s->state.pipe.v_n, i, vec3_scale(c->speed_mps, downhill));
  }
  scene_restart(s);
  vec3 start = pipe_get3(s->state.pipe.r_n, middle);
  struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "%s, %.1f deg%s", name,
                                             angle * 180 / TRIG_PI, c->speed_mps > 0 ? ", nudged" : "");
  for (int k = 0; k < 1000; k++) {
    if (k % 20 == 0)
      verify_point(r, line, k * s->def->step_s, vec3_dot(downhill, pipe_get3(s->state.pipe.v_n, middle)));
    sim_step(s, NULL);
    way = vec3_dot(downhill, vec3_sub(pipe_get3(s->state.pipe.r_n, middle), start));
    farthest = fmax(farthest, way);
  }
  double excess = (pull - hold) / l.mass_kgpm; // down the slope, or what stops a nudged pipe
  struct verify_series *closed =
      excess > 0 || c->speed_mps > 0
          ? verify_series(r, plot, VERIFY_POINTS, "%s, %.1f deg, closed form", name, angle * 180 / TRIG_PI)
          : NULL;
  for (int k = 0; closed && k <= 20; k++)
    verify_point(r, closed, 0.5 * k, fmax(c->speed_mps + excess * 0.5 * k, 0));
  judge_slope(c, name, way, farthest, vec3_dot(downhill, pipe_get3(s->state.pipe.v_n, middle)), pull, hold,
              &l, r);
  if (c->share > 1 || c->speed_mps > 0)
    verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(&s->run.ledger), 0, 1e-11,
               "%s, %.2f of atan(mu): ledger closure", name, c->share);
  scene_free(s);
}

void verify_slope(const struct verify_setup *setup, struct verify_result *r) {
  static const struct slope_case cases[] = {{0.5, 0.1}, {0.98, 0}, {0.98, 0.1},
                                            {1.02, 0},  {1.2, 0},  {1.5, 0}};
  verify_run_with(r,
                  "100 m of the 30-inch pipe, 10 elements, mu %.1f axial and %.1f lateral, springs 1e5 N/m2; "
                  "steps of 10 ms",
                  AXIAL, LATERAL);
  struct verify_plot *plot = verify_plot(r, "On slopes", "time, s", "velocity downhill, m/s");
  for (int lateral = 0; lateral < 2; lateral++)
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
      lie_on_slope(setup, lateral, &cases[k], r, plot);
}

void verify_graded(const struct verify_setup *setup, struct verify_result *r) {
  static const struct mesh_segment graded[] = {{200, 16, 0}, {300, 100, 0}, {800, 100, 0}, {200, 24, 0}};
  enum { COARSE = 240, FINE = 3000, MESHES = 3 };
  struct sim_output o[MESHES];
  verify_run_with(r, "H = 400 kN; 240 elements graded (16 on 200 m, 100 on 300 m, 100 on 800 m, 24 on 200 "
                     "m), 240 and 3000 equal ones");
  struct verify_plot *plot =
      verify_plot(r, "Curvature at touchdown and in the sagbend", "arc length S, m", "curvature, 1/m");
  for (int k = 0; k < MESHES; k++) {
    const char *const sets[] = {"pipe.lower_end.height_m=ground"}; // as the reference has it
    struct sim_def def;
    if (!scene_load(setup, "jlay-900m", 1, sets, &def, r))
      return;
    def.pipe.elements = k == 0 ? FINE : COARSE;
    def.pipe.mesh_segment_count = k == 2 ? 4 : 0;
    memcpy(def.pipe.mesh, graded, sizeof graded);
    struct sim *s = scene_create(&def, r);
    if (!s)
      return;
    sim_get_output(s, &o[k]);
    struct verify_series *line = verify_series(r, plot, k == 0 ? VERIFY_LINE : VERIFY_POINTS,
                                               k == 0   ? "3000 equal"
                                               : k == 1 ? "240 equal"
                                                        : "240 graded");
    double at = 0;
    for (int e = 0; e < def.pipe.elements; e++) {
      double l = s->state.mesh.pipe.length_m[e];
      if (at > 200 && at < 600 && (k > 0 || e % 4 == 0))
        verify_point(r, line, at + 0.5 * l, scene_curvature(s, e));
      at += l;
    }
    scene_free(s);
  }
  for (int k = 0; k < MESHES; k += 2) { // the other code's 6000 elements, tests/reference/jlay_statics.csv
    const char *name = k == 0 ? "3000 equal" : "240 graded";
    verify_add(r, VERIFY_RELATIVE, "1/m", o[k].max_curvature_1pm, 0.0026015, k ? 3e-4 : 3e-5,
               "largest curvature, %s", name);
    verify_add(r, VERIFY_ABSOLUTE, "m", o[k].layback_m, 678.0233, k ? 0.1 : 3e-3, "lay-back, %s", name);
    verify_add(r, VERIFY_ABSOLUTE, "rad", o[k].hangoff_angle_rad, 1.29678721, k ? 5e-5 : 1e-6,
               "hang-off angle, %s", name);
  }
  verify_add(r, VERIFY_ABSOLUTE, "m", o[2].touchdown_arc_length_m, o[0].touchdown_arc_length_m, 0.1,
             "arc length of the touchdown, 240 graded elements");
  verify_show(r, "1/m", o[1].max_curvature_1pm, o[0].max_curvature_1pm, "largest curvature, 240 equal");
  verify_show(r, "m", o[1].touchdown_arc_length_m, o[0].touchdown_arc_length_m,
              "touchdown, arc length, 240 equal");
}
