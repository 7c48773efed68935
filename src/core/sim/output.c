// What a step shows: the vessel's pose and rates, and the pipe's figures that a pipelay engineer watches.
#include "core/sim/sim_parts.h"

#include "core/math/trig.h"

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
    double below = w->penetration_m[e];
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

static void extremes_output(const struct pipe_extremes *x, struct sim_output *out) {
#define EXTREME(name, unit)                                                                                  \
  out->name##unit = x->name##unit.value;                                                                     \
  out->name##_s_m = x->name##unit.s_m
  EXTREME(max_curvature, _1pm);
  EXTREME(max_moment, _nm);
  EXTREME(max_tension, _n);
  EXTREME(min_tension, _n);
  EXTREME(max_wall_tension, _n);
  EXTREME(min_wall_tension, _n);
  EXTREME(max_shear, _n);
  EXTREME(max_torsion, _nm);
  EXTREME(max_strain, );
  EXTREME(min_strain, );
#undef EXTREME
}

static void pipe_output(const struct sim *s, struct sim_output *out) {
  const struct pipe *p = &s->model.pipe;
  const struct pipe_state *state = &s->state.pipe;
  int n = p->nodes - 1;
  vec3 axis = pipe_axis(state, n), force = s->work.pipe.top_force_n;
  out->has_pipe = 1;
  out->hangoff_tension_n = vec3_dot(force, axis);
  double along = vec3_dot(axis, s->lay_plane_n),
         across = axis.y * s->lay_plane_n.x - axis.x * s->lay_plane_n.y;
  out->hangoff_angle_rad = trig_atan2(-axis.z, along);
  out->hangoff_lean_rad = trig_atan2(across, sqrt(axis.z * axis.z + along * along));
  vec3_to(pipe_get3(state->r_n, n), out->hangoff_position_n_m);
  vec3_to(vec3_scale(-1, force), out->hangoff_force_n_n);
  out->bottom_tension_n = pipe_node_section_forces(p, state, &s->work.pipe, 0).effective_tension_n;
  touchdown_output(p, state, &s->work.pipe, out);
  extremes_output(&s->extremes, out);
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

static double now_s(const struct sim *s) {
  return (double)s->run.step * s->def.step_s;
}

static void weather_output(const struct sim *s, struct sim_output *out) {
  const struct model *m = &s->model;
  struct sim_weather *w = &out->weather;
  w->has_wind = m->wind.def.present;
  w->has_waves = m->sea.count > 0;
  if (w->has_wind) {
    struct wind_sample now = wind_at(&m->wind, now_s(s));
    w->wind_speed_mps = now.factor * wind_mean(&m->wind, 10) + now.gust_mps;
    w->wind_direction_rad = now.direction_rad;
    w->wind_gust_mps = now.gust_mps;
  }
  if (w->has_waves)
    w->wave_elevation_m = sea_elevation(&m->sea, now_s(s), s->state.vessel.x_n.x, s->state.vessel.x_n.y);
  vec3_to(current_at(&m->current, current_turn_at(&m->env.current, now_s(s)), 0), w->current_n_mps);
}

void sim_air_velocity(const struct sim *s, double height_m, double velocity_n_mps[3]) {
  struct wind_sample now = {0};
  if (s->model.wind.def.present)
    now = wind_at(&s->model.wind, now_s(s));
  vec3_to(s->model.wind.def.present ? wind_velocity(&s->model.wind, &now, height_m) : (vec3){0, 0, 0},
          velocity_n_mps);
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
  out->unresolved_count = s->run.unresolved_count;
  out->fault = (int)s->run.fault;
}

void sim_water_velocity(const struct sim *s, double z_m, double velocity_n_mps[3]) {
  double now_s = (double)s->run.step * s->def.step_s;
  vec3_to(current_at(&s->model.current, current_over(&s->def.env.current, now_s, 0).middle, z_m),
          velocity_n_mps);
}

int sim_node_count(const struct sim *s) {
  return s->model.pipe.nodes;
}

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
