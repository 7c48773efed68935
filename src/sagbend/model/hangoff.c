// The top of the pipe: how it is attached to the vessel, and its boundary condition where it is not.
#include "sagbend/model/model.h"

#include "sagbend/math/trig.h"

#include <string.h>

void model_set_top_clamped(struct model_state *s, struct model_work *w, int clamped) {
  s->mesh.pipe.top_rotation_attached = clamped;
  model_work_resize(&s->mesh, w);
}

void model_release_top(struct model *m, struct model_state *s, struct model_work *w) {
  m->motion_home_n = pipe_get3(s->pipe.r_n, s->mesh.pipe.nodes - 1);
  s->mesh.pipe.top_attached = 0;
  s->mesh.pipe.top_moved = 1;
  m->weight_compensation_n = 0;
  model_carry_top(m, &s->mesh);
  model_work_resize(&s->mesh, w);
}

// Adds the half element at an attached top to the vessel's inertia.
static void attach_half_element(const struct model *m, struct mesh *mesh) {
  struct pipe_mesh *p = &mesh->pipe;
  const int n = p->nodes - 1;
  mat3 mass = {{{0}}};
  const double t[3] = {m->top_axis_b.x, m->top_axis_b.y, m->top_axis_b.z};
  for (int i = 0; i < 3; i++) {
    mass.m[i][i] = p->mass_kg[n];
    for (int j = 0; j < 3; j++)
      mass.m[i][j] += p->axial_excess_kg[n] * t[i] * t[j];
  }

  memcpy(mesh->vessel_inertia, m->vessel.bare_inertia, sizeof mesh->vessel_inertia);
  vessel_attach_mass(mesh->vessel_inertia, &mass, m->hangoff_b_m);
  if (!p->top_rotation_attached)
    return;

  mat3 r = quat_matrix(mesh->hangoff_q_bt), inertia = {{{0}}};
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        inertia.m[i][j] += p->inertia_kgm2[k][n] * r.m[i][k] * r.m[j][k];
    p->inertia_kgm2[k][n] = 0;
  }
  vessel_attach_inertia(mesh->vessel_inertia, &inertia);
}

void model_carry_top(const struct model *m, struct mesh *mesh) {
  struct pipe_mesh *p = &mesh->pipe;
  const int n = p->nodes - 1;
  if (p->top_attached)
    attach_half_element(m, mesh);
  mesh->top_mass_kg = p->mass_kg[n], mesh->top_axial_excess_kg = p->axial_excess_kg[n];
  p->mass_kg[n] = p->axial_excess_kg[n] = p->kirchhoff_kg[n] = 0;
}

void model_attach_top(struct model *m, struct model_state *s) {
  if (!s->mesh.pipe.top_attached)
    return;
  mat3 q = quat_matrix(s->vessel.q_nb);
  m->top_axis_b = mat3_tmul(&q, pipe_axis(&s->pipe, s->mesh.pipe.nodes - 1));
  m->hangoff_home_bt = s->mesh.hangoff_q_bt;
  s->mesh.tower_rad = 0;
  model_carry_top(m, &s->mesh);
}

void model_place_top(const struct model *m, struct model_state *s) {
  if (!s->mesh.pipe.top_attached)
    return;
  int n = s->mesh.pipe.nodes - 1;
  const struct vessel_state *vessel = &s->vessel;
  mat3 q = quat_matrix(vessel->q_nb);
  vec3 velocity = vec3_of(vessel->nu), omega = vec3_of(vessel->nu + 3);
  pipe_set3(s->pipe.r_n, n, vec3_add(vessel->x_n, mat3_mul(&q, m->hangoff_b_m)));
  pipe_set3(s->pipe.v_n, n, mat3_mul(&q, vec3_add(velocity, vec3_cross(omega, m->hangoff_b_m))));
  if (!s->mesh.pipe.top_rotation_attached)
    return;

  mat3 top = quat_matrix(s->mesh.hangoff_q_bt);
  pipe_set_quat(&s->pipe, n, quat_unit(quat_mul(vessel->q_nb, s->mesh.hangoff_q_bt)));
  pipe_set3(s->pipe.omega_t, n, mat3_tmul(&top, omega));
}

vec3 model_motion_offset(const struct motion_def *motion, double time_s) {
  if (motion->rows > 0) {
    double offset[TABLE_COLUMNS];
    table_at(motion->table, motion->rows, TABLE_SPLINE, time_s, offset);
    return vec3_of(offset);
  }

  double since = time_s - motion->start_s, left = motion->stop_s - time_s, radius = motion->radius_m;
  if (since <= 0 || (motion->stop_s > 0 && left <= 0))
    return (vec3){0, 0, 0};
  if (since < motion->ramp_s)
    radius *= 0.5 - 0.5 * trig_cos(TRIG_PI * since / motion->ramp_s);
  if (motion->stop_s > 0 && left < motion->ramp_s)
    radius *= 0.5 - 0.5 * trig_cos(TRIG_PI * left / motion->ramp_s);
  double angle = 2 * TRIG_PI * since / motion->period_s;
  return (vec3){radius * trig_cos(angle), radius * trig_sin(angle), 0};
}

void model_set_top_boundary(const struct model *m, const struct model_state *s, struct model_work *w,
                            double time_s, double step_s) {
  w->end_factor = time_profile_at(&m->end_profile, time_s + 0.5 * step_s);
  // The displacement ends on the prescribed path, even if the top is off it after a step that was repeated.
  if (s->mesh.pipe.top_moved)
    w->imposed_n = vec3_sub(vec3_add(m->motion_home_n, model_motion_offset(&m->motion, time_s + step_s)),
                            pipe_get3(s->pipe.r_n, s->mesh.pipe.nodes - 1));
}

void model_shift_with_top(const struct mesh *mesh, struct model_work *w) {
  const struct pipe_mesh *p = &mesh->pipe;
  double length = 0, at = 0;
  for (int e = 0; e < p->elements; e++)
    length += p->length_m[e];
  for (int i = 0; i < p->nodes; i++) {
    if (i > 0 || !p->held_position)
      pipe_set3(w->pipe.dr_n, i, vec3_scale(at / length, w->imposed_n));
    at += i < p->elements ? p->length_m[i] : 0;
  }
}
