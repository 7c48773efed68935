// Stages of the statics: a first shape (start.c); the pipe laid from a level, fixed vessel; the clamped top
// turned to its angle; friction and current; the vessel afloat; the check of stability (relax.c).
#include "sagbend/model/model.h"
#include "sagbend/model/model_internal.h"

#include "sagbend/blocktri/blocktri.h"
#include "sagbend/math/math.h"
#include "sagbend/pipe/pipe.h"
#include "sagbend/pipeline/pipeline.h"
#include "sagbend/sections/sections.h"

#include <math.h>
#include <string.h>

// The free pipe hangs below a stinger. The rollers are lowered until the pipe lies clear above all of them,
// and raised in steps, each of which finds its equilibrium from the last one.
static const double FIRST_STEP_M = 0.25, LARGEST_STEP_M = 2, SMALLEST_STEP_M = 1e-3;
enum { MOST_LOWERINGS = 60 };

// Lets the pipe hang free of all rollers of a stinger. Call before the first shape is relaxed.
static void stinger_stage_begin(const struct equilibrium *eq) {
  eq->w->rollers_lowered_m = (double)INFINITY;
}

static double largest_overlap(const struct equilibrium *eq, double lowered_m) {
  double most = -1;
  for (int k = 0; k < eq->m->roller_count; k++) {
    const struct roller_place place = rollers_place(eq->m, eq->s, k, lowered_m);
    most = place.is_near && place.overlap_m > most ? place.overlap_m : most;
  }
  return most;
}

// Raises the rollers from below the pipe to their places. Does nothing without rollers.
static enum status stinger_stage_raise(const struct equilibrium *eq, struct reason *why) {
  double at = 0, step = FIRST_STEP_M;
  for (int k = 0; k < MOST_LOWERINGS; k++) {
    const double overlap = largest_overlap(eq, at);
    if (overlap <= 0)
      break;
    at += overlap + 0.01;
  }
  eq->w->rollers_lowered_m = at;
  if (at == 0 && eq->m->roller_count > 0)
    return fail(why, STATUS_BAD_INPUT,
                "stinger: the pipe hangs free above all of its supports and touches none");
  while (at > 0) {
    const double to = at > step ? at - step : 0;
    model_state_copy(eq->m, &eq->w->saved, eq->s);
    eq->w->rollers_lowered_m = to;
    if (relax(eq, 1e-2, "raising the stinger", why) == STATUS_OK) {
      at = to;
      step = 1.5 * step < LARGEST_STEP_M ? 1.5 * step : LARGEST_STEP_M;
      continue;
    }
    model_state_copy(eq->m, eq->s, &eq->w->saved);
    step *= 0.25;
    if (step < SMALLEST_STEP_M)
      return STATUS_NOT_CONVERGED;
  }
  return STATUS_OK;
}

// ------------------------------------------------------------
// Friction. A pipe that is laid reaches the seabed piece by piece with the tension of the touchdown, and the
// ground then carries its weight where it landed. Therefore the statics lays it on a ground whose reaction is
// vertical: no force acts along the pipe, and its tension stays constant. Then friction takes over: each
// friction spring gets the elongation that holds its piece of pipe, up to mu N. Where that is not enough the
// pipe slides until it holds. The dynamics start from these elongations. The current of time 0 is applied
// last, in steps, and friction resists it.

enum { CURRENT_STEPS = 5, MOST_CURRENT_STEPS = 320 };

static int is_level(const struct pipe_mesh *p) {
  return p->pipe->ground.north_nodes == 0 && p->pipe->ground.normal_n.x == 0 &&
         p->pipe->ground.normal_n.y == 0;
}

// Before the pipe is laid: on sloping or uneven ground the seabed carries the pipe's weight vertically, as
// friction would.
static void load_stages_begin(const struct equilibrium *eq, const struct statics_def *def) {
  eq->report->with_friction = load_stages_have_friction(eq, def);
  eq->w->has_static_loads = load_stages_have_friction(eq, def) && !is_level(&eq->s->mesh.pipe);
  eq->w->static_loads =
      (struct pipe_static_loads){.ground = eq->w->has_static_loads ? GROUND_BEARING : GROUND_SMOOTH};
}

// The current of time 0, or none if the statics leaves it out or no water moves.
static struct current_turn initial_current(const struct equilibrium *eq, const struct statics_def *def) {
  const struct current *c = &eq->m->current;
  int flows = 0;
  for (int i = 0; i < c->count; i++)
    flows |= c->v_n[i].x != 0 || c->v_n[i].y != 0;
  return flows && def->current == CURRENT_INITIAL ? current_turn_at(&eq->m->env.current, 0)
                                                  : (struct current_turn){0, 0};
}

// The drag grows with the square of the velocity: equal steps of the drag, a quarter of that where one is too
// long, as for pipe that slides.
static enum status apply_current(const struct equilibrium *eq, struct current_turn turn, struct reason *why) {
  int steps = CURRENT_STEPS, k = 1;
  while (k <= steps) {
    double share = sqrt((double)k / steps);
    eq->w->has_static_loads = 1;
    eq->w->static_loads.current = &eq->m->current;
    eq->w->static_loads.turn = (struct current_turn){share * turn.along, share * turn.across};
    enum status status = relax_or_stiffen(eq, 1, "current, see statics.current", why);
    if (status == STATUS_OK) {
      k++;
    } else if (status == STATUS_NOT_CONVERGED && steps < MOST_CURRENT_STEPS) {
      model_state_copy(eq->m, eq->s, &eq->w->saved); // of relax_or_stiffen
      k = 4 * (k - 1) + 1;
      steps *= 4;
    } else {
      return status;
    }
  }
  return STATUS_OK;
}

// Loads the laid pipe: friction takes over from the ground that carried it, then the current of time 0 is
// increased in steps while the vessel keeps its position. Fails with the status of the iteration.
static enum status load_stages_apply(const struct equilibrium *eq, const struct statics_def *def,
                                     struct reason *why) {
  struct current_turn turn = initial_current(eq, def);
  int flows = turn.along != 0 || turn.across != 0, carried = eq->w->has_static_loads;
  eq->report->with_current = flows;
  if (!flows && !carried)
    return STATUS_OK;

  if (load_stages_have_friction(eq, def))
    load_stages_start_friction(eq);
  enum status status = carried ? relax(eq, 1e-2, "friction", why) : STATUS_OK;

  if (flows) // the vessel keeps the position of still water
    eq->w->held |= HOLD_X | HOLD_Y;
  return flows && status == STATUS_OK ? apply_current(eq, turn, why) : status;
}

// Removes all static loads from the workspace.
static void load_stages_end(const struct equilibrium *eq) {
  eq->w->has_static_loads = 0;
  eq->w->static_loads = (struct pipe_static_loads){.ground = GROUND_SMOOTH};
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

// Lets the pipe beyond the touchdown lie as deep as the touchdown has pressed it while it was laid, by the
// lay factor, and finds the equilibrium again. Does nothing without soil.
static enum status embed_laid(const struct equilibrium *eq, const struct pipe_def *pipe, struct reason *why) {
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
// The stages, one after the other.

// Moves the vessel horizontally so that the hang-off is at north_m, east_m.
static void move_hangoff_to(const struct model *m, struct model_state *s, double north_m, double east_m) {
  mat3 q = quat_matrix(s->vessel.q_nb);
  vec3 arm = mat3_mul(&q, m->hangoff_b_m);
  s->vessel.x_n.x = north_m - arm.x;
  s->vessel.x_n.y = east_m - arm.y;
  model_place_top(m, s);
}

static void clamp_top(struct model_state *s, struct model_work *w, quat q_bt) {
  s->mesh.hangoff_q_bt = q_bt;
  model_set_top_clamped(s, w, 1);
}

static quat conjugate(quat q) {
  return (quat){q.w, -q.x, -q.y, -q.z};
}

// Inclination of a node's axis above the vessel's x axis, in the x-z plane of b.
static double inclination_b(const struct model_state *s, int node) {
  quat q = quat_mul(conjugate(s->vessel.q_nb), pipe_quat(&s->pipe, node));
  mat3 r = quat_matrix(q);
  return trig_atan2(-r.m[2][0], r.m[0][0]);
}

// Continues from the pinned equilibrium to the clamped one: turns the top in steps of at most 10 degrees.
static enum status turn_top(const struct equilibrium *eq, const struct pipe_def *pipe, struct reason *why) {
  int n = eq->s->mesh.pipe.nodes - 1;
  if (pipe->hangoff_angle_auto) {
    clamp_top(eq->s, eq->w, quat_unit(quat_mul(conjugate(eq->s->vessel.q_nb), pipe_quat(&eq->s->pipe, n))));
    return STATUS_OK;
  }
  double from = inclination_b(eq->s, n), way = trig_wrap(pipe->hangoff_angle_rad - from);
  int steps = (int)(fabs(way) / 0.17) + 1;
  for (int k = 1; k <= steps; k++) {
    const double euler[3] = {0, k == steps ? pipe->hangoff_angle_rad : from + way * k / steps, 0};
    clamp_top(eq->s, eq->w, quat_of_euler(euler));
    model_place_top(eq->m, eq->s);
    enum status status = relax(eq, 1e-2, "turning the clamped top", why);
    if (status != STATUS_OK)
      return status;
  }
  return STATUS_OK;
}

// Reports the wrench that holds the vessel, from the extra force and the reactions of held unknowns.
static void report_hold(const struct model *m, const struct model_state *s, const struct model_work *w,
                        const struct pipe_def *pipe, struct statics_report *report) {
  double world[6];
  vec3_to(w->extra_force_n, world);
  for (int c = 0; c < 6; c++) {
    double reaction = w->held >> c & 1 ? w->tail_balance[c] : 0;
    world[c] = (c < 3 ? world[c] : 0) + reaction;
  }
  mat3 q = quat_matrix(s->vessel.q_nb);
  vec3_to(mat3_tmul(&q, vec3_of(world)), report->initial_holding_force_b);
  vec3_to(mat3_tmul(&q, vec3_of(world + 3)), report->initial_holding_force_b + 3);
  report->horizontal_force_n =
      world[0] * trig_cos(pipe->lay_azimuth_rad) + world[1] * trig_sin(pipe->lay_azimuth_rad);
  report->weight_compensation_n = m->weight_compensation_n;
}

// Sets a first shape of the pipe with the hang-off above its top, and the force on the vessel.
static enum status set_first_shape(const struct equilibrium *eq, const struct pipe_def *pipe,
                                   const struct statics_def *def, struct reason *why) {
  struct model *m = eq->m;
  int position_given = def->kind == STATICS_HANGOFF_POSITION;
  double north = trig_cos(pipe->lay_azimuth_rad), east = trig_sin(pipe->lay_azimuth_rad), reach = 0;
  if (position_given) {
    double dn = def->hangoff_position_m[0] - pipe->anchor_n_m[0];
    double de = def->hangoff_position_m[1] - pipe->anchor_n_m[1];
    reach = sqrt(dn * dn + de * de);
  }

  struct shape_guess guess;
  move_hangoff_to(m, eq->s, 0, 0);
  double top_z = eq->s->pipe.r_n[2][eq->s->mesh.pipe.nodes - 1];
  enum status status =
      shape_guess(m, pipe, def->horizontal_force_n, reach, top_z, eq->w->pipe.stress, eq->s, &guess, why);
  if (status != STATUS_OK)
    return status;

  if (position_given) {
    move_hangoff_to(m, eq->s, def->hangoff_position_m[0], def->hangoff_position_m[1]);
    eq->w->extra_force_n = (vec3){0, 0, 0};
  } else {
    move_hangoff_to(m, eq->s, pipe->anchor_n_m[0] + guess.reach_m * north,
                    pipe->anchor_n_m[1] + guess.reach_m * east);
    eq->w->extra_force_n = (vec3){def->horizontal_force_n * north, def->horizontal_force_n * east, 0};
  }
  return STATUS_OK;
}

// Equilibrium of a pipe that hangs from the vessel.
static enum status solve_attached(const struct equilibrium *eq, const struct pipe_def *pipe,
                                  const struct statics_def *def, struct reason *why) {
  struct model *m = eq->m;
  struct model_work *w = eq->w;
  enum status status = set_first_shape(eq, pipe, def, why);
  if (status != STATUS_OK)
    return status;

  const unsigned plane = def->kind == STATICS_HANGOFF_POSITION ? HOLD_X | HOLD_Y : HOLD_NONE;
  w->held = plane | HOLD_Z | HOLD_ROLL | HOLD_PITCH | HOLD_YAW;
  stinger_stage_begin(eq);
  status = relax(eq, 1, "level vessel", why);
  if (status == STATUS_OK)
    status = stinger_stage_raise(eq, why);
  if (status == STATUS_OK && pipe->hangoff == HANGOFF_CLAMPED)
    status = turn_top(eq, pipe, why);
  if (status == STATUS_OK)
    status = load_stages_apply(eq, def, why);
  if (status != STATUS_OK)
    return status;
  if (pipe->hangoff == HANGOFF_MOVED)
    return STATUS_OK; // the prescribed motion starts at the hang-off of the level vessel

  if (def->weight_compensation == COMPENSATE_PIPE)
    m->weight_compensation_n = model_force_on_vessel(eq->s, w).z;
  w->held = (w->held & (HOLD_X | HOLD_Y)) | HOLD_YAW;
  return eq->report->with_current
             ? relax_or_stiffen(eq, 1e-2, "floating vessel in the current, see statics.current", why)
             : relax(eq, 1e-2, "floating vessel", why);
}

// Equilibrium of a pipe with a free top: starts from the straight pipe and applies the end loads in steps. A
// pipe that is free at both ends stays straight.
static enum status solve_cantilever(const struct equilibrium *eq, const struct pipe_def *pipe,
                                    const struct statics_def *def, struct reason *why) {
  enum { LOAD_STEPS = 10 };
  shape_straight(&eq->s->mesh.pipe, pipe, &eq->s->pipe);
  if (pipe->lower == LOWER_FREE)
    return STATUS_OK;
  if (pipe->lower != LOWER_CLAMPED)
    return fail(why, STATUS_BAD_INPUT, "a pipe with a free top needs a clamped or a free lower end");
  eq->w->held = HOLD_X | HOLD_Y | HOLD_Z | HOLD_ROLL | HOLD_PITCH | HOLD_YAW;
  enum status status = STATUS_OK;
  for (int k = 0; k <= LOAD_STEPS && status == STATUS_OK; k++) {
    eq->w->end_factor = (double)k / LOAD_STEPS;
    status = relax(eq, 1e-2, "free top", why);
  }
  if (status == STATUS_OK)
    status = load_stages_apply(eq, def, why);
  return status == STATUS_OK ? stability_check(eq, def, why) : status;
}

// Fails if the bathymetry does not extend under r.
static enum status check_covered(const struct pipe_mesh *p, vec3 r, struct reason *why) {
  const struct seabed_surface *g = &p->pipe->ground;
  if (surface_is_mapped(g, r.x, r.y) || p->contact_length_m[0] == 0)
    return STATUS_OK;
  return fail(why, STATUS_BAD_INPUT,
              "the bathymetry (north %.6g to %.6g m, east %.6g to %.6g m) %s the pipe at north %.6g m, east "
              "%.6g m",
              g->north_m, g->north_m + g->spacing_m * (g->north_nodes - 1), g->east_m,
              g->east_m + g->spacing_m * (g->east_nodes - 1),
              g->is_missing ? "has no data under" : "does not extend under", r.x, r.y);
}

static enum status check_all_covered(const struct pipe_mesh *p, const struct pipe_state *s,
                                     struct reason *why) {
  enum status status = STATUS_OK;
  for (int i = 0; i < p->nodes && status == STATUS_OK; i++)
    status = check_covered(p, pipe_get3(s->r_n, i), why);
  return status;
}

// The same with the check of stability. A moved top is held at the start of its path; otherwise the vessel
// floats.
static enum status solve_attached_and_check(const struct equilibrium *eq, const struct pipe_def *pipe,
                                            const struct statics_def *def, struct reason *why) {
  enum status status = solve_attached(eq, pipe, def, why);
  if (status == STATUS_OK)
    status = embed_laid(eq, pipe, why);
  unsigned held = eq->w->held;
  if (pipe->hangoff == HANGOFF_MOVED)
    eq->w->held |= HOLD_X | HOLD_Y;
  if (status == STATUS_OK)
    status = stability_check(eq, def, why);
  eq->w->held = held;
  return status == STATUS_OK ? check_all_covered(&eq->s->mesh.pipe, &eq->s->pipe, why) : status;
}

static enum status solve(const struct equilibrium *eq, const struct pipe_def *pipe,
                         const struct statics_def *def, struct reason *why) {
  struct model *m = eq->m;
  struct model_state *s = eq->s;
  struct model_work *w = eq->w;
  enum status status = check_covered(&s->mesh.pipe, (vec3){pipe->anchor_n_m[0], pipe->anchor_n_m[1], 0}, why);
  if (status != STATUS_OK)
    return status;
  if (!s->mesh.pipe.top_attached) {
    status = solve_cantilever(eq, pipe, def, why);
    w->held = HOLD_NONE;
    return status == STATUS_OK ? check_all_covered(&s->mesh.pipe, &s->pipe, why) : status;
  }

  model_set_top_clamped(s, w, 0);
  double velocity[6], rest[6] = {0};
  memcpy(velocity, s->vessel.nu, sizeof velocity);
  memcpy(s->vessel.nu, rest, sizeof rest);
  status = solve_attached_and_check(eq, pipe, def, why);
  if (status != STATUS_OK)
    return status;

  report_hold(m, s, w, pipe, eq->report);
  memcpy(s->vessel.nu, velocity, sizeof velocity);
  w->held = HOLD_NONE;
  w->extra_force_n = (vec3){0, 0, 0};
  if (pipe->hangoff == HANGOFF_MOVED) {
    model_release_top(m, s, w);
    // The vessel no longer carries the pipe.
    memset(eq->report->initial_holding_force_b, 0, sizeof eq->report->initial_holding_force_b);
  }
  model_attach_top(m, s);
  model_place_top(m, s);
  return STATUS_OK;
}

enum status statics_solve(struct model *m, const struct pipe_def *pipe, const struct statics_def *def,
                          struct model_state *s, struct model_work *w, struct statics_report *report,
                          struct reason *why) {
  *report = (struct statics_report){.tolerance_n = relax_tolerance(m, &s->mesh.pipe)};
  const struct equilibrium eq = {m, s, w, report};
  if (s->mesh.pipe.nodes == 0)
    return STATUS_OK;
  load_stages_begin(&eq, def);
  enum status status = solve(&eq, pipe, def, why);
  report->dry_m = pipe_dry_length(&s->mesh.pipe, &s->pipe);
  if (status == STATUS_OK && m->pipe.has_plastic) {
    model_begin(m, s, w, 0);
    model_residual(m, s, w);
    pipe_plastic_commit(&s->mesh.pipe, &s->pipe, &w->pipe, 1);
  }
  if (status == STATUS_OK && m->pipe.has_soil) {
    model_begin(m, s, w, 0);
    pipe_ground_settle(&s->mesh.pipe, &s->pipe, &w->pipe);
  }
  load_stages_end(&eq);
  return status;
}
