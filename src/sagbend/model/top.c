// Force between the pipe and what holds its top, at an instant. The half element at the top obeys
//   d(momentum)/dt = force - element force + weight + drag + force of accelerating water,
// so the force follows from the last element, the water and the motion of the half element. The path of a
// moved top is known before and after the instant; for a top on a vessel the caller supplies the rate of
// momentum. The element force is the elastic one: strain rates at the end of a step oscillate in the stiffest
// modes, and at wave periods structural damping adds only a force of relative size (damping times frequency),
// a quarter of a period late.
#include "sagbend/model/model.h"
#include "sagbend/model/model_internal.h"

#include "sagbend/pipe/pipe.h"
#include "sagbend/pipeline/pipeline.h"
#include "sagbend/sections/sections.h"
#include "sagbend/stations/stations.h"

#include <math.h>
#include <string.h>

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

// ------------------------------------------------------------
// The touchdown presses a pipe into the soil with more than its weight; the pipe that has passed it lies as
// deep as that force and is unloaded to its weight. The statics of virgin soil shows which nodes have passed:
// those below which the ground carries, and above whose next node too.

// Of node i, for the tension at the lower end. The formula holds for a tension above (3 sqrt(EI) w)^(2/3).
static double factor_of(const struct model *m, const struct pipe_def *pipe, const struct model_state *s,
                        int i, double weight_npm, double tension_n) {
  const struct soil_def *soil = &m->env.soil;
  const struct pipe_mesh *p = &s->mesh.pipe;
  const int type = p->type[i < p->elements ? i : i - 1];
  const struct pipe_type *line = pipe_type_of(pipe, type);
  const double least = cbrt(9 * line->bending_stiffness_nm2[0] * weight_npm * weight_npm);
  double factor = soil->lay_factor;
  if (!(factor > 0))
    factor = soil_lay_factor(soil, line->outer_diameter_m, weight_npm, line->bending_stiffness_nm2[0],
                             fmax(tension_n, least));
  return factor * soil->dynamic_factor;
}

static void embed_node(const struct equilibrium *eq, const struct pipe_def *pipe, int i, double tension_n) {
  const struct pipe_mesh *p = &eq->s->mesh.pipe;
  const struct soil_column *column = &p->pipe->column[p->type[i < p->elements ? i : i - 1]];
  double *const deepest = &eq->s->pipe.soil_m[SOIL_LAYERS][i];
  vec3 normal, r = pipe_get3(eq->s->pipe.r_n, i);
  const double z = surface_penetration(&p->pipe->ground, p->contact_offset_m[i], r, &normal);
  const double weight = p->weight_n[i] / p->contact_length_m[i] * normal.z;
  const double rest =
      soil_resting(column, weight, factor_of(eq->m, pipe, eq->s, i, weight, tension_n), deepest);
  const int is_end = i == 0 && p->held_position;
  if (*deepest <= z || (is_end && pipe->lower_height != HEIGHT_RESTING)) {
    *deepest = 0;
    return;
  }
  pipe_set3(eq->s->pipe.r_n, i, vec3_axpy(rest - z, normal, r));
}

enum status embed_laid(const struct equilibrium *eq, const struct pipe_def *pipe, struct reason *why) {
  const struct pipe_mesh *p = &eq->s->mesh.pipe;
  struct model_work *w = eq->w;
  if (!p->pipe->has_soil)
    return STATUS_OK;
  model_begin(eq->m, eq->s, w, 0);
  model_residual(eq->m, eq->s, w);
  const double tension = pipe_element_section_forces(p, &eq->s->pipe, &w->pipe, 0).effective_tension_n;
  for (int i = 0; i + 1 < p->nodes; i++)
    if (p->contact_length_m[i] > 0 && w->pipe.penetration_m[i] > 0 && w->pipe.penetration_m[i + 1] > 0)
      embed_node(eq, pipe, i, tension);
  w->pipe.is_laid_out = 0;
  return relax(eq, 1e-2, "embedment of laid pipe", why);
}

// ------------------------------------------------------------
// Prediction of the increments of a step, and what it keeps of the steps before (sagbend/pipe/step.c).

// Weights of the last additions, by how many there are. Those of three are exact for additions that grow
// linearly and for such that change their sign in each step, (z - 1)^2 (z + 1): the midpoint rule leaves
// vibrations of this kind over rollers, after a split and where laid pipe retires, and (2, -1) would
// multiply them by three. The fourth, with waves on the pipe, whose short ones change a force by more than a
// line in three steps, makes them exact for a parabola as well, (z - 1)^3 (z + 1). Only the pipe has it.
static const double WEIGHTS[MOST_PREDICTION_STEPS + 1][MOST_PREDICTION_STEPS] = {
    {0, 0, 0, 0}, {1, 0, 0, 0}, {2, -1, 0, 0}, {1, 1, -1, 0}, {2, 0, -2, 1}};

// Increments of the vessel at constant velocity.
static void steady_increments(const struct model_state *s, double step_s, vec3 *dx, vec3 *theta) {
  mat3 q = quat_matrix(s->vessel.q_nb);
  *dx = vec3_scale(step_s, mat3_mul(&q, vec3_of(s->vessel.nu)));
  *theta = vec3_scale(step_s, mat3_mul(&q, vec3_of(s->vessel.nu + 3)));
}

void model_predict(const struct model_state *s, struct model_work *w, double step_s, int with_history) {
  const struct prediction_state *past = &s->prediction;
  const uint64_t steps = with_history ? past->steps : 0;
  const double *share = WEIGHTS[steps < PREDICTION_STEPS ? steps : PREDICTION_STEPS];
  steady_increments(s, step_s, &w->vessel.dx_n, &w->vessel.theta_n);
  for (int k = 0; k < PREDICTION_STEPS; k++) {
    w->vessel.dx_n = vec3_axpy(share[k], vec3_of(past->beyond_n[k]), w->vessel.dx_n);
    w->vessel.theta_n = vec3_axpy(share[k], vec3_of(past->beyond_n[k] + 3), w->vessel.theta_n);
  }
  if (s->mesh.pipe.nodes > 0)
    pipe_predict(&s->mesh.pipe, &s->pipe, &w->pipe, step_s, WEIGHTS[steps]);
  if (w->pipe.growth.is_unknown) {
    w->pipe.growth.grown_m = step_s * s->payout.speed_mps;
    for (int k = 0; k < PREDICTION_STEPS; k++)
      w->pipe.growth.grown_m += share[k] * s->tensioner.beyond_m[k];
  }
}

void model_remember(struct model_state *s, const struct model_work *w, double step_s) {
  enum { EARLIER = PREDICTION_STEPS - 1 };
  const int is_in_sea = s->mesh.pipe.nodes > 0 && s->mesh.pipe.pipe->in_sea;
  const uint64_t most = is_in_sea ? MOST_PREDICTION_STEPS : PREDICTION_STEPS;
  struct prediction_state *past = &s->prediction;
  vec3 dx, theta;
  steady_increments(s, step_s, &dx, &theta);
  memmove(past->beyond_n[1], past->beyond_n[0], EARLIER * sizeof past->beyond_n[0]);
  vec3_to(vec3_sub(w->vessel.dx_n, dx), past->beyond_n[0]);
  vec3_to(vec3_sub(w->vessel.theta_n, theta), past->beyond_n[0] + 3);
  past->steps += past->steps < most;
  if (s->mesh.pipe.nodes > 0)
    pipe_remember(&s->mesh.pipe, &s->pipe, &w->pipe, step_s);
  if (w->pipe.growth.is_unknown) {
    memmove(s->tensioner.beyond_m + 1, s->tensioner.beyond_m, EARLIER * sizeof *s->tensioner.beyond_m);
    s->tensioner.beyond_m[0] = w->pipe.growth.grown_m - step_s * s->payout.speed_mps;
  }
}

int model_prediction_is_valid(const struct prediction_state *prediction, struct reason *why) {
  return valid_whole(prediction->steps, 0, MOST_PREDICTION_STEPS, "steps", why) &&
         valid_finite(prediction->beyond_n[0], 6 * PREDICTION_STEPS, "beyond_n", why);
}
