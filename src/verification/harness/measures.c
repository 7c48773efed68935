#include "verification/harness/measures.h"

#include <math.h>
#include <string.h>

void scene_all_ports(struct sim_def *def) {
  def->env.current.surface_mps = 1.0;
  def->env.current.direction_rad = 1.1;
  def->env.current.profile =
      (struct time_profile){.start_s = 0.3, .ramp_s = 2, .variation = 0.4, .period_s = 3};
  def->env.load_count = 2;
  def->env.loads[0] = (struct load_def){LOAD_WORLD,
                                        {3e5, 6e5, 1e5, 1e6, -2e6, 8e6},
                                        {.start_s = 0.2, .ramp_s = 2, .variation = 0.5, .period_s = 2.5}};
  def->env.loads[1] = (struct load_def){LOAD_BODY,
                                        {-2e5, 1e5, 5e4, 2e6, 1e6, 5e6},
                                        {.start_s = 0.1, .ramp_s = 1.5, .variation = 0.3, .period_s = 1.7}};
}

void scene_conservative(struct sim_def *def) {
  def->env.current.surface_mps = 0;
  def->env.load_count = 0;
  def->env.wind.present = def->env.waves.present = 0;
  memset(def->vessel.damping_linear, 0, sizeof def->vessel.damping_linear);
  memset(def->vessel.damping_quadratic, 0, sizeof def->vessel.damping_quadratic);
  memset(&def->vessel.radiation, 0, sizeof def->vessel.radiation);
  def->vessel.hull.row_count = def->vessel.hull.cross_flow = 0;
  def->pipe.line.drag_transverse = def->pipe.line.drag_axial = def->pipe.structural_damping_s = 0;
  memset(def->pipe.line.rotational_damping_ns, 0, sizeof def->pipe.line.rotational_damping_ns);
  def->controller = CONTROLLER_NONE;
}

void scene_momenta(const struct sim *s, vec3 *linear, vec3 *angular) {
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  const struct pipe_state *x = &s->state.pipe;
  *linear = *angular = (vec3){0, 0, 0};
  for (int i = 0; i < p->nodes; i++) {
    vec3 v = pipe_get3(x->v_n, i), t = pipe_axis(x, i), w = pipe_get3(x->omega_t, i);
    vec3 momentum = vec3_axpy(p->axial_excess_kg[i] * vec3_dot(t, v), t, vec3_scale(p->mass_kg[i], v));
    vec3 spin = {p->inertia_kgm2[0][i] * w.x, p->inertia_kgm2[1][i] * w.y, p->inertia_kgm2[2][i] * w.z};
    mat3 r = quat_matrix(pipe_quat(x, i));
    *linear = vec3_add(*linear, momentum);
    *angular = vec3_add(*angular, vec3_add(vec3_cross(pipe_get3(x->r_n, i), momentum), mat3_mul(&r, spin)));
  }
}

double scene_drag_power_w(const struct sim *s, vec3 surface_n_mps) {
  const struct pipe_state *x = &s->state.pipe;
  const struct env_def *env = &s->def.env;
  const int n = s->state.mesh.pipe.elements;
  double power_w = 0;
  for (int i = 0; i <= n - s->state.mesh.pipe.top_moved; i++) {
    vec3 water = vec3_scale(fmax(0, 1 - x->r_n[2][i] / env->depth_m), surface_n_mps), t = pipe_axis(x, i),
         v = vec3_sub(pipe_get3(x->v_n, i), water);
    double along = vec3_dot(t, v), across = vec3_norm(vec3_axpy(-along, t, v));
    for (int e = i - 1; e <= i; e++) {
      if (e < 0 || e == n)
        continue;
      const struct pipe_type *type = pipe_element_type(&s->def.pipe, e);
      power_w +=
          0.25 * env->water_density_kgpm3 * type->outer_diameter_m * pipe_element_length(&s->def.pipe, e) *
          (type->drag_transverse * across * across * across + type->drag_axial * fabs(along * along * along));
    }
  }
  return power_w;
}

double scene_distance(const struct sim *coarse, const struct sim *fine) {
  int n = coarse->state.mesh.pipe.elements, ratio = fine->state.mesh.pipe.elements / n;
  double sum = 0;
  for (int i = 0; i <= n; i++) {
    vec3 dr = vec3_sub(pipe_get3(coarse->state.pipe.r_n, i), pipe_get3(fine->state.pipe.r_n, i * ratio));
    double a[3], b[3], square = vec3_dot(dr, dr);
    euler_of_quat(pipe_quat(&coarse->state.pipe, i), a);
    euler_of_quat(pipe_quat(&fine->state.pipe, i * ratio), b);
    for (int c = 0; c < 3; c++)
      square += (a[c] - b[c]) * (a[c] - b[c]);
    sum += sqrt(square);
  }
  return sum / (n + 1);
}
