// What a step shows: the vessel's pose and rates, and the pipe's figures that a pipelay engineer watches.
#include "sim/sim_parts.h"

#include "math/trig.h"

#include <string.h>

static void vessel_output(const struct vessel_state *v, struct sim_output *out) {
  mat3 q = quat_matrix(v->q_nb);
  vec3_to(v->x_n, out->position_n_m);
  const double quaternion[4] = {v->q_nb.w, v->q_nb.x, v->q_nb.y, v->q_nb.z};
  memcpy(out->quaternion_nb, quaternion, sizeof quaternion);
  euler_of_quat(v->q_nb, out->euler_rad);
  vec3_to(mat3_mul(&q, vec3_of(v->nu)), out->velocity_n_mps);
  memcpy(out->velocity_b, v->nu, sizeof out->velocity_b);
  mat3 rates = euler_rate_matrix(out->euler_rad);
  vec3_to(mat3_mul(&rates, vec3_of(v->nu + 3)), out->euler_rate_radps);
}

static double horizontal_distance(vec3 a, vec3 b) {
  double dx = a.x - b.x, dy = a.y - b.y;
  return sqrt(dx * dx + dy * dy);
}

// Touchdown: from the top downwards, where the contact force ends, linear in the penetration between nodes.
static void touchdown_output(const struct pipe *p, const struct pipe_state *s, struct sim_output *out) {
  double length = 0;
  for (int e = 0; e < p->elements; e++)
    length += p->length_m[e];
  for (int e = p->elements - 1; e >= 0; e--) {
    length -= p->length_m[e];
    double below = s->r_n[2][e] - p->seabed_z_m[e], above = s->r_n[2][e + 1] - p->seabed_z_m[e + 1];
    if (!(below > 0) || p->contact_length_m[e] == 0)
      continue;
    double share = above < 0 ? below / (below - above) : 1;
    vec3 lower = pipe_get3(s->r_n, e), upper = pipe_get3(s->r_n, e + 1);
    vec3 at = vec3_axpy(share, vec3_sub(upper, lower), lower);
    vec3_to(at, out->touchdown_n_m);
    out->touchdown_s_m = length + share * p->length_m[e];
    out->layback_m = horizontal_distance(pipe_get3(s->r_n, p->nodes - 1), at);
    return;
  }
  out->touchdown_n_m[0] = out->touchdown_n_m[1] = out->touchdown_n_m[2] = (double)NAN;
  out->touchdown_s_m = out->layback_m = (double)NAN;
}

static void bending_output(const struct pipe *p, double *const strain[6], struct sim_output *out) {
  double middle = 0, most = -1;
  for (int e = 0; e < p->elements; e++) {
    double k2 = strain[4][e] + p->rest_strain[4][e], k3 = strain[5][e] + p->rest_strain[5][e], square = k2 * k2 + k3 * k3;
    if (square > most) {
      most = square;
      out->max_curvature_s_m = middle + 0.5 * p->length_m[e];
      double m2 = p->stiffness[4][e] * strain[4][e], m3 = p->stiffness[5][e] * strain[5][e];
      out->max_moment_nm = sqrt(m2 * m2 + m3 * m3);
    }
    middle += p->length_m[e];
  }
  out->max_curvature_1pm = sqrt(most);
}

static void pipe_output(const struct sim *s, struct sim_output *out) {
  const struct pipe *p = &s->model.pipe;
  const struct pipe_state *state = &s->state.pipe;
  int n = p->nodes - 1, last = n - 1;
  quat q = pipe_quat(state, n);
  mat3 r = quat_matrix(q);
  vec3 axis = mat3_column(&r, 0);
  out->has_pipe = 1;
  out->hangoff_angle_rad = trig_atan2(-axis.z, sqrt(axis.x * axis.x + axis.y * axis.y));
  vec3_to(pipe_get3(state->r_n, n), out->hangoff_position_n_m);
  double *const *d = s->work.pipe.d0;
  vec3 pull = {0, 0, p->weight_n[n]};
  for (int k = 0; k < 3; k++) {
    double force = p->stiffness[k][last] * s->work.pipe.strain0[k][last];
    vec3 t = vec3_mean(pipe_get3(d + 3 * k, last), pipe_get3(d + 3 * k, n));
    pull = vec3_axpy(-force, t, pull);
    if (k == 0)
      out->hangoff_tension_n = force;
  }
  vec3_to(pull, out->hangoff_force_n_n);
  touchdown_output(p, state, out);
  bending_output(p, s->work.pipe.strain0, out);
}

void sim_get_output(const struct sim *s, struct sim_output *out) {
  memset(out, 0, sizeof *out);
  out->step = s->run.step;
  out->time_s = (double)s->run.step * s->def.step_s;
  vessel_output(&s->state.vessel, out);
  memcpy(out->control_wrench_b, s->run.control_b, sizeof out->control_wrench_b);
  if (s->model.pipe.nodes > 0)
    pipe_output(s, out);
  out->events = (uint32_t)s->run.events;
  out->newton_iterations = (int)s->run.newton_iterations;
  out->newton_max = (int)s->run.newton_max;
  out->newton_mean = s->run.step > 0 ? (double)s->run.newton_total / (double)s->run.step : 0;
  out->newton_residual_n = s->run.newton_residual_n;
  out->divided_count = s->run.divided_count;
  out->cap_count = s->run.cap_count;
  out->fault = (int)s->run.fault;
}

int sim_node_count(const struct sim *s) { return s->model.pipe.nodes; }

void sim_get_nodes(const struct sim *s, double (*position_n_m)[3], double (*quaternion_nt)[4]) {
  for (int i = 0; position_n_m && i < s->model.pipe.nodes; i++)
    for (int c = 0; c < 3; c++)
      position_n_m[i][c] = s->state.pipe.r_n[c][i];
  for (int i = 0; quaternion_nt && i < s->model.pipe.nodes; i++)
    for (int c = 0; c < 4; c++)
      quaternion_nt[i][c] = s->state.pipe.q_nt[c][i];
}
