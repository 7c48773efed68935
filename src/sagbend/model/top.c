// Force between the pipe and what holds its top, at an instant. The half element at the top obeys
//   d(momentum)/dt = force - element force + weight + drag + force of accelerating water,
// so the force follows from the last element, the water and the motion of the half element. The path of a
// moved top is known before and after the instant; for a top on a vessel the caller supplies the rate of
// momentum. The element force is the elastic one: strain rates at the end of a step oscillate in the stiffest
// modes, and at wave periods structural damping adds only a force of relative size (damping times frequency),
// a quarter of a period late.
#include "sagbend/model/model.h"

#include "sagbend/pipe/feed.h"
#include "sagbend/pipe/waterline.h"
#include "sagbend/pipe/section_forces.h"

// v with its component along the axis multiplied by axial and its other components by transverse.
static vec3 along_and_across(vec3 axis, vec3 v, double axial, double transverse) {
  double along = vec3_dot(axis, v);
  return vec3_axpy((axial - transverse) * along, axis, vec3_scale(transverse, v));
}

vec3 model_top_momentum(const struct model *m, const struct model_state *s) {
  if (!s->mesh.pipe.top_attached)
    return (vec3){0, 0, 0};
  mat3 q = quat_matrix(s->vessel.q_nb);
  return along_and_across(mat3_mul(&q, m->top_axis_b), pipe_get3(s->pipe.v_n, s->mesh.pipe.nodes - 1),
                          s->mesh.top_mass_kg + s->mesh.top_axial_excess_kg, s->mesh.top_mass_kg);
}

vec3 model_top_water_force(const struct model *m, const struct model_state *s, double time_s, double step_s) {
  const struct pipe_mesh *p = &s->mesh.pipe;
  int n = p->nodes - 1;
  double z = s->pipe.r_n[2][n], wet = pipe_wet_share(p, &s->pipe, n);
  vec3 axis = pipe_axis(&s->pipe, n);
  struct current_span span = current_over(&m->env.current, time_s, step_s);
  vec3 water = current_at(&m->current, span.middle, z),
       change = vec3_scale(1 / step_s, current_at(&m->current, span.change, z));
  if (p->pipe->in_sea) {
    const struct stations *c = &s->mesh.stations;
    vec3 before = stations_velocity(&m->field, &s->pipe, c, n, time_s - 0.5 * step_s),
         after = stations_velocity(&m->field, &s->pipe, c, n, time_s + 0.5 * step_s);
    water = vec3_add(water, stations_velocity(&m->field, &s->pipe, c, n, time_s));
    change = vec3_axpy(1 / step_s, vec3_sub(after, before), change);
  }
  vec3 relative = vec3_sub(pipe_get3(s->pipe.v_n, n), water);
  double along = vec3_dot(axis, relative), across = vec3_norm(vec3_axpy(-along, axis, relative));
  vec3 drag = along_and_across(axis, relative, -wet * p->drag_axial[n] * fabs(along),
                               -wet * p->drag_transverse[n] * across);
  return vec3_add(drag, along_and_across(axis, change, wet * p->water_kg[0][n], wet * p->water_kg[1][n]));
}

static vec3 path_acceleration(const struct model *m, double time_s, double step_s) {
  vec3 at = model_motion_offset(&m->motion, time_s);
  vec3 ahead = vec3_sub(model_motion_offset(&m->motion, time_s + step_s), at);
  vec3 behind = vec3_sub(at, model_motion_offset(&m->motion, time_s - step_s));
  return vec3_scale(1 / (step_s * step_s), vec3_sub(ahead, behind));
}

vec3 model_moved_momentum_rate(const struct model *m, const struct model_state *s, double time_s,
                               double step_s) {
  return along_and_across(pipe_axis(&s->pipe, s->mesh.pipe.nodes - 1), path_acceleration(m, time_s, step_s),
                          s->mesh.top_mass_kg + s->mesh.top_axial_excess_kg, s->mesh.top_mass_kg);
}

vec3 model_force_on_top(const struct model *m, const struct model_state *s, const struct model_work *w,
                        double time_s, double step_s, vec3 momentum_rate_n) {
  const struct pipe_mesh *p = &s->mesh.pipe;
  if (!p->top_attached && !p->top_moved)
    return vec3_scale(time_profile_at(&m->end_profile, time_s), m->end_force_n);
  if (p->top_moved)
    momentum_rate_n = model_moved_momentum_rate(m, s, time_s, step_s);
  vec3 force = vec3_add(pipe_element_force(p, &w->pipe, p->elements - 1), momentum_rate_n);
  force.z -= p->weight_n[p->nodes - 1] + pipe_waterline_load(p, &s->pipe, p->nodes - 1);
  return vec3_sub(force, model_top_water_force(m, s, time_s, step_s));
}
