// Forces, motions and statics turn with the frame.
#include "verification/harness/case_functions.h"
#include "verification/harness/scenes.h"

#include "sagbend/math/trig.h"

#include <math.h>
#include <string.h>

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
  enum { STEPS = 200 };
  (void)setup;
  verify_run_with(r, "free rod of length 1, 20 elements, %d steps of 5 ms", STEPS);
  struct sim_def def = scene_beam(20, 1, &soft);
  def.step_s = 0.005;
  struct sim *a = scene_create(&def, r), *b = scene_create(&def, r);
  if (a && b) {
    const quat none = {1, 0, 0, 0};
    mat3 rotation = quat_matrix(some_rotation());
    scene_release_lower(a, 1, 1), scene_release_lower(b, 1, 1);
    bend(a, none, 0.5, 1), bend(b, some_rotation(), 0.5, 1);
    scene_restart(a), scene_restart(b);
    for (int k = 0; k < STEPS; k++)
      sim_step(a, NULL), sim_step(b, NULL);
    double position = 0, velocity = 0, travelled = 0;
    for (int i = 0; i <= 20; i++) {
      vec3 back = mat3_tmul(&rotation, pipe_get3(b->state.pipe.r_n, i)),
           v = mat3_tmul(&rotation, pipe_get3(b->state.pipe.v_n, i));
      position = fmax(position, vec3_norm(vec3_sub(back, pipe_get3(a->state.pipe.r_n, i))));
      velocity = fmax(velocity, vec3_norm(vec3_sub(v, pipe_get3(a->state.pipe.v_n, i))));
      travelled = fmax(travelled, vec3_norm(pipe_get3(a->state.pipe.r_n, i)));
    }
    verify_add(r, VERIFY_ABSOLUTE, "m", position, 0, 1e-10, "positions after %d steps, turned back", STEPS);
    verify_add(r, VERIFY_ABSOLUTE, "m/s", velocity, 0, 1e-9, "velocities after %d steps, turned back", STEPS);
    verify_add(r, VERIFY_ABSOLUTE, "", stress_difference(a, b, 1), 0, 1e-9,
               "forces and moments after %d steps, relative", STEPS);
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
