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
static void touchdown_output(const struct pipe *p, const struct pipe_state *s, const struct pipe_work *w,
                             struct sim_output *out) {
  double length = 0;
  for (int e = 0; e < p->elements; e++)
    length += p->length_m[e];
  for (int e = p->elements - 1; e >= 0; e--) {
    length -= p->length_m[e];
    double below = w->sunk_m[e];
    if (!(below > 0) || p->contact_length_m[e] == 0)
      continue;
    vec3 lower = pipe_get3(s->r_n, e), upper = pipe_get3(s->r_n, e + 1);
    double above = surface_penetration(&p->ground, p->contact_offset_m[e + 1], upper, NULL);
    double share = above < 0 ? below / (below - above) : 1;
    vec3 at = vec3_axpy(share, vec3_sub(upper, lower), lower);
    double at_lower = pipe_node_section_forces(p, s, w, e).effective_tension_n,
           at_upper = pipe_node_section_forces(p, s, w, e + 1).effective_tension_n;
    vec3_to(at, out->touchdown_n_m);
    out->touchdown_s_m = length + share * p->length_m[e];
    out->touchdown_tension_n = at_lower + share * (at_upper - at_lower);
    out->layback_m = horizontal_distance(pipe_get3(s->r_n, p->nodes - 1), at);
    return;
  }
  out->touchdown_n_m[0] = out->touchdown_n_m[1] = out->touchdown_n_m[2] = (double)NAN;
  out->touchdown_s_m = out->layback_m = out->touchdown_tension_n = (double)NAN;
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

static void note_forces(double tension, double shear, double torsion, double s_m, struct sim_output *out) {
  if (tension > out->max_tension_n)
    out->max_tension_n = tension, out->max_tension_s_m = s_m;
  if (tension < out->min_tension_n)
    out->min_tension_n = tension, out->min_tension_s_m = s_m;
  if (shear > out->max_shear_n)
    out->max_shear_n = shear;
  if (fabs(torsion) > out->max_torsion_nm)
    out->max_torsion_nm = fabs(torsion);
}

static void note_end(const struct section_forces *f, double s_m, struct sim_output *out) {
  double shear = sqrt(f->shear_n[0] * f->shear_n[0] + f->shear_n[1] * f->shear_n[1]);
  note_forces(f->effective_tension_n, shear, f->torsion_nm, s_m, out);
}

static void force_output(const struct pipe *p, const struct pipe_state *s, const struct pipe_work *w,
                         struct sim_output *out) {
  double at = 0;
  out->max_tension_n = -(double)INFINITY, out->min_tension_n = (double)INFINITY;
  struct section_forces lower = pipe_node_section_forces(p, s, w, 0), upper = pipe_node_section_forces(p, s, w, p->elements);
  out->bottom_tension_n = lower.effective_tension_n;
  note_end(&lower, 0, out);
  for (int e = 0; e < p->elements; e++) {
    double t2 = p->stiffness[1][e] * w->strain0[1][e], t3 = p->stiffness[2][e] * w->strain0[2][e];
    note_forces(p->stiffness[0][e] * w->strain0[0][e], sqrt(t2 * t2 + t3 * t3), p->stiffness[3][e] * w->strain0[3][e],
                at + 0.5 * p->length_m[e], out);
    at += p->length_m[e];
  }
  note_end(&upper, at, out);
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
  touchdown_output(p, state, &s->work.pipe, out);
  bending_output(p, s->work.pipe.strain0, out);
  force_output(p, state, &s->work.pipe, out);
}

static void plant_output(const struct sim *s, struct sim_output *out) {
  const struct plant_def *def = &s->model.plant;
  const struct plant_state *state = &s->state.plant;
  struct thruster_jet jet[MAX_THRUSTERS];
  vec3 water_b[MAX_THRUSTERS];
  const double *nu = s->state.vessel.nu;
  model_jets(&s->model, &s->state, current_turn_at(&s->model.env.current, out->time_s), jet, water_b);
  model_thruster_wrench(&s->model, jet, water_b, nu, out->thruster_wrench_b);
  out->thruster_count = def->thruster_count;
  for (int i = 0; i < def->thruster_count; i++) {
    const struct thruster_state *t = &state->thruster[i];
    vec3 v = vec3_add(vec3_of(nu), vec3_cross(vec3_of(nu + 3), jet[i].place_b_m));
    out->thruster[i] = (struct thruster_output){.running = (int)t->running,
                                                .ready = (int)t->ready,
                                                .revolutions_rpm = t->revolutions_rpm,
                                                .pitch = t->pitch,
                                                .azimuth_rad = t->azimuth_rad,
                                                .thrust_n = thruster_thrust(&jet[i], vec3_sub(v, water_b[i])),
                                                .power_w = plant_power_w(def, state, i),
                                                .moved_count = t->moved_count};
    memcpy(out->thruster[i].name, def->thruster[i].name, sizeof out->thruster[i].name);
  }
  out->bus_count = def->bus_count;
  for (int i = 0; i < def->bus_count; i++) {
    const struct bus_state *b = &state->bus[i];
    out->bus[i] = (struct bus_output){.closed = (int)b->closed,
                                      .limited = (int)b->limited,
                                      .available_w = b->available_w,
                                      .used_w = plant_bus_power_w(def, state, i),
                                      .limited_count = b->limited_count};
    memcpy(out->bus[i].name, def->bus[i].name, sizeof out->bus[i].name);
  }
}

static double now_s(const struct sim *s) { return (double)s->run.step * s->def.step_s; }

static void weather_output(const struct sim *s, struct sim_output *out) {
  const struct model *m = &s->model;
  struct sim_weather *w = &out->weather;
  w->has_wind = m->wind.def.present;
  w->has_waves = m->sea.count > 0;
  if (w->has_wind) {
    struct wind_now now = wind_at(&m->wind, now_s(s));
    w->wind_speed_mps = now.factor * wind_mean(&m->wind, 10) + now.gust_mps;
    w->wind_direction_rad = now.direction_rad;
    w->wind_gust_mps = now.gust_mps;
  }
  if (w->has_waves)
    w->wave_elevation_m = sea_elevation(&m->sea, now_s(s), s->state.vessel.x_n.x, s->state.vessel.x_n.y);
  vec3_to(current_at(&m->current, current_turn_at(&m->env.current, now_s(s)), 0), w->current_n_mps);
}

void sim_air_velocity(const struct sim *s, double height_m, double velocity_n_mps[3]) {
  struct wind_now now = {0};
  if (s->model.wind.def.present)
    now = wind_at(&s->model.wind, now_s(s));
  vec3_to(s->model.wind.def.present ? wind_velocity(&s->model.wind, &now, height_m) : (vec3){0, 0, 0}, velocity_n_mps);
}

void sim_get_output(const struct sim *s, struct sim_output *out) {
  memset(out, 0, sizeof *out);
  out->step = s->run.step;
  out->time_s = (double)s->run.step * s->def.step_s;
  vessel_output(&s->state.vessel, out);
  memcpy(out->control_wrench_b, s->run.control_b, sizeof out->control_wrench_b);
  if (s->model.plant.thruster_count > 0)
    plant_output(s, out);
  if (s->model.pipe.nodes > 0)
    pipe_output(s, out);
  weather_output(s, out);
  out->events = (uint32_t)s->run.events;
  out->newton_iterations = (int)s->run.newton_iterations;
  out->newton_max = (int)s->run.newton_max;
  out->newton_mean = s->run.step > 0 ? (double)s->run.newton_total / (double)s->run.step : 0;
  out->newton_residual_n = s->run.newton_residual_n;
  out->divided_count = s->run.divided_count;
  out->cap_count = s->run.cap_count;
  out->fault = (int)s->run.fault;
}

void sim_water_velocity(const struct sim *s, double z_m, double velocity_n_mps[3]) {
  double now_s = (double)s->run.step * s->def.step_s;
  vec3_to(current_at(&s->model.current, current_over(&s->def.env.current, now_s, 0).middle, z_m), velocity_n_mps);
}

int sim_node_count(const struct sim *s) { return s->model.pipe.nodes; }

void sim_get_nodes(const struct sim *s, struct sim_node *nodes) {
  const struct pipe_state *x = &s->state.pipe;
  for (int i = 0; i < s->model.pipe.nodes; i++) {
    for (int c = 0; c < 3; c++)
      nodes[i].position_n_m[c] = x->r_n[c][i];
    for (int c = 0; c < 4; c++)
      nodes[i].quaternion_nt[c] = x->q_nt[c][i];
    nodes[i].section = sim_node_forces(s, i);
  }
}

struct section_forces sim_element_forces(const struct sim *s, int element) {
  return pipe_element_section_forces(&s->model.pipe, &s->state.pipe, &s->work.pipe, element);
}

struct section_forces sim_node_forces(const struct sim *s, int node) {
  return pipe_node_section_forces(&s->model.pipe, &s->state.pipe, &s->work.pipe, node);
}
