#include "core/model/model.h"

#include "core/math/trig.h"

#include <string.h>

void model_create(struct model *m, const struct vessel_def *vessel, const struct pipe_def *pipe,
                  const struct env_def *env, struct arena *memory) {
  m->env = *env;
  m->vessel = vessel_of(vessel, env);
  m->plant = vessel->plant;
  m->hangoff_b_m = vec3_of(vessel->hangoff_b_m);
  m->hangoff_q_bt = (quat){1, 0, 0, 0};
  m->weight_compensation_n = 0;
  m->current = current_of(&env->current, env->depth_m);
  m->wind = wind_of(&env->wind);
  m->windage = windage_of(&vessel->windage, env->wind.air_density_kgpm3);
  sea_create(&m->sea, &env->waves, env->gravity_mps2, env->depth_m, memory);
  wave_response_create(&m->wave_response, vessel, env, &m->sea, memory);
  pipe_create(&m->pipe, pipe, env, memory);
}

static void prepare(struct time_profile *p) {
  table_prepare(p->table, p->rows);
}

void model_prepare_tables(struct model *m) {
  prepare(&m->env.current.profile);
  for (int i = 0; i < m->env.load_count; i++)
    prepare(&m->env.loads[i].profile);
  prepare(&m->end_profile);
  table_prepare(m->motion.table, m->motion.rows);
}

void model_state_create(struct model_state *s, const struct model *m, struct arena *memory) {
  s->plant = plant_at_rest(&m->plant);
  pipe_state_create(&s->pipe, &m->pipe, memory);
}

void model_state_copy(const struct model *m, struct model_state *to, const struct model_state *from) {
  to->vessel = from->vessel;
  memcpy(to->pid_integral, from->pid_integral, sizeof to->pid_integral);
  pipe_state_copy(&m->pipe, &to->pipe, &from->pipe);
}

static int chain_count(const struct model *m) {
  if (m->pipe.nodes == 0)
    return 0;
  return m->pipe.top_attached ? m->pipe.nodes - 1 : m->pipe.nodes;
}

static int tail_count(const struct model *m) {
  return m->pipe.top_attached && !m->pipe.top_rotation_attached ? 9 : 6;
}

vec3 model_motion_offset(const struct motion_def *d, double time_s) {
  if (d->rows > 0) {
    double offset[TABLE_COLUMNS];
    table_at(d->table, d->rows, TABLE_SPLINE, time_s, offset);
    return vec3_of(offset);
  }
  double since = time_s - d->start_s, left = d->stop_s - time_s, size = d->radius_m;
  if (since <= 0 || (d->stop_s > 0 && left <= 0))
    return (vec3){0, 0, 0};
  if (since < d->ramp_s)
    size *= 0.5 - 0.5 * trig_cos(TRIG_PI * since / d->ramp_s);
  if (d->stop_s > 0 && left < d->ramp_s)
    size *= 0.5 - 0.5 * trig_cos(TRIG_PI * left / d->ramp_s);
  double angle = 2 * TRIG_PI * since / d->period_s;
  return (vec3){size * trig_cos(angle), size * trig_sin(angle), 0};
}

void model_set_top_boundary(const struct model *m, const struct model_state *s, struct model_work *w,
                            double time_s, double step_s) {
  w->end_factor = time_profile_at(&m->end_profile, time_s + 0.5 * step_s);
  if (m->pipe.top_moved) // to the path, also from beside it: a step may have been taken back
    w->imposed_n = vec3_sub(vec3_add(m->motion_home_n, model_motion_offset(&m->motion, time_s + step_s)),
                            pipe_get3(s->pipe.r_n, m->pipe.nodes - 1));
}

void model_shift_with_top(const struct model *m, struct model_work *w) {
  double length = 0, at = 0;
  for (int e = 0; e < m->pipe.elements; e++)
    length += m->pipe.length_m[e];
  for (int i = 0; i < m->pipe.nodes; i++) {
    if (i > 0 || !m->pipe.held_position)
      pipe_set3(w->pipe.dr_n, i, vec3_scale(at / length, w->imposed_n));
    at += i < m->pipe.elements ? m->pipe.length_m[i] : 0;
  }
}

void model_work_create(struct model_work *w, const struct model *m, struct arena *memory) {
  pipe_work_create(&w->pipe, &m->pipe, memory);
  blocktri_create(&w->matrix, m->pipe.nodes, tail_count(m), memory); // room for a top that leaves the vessel
  w->matrix.count = chain_count(m);
  w->rhs_count = BLOCK * chain_count(m) + tail_count(m);
  w->rhs = arena_take(memory, (size_t)(BLOCK * m->pipe.nodes + TAIL_MAX), sizeof(double));
  w->mode = arena_take(memory, (size_t)(BLOCK * m->pipe.nodes + TAIL_MAX), sizeof(double));
  w->static_loads = w->potential_only = 0;
  model_state_create(&w->saved, m, memory);
  w->end_factor = 1;
  w->held = HOLD_NONE;
  w->extra_force_n = (vec3){0, 0, 0};
}

static void resize(const struct model *m, struct model_work *w) {
  w->matrix.count = chain_count(m);
  w->matrix.tail = tail_count(m);
  w->rhs_count = BLOCK * chain_count(m) + tail_count(m);
}

void model_set_top_clamped(struct model *m, struct model_work *w, int clamped) {
  m->pipe.top_rotation_attached = clamped;
  resize(m, w);
}

void model_release_top(struct model *m, const struct model_state *s, struct model_work *w) {
  int n = m->pipe.nodes - 1;
  m->motion_home_n = pipe_get3(s->pipe.r_n, n);
  m->top_mass_kg = m->pipe.mass_kg[n], m->top_axial_excess_kg = m->pipe.axial_excess_kg[n];
  m->pipe.mass_kg[n] = m->pipe.axial_excess_kg[n] = 0;
  m->pipe.top_attached = 0;
  m->pipe.top_moved = 1;
  m->weight_compensation_n = 0;
  resize(m, w);
}

void model_attach_top(struct model *m, const struct model_state *s) {
  struct pipe *p = &m->pipe;
  if (!p->top_attached)
    return;
  int n = p->nodes - 1;
  mat3 q = quat_matrix(s->vessel.q_nb), mass = {{{0}}};
  vec3 axis = mat3_tmul(&q, pipe_axis(&s->pipe, n));
  const double t[3] = {axis.x, axis.y, axis.z};
  for (int i = 0; i < 3; i++) {
    mass.m[i][i] = p->mass_kg[n];
    for (int j = 0; j < 3; j++)
      mass.m[i][j] += p->axial_excess_kg[n] * t[i] * t[j];
  }
  vessel_attach_mass(&m->vessel, &mass, m->hangoff_b_m);
  m->top_mass_kg = p->mass_kg[n], m->top_axial_excess_kg = p->axial_excess_kg[n];
  m->top_axis_b = axis;
  p->mass_kg[n] = p->axial_excess_kg[n] = 0;
  if (!p->top_rotation_attached)
    return;
  mat3 r = quat_matrix(m->hangoff_q_bt), inertia = {{{0}}};
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        inertia.m[i][j] += p->inertia_kgm2[k][n] * r.m[i][k] * r.m[j][k];
    p->inertia_kgm2[k][n] = 0;
  }
  vessel_attach_inertia(&m->vessel, &inertia);
}

void model_place_top(const struct model *m, struct model_state *s) {
  if (!m->pipe.top_attached)
    return;
  int n = m->pipe.nodes - 1;
  const struct vessel_state *b = &s->vessel;
  mat3 q = quat_matrix(b->q_nb);
  vec3 v = vec3_of(b->nu), w = vec3_of(b->nu + 3);
  pipe_set3(s->pipe.r_n, n, vec3_add(b->x_n, mat3_mul(&q, m->hangoff_b_m)));
  pipe_set3(s->pipe.v_n, n, mat3_mul(&q, vec3_add(v, vec3_cross(w, m->hangoff_b_m))));
  if (!m->pipe.top_rotation_attached)
    return;
  mat3 top = quat_matrix(m->hangoff_q_bt);
  pipe_set_quat(&s->pipe, n, quat_unit(quat_mul(b->q_nb, m->hangoff_q_bt)));
  pipe_set3(s->pipe.omega_t, n, mat3_tmul(&top, w));
}

void model_begin(const struct model *m, const struct model_state *s, struct model_work *w, double step_s) {
  w->vessel = (struct vessel_step){.inverse_h = step_s != 0 ? 1 / step_s : 0};
  if (m->pipe.nodes == 0)
    return;
  w->coefficients = step_s > 0 ? pipe_step_of(&m->pipe, step_s) : pipe_step_statics();
  pipe_begin(&m->pipe, &s->pipe, &w->pipe);
}

void model_predict(const struct model *m, const struct model_state *s, struct model_work *w, double step_s) {
  mat3 q = quat_matrix(s->vessel.q_nb);
  w->vessel.dx_n = vec3_scale(step_s, mat3_mul(&q, vec3_of(s->vessel.nu)));
  w->vessel.theta_n = vec3_scale(step_s, mat3_mul(&q, vec3_of(s->vessel.nu + 3)));
  for (int i = 0; i < m->pipe.nodes; i++) {
    vec3 theta = {0, 0, 0};
    for (int c = 0; c < 3; c++)
      theta = vec3_axpy(step_s * s->pipe.omega_t[c][i], pipe_get3(w->pipe.d0 + 3 * c, i), theta);
    pipe_set3(w->pipe.dr_n, i, vec3_scale(step_s, pipe_get3(s->pipe.v_n, i)));
    pipe_set3(w->pipe.theta_n, i, theta);
  }
}

void model_commit(const struct model *m, struct model_state *s, struct model_work *w, double step_s) {
  if (m->pipe.nodes > 0)
    pipe_commit(&m->pipe, &s->pipe, &w->pipe, step_s);
  vessel_commit(&s->vessel, &w->vessel);
  if (m->pipe.top_moved && step_s > 0)
    pipe_set3(s->pipe.v_n, m->pipe.nodes - 1, vec3_scale(1 / step_s, w->imposed_n));
  model_place_top(m, s);
}

struct model_energy model_energy_of(const struct model *m, const struct model_state *s,
                                    struct model_work *w) {
  struct pipe_energy p = pipe_energy_of(&m->pipe, &s->pipe, &w->pipe);
  struct model_energy e = {p.kinetic_j + vessel_kinetic(&m->vessel, s->vessel.nu),
                           p.elastic_j + p.gravity_j + p.seabed_j + vessel_potential(&m->vessel, &s->vessel)};
  if (m->pipe.nodes > 0)
    e.potential_j += m->weight_compensation_n * s->pipe.r_n[2][m->pipe.nodes - 1];
  return e;
}
