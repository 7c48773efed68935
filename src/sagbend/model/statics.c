// Stages of the statics: a first shape (shape_guess.c); the pipe laid from a level, fixed vessel (relax.c);
// the clamped top turned to its angle; friction and current (load_stages.c); the vessel afloat; the check of
// stability (stability.c).
#include "sagbend/model/statics.h"

#include "sagbend/math/trig.h"
#include "sagbend/model/embedment.h"
#include "sagbend/model/model_internal.h"
#include "sagbend/model/relax.h"
#include "sagbend/model/rollers.h"
#include "sagbend/model/shape_guess.h"
#include "sagbend/model/stability.h"
#include "sagbend/pipe/waterline.h"

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
                "stinger: supports that the pipe touches expected; it hangs free above all of them");
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
  vec3_to(mat3_tmul(&q, vec3_of(world)), report->hold_wrench_b);
  vec3_to(mat3_tmul(&q, vec3_of(world + 3)), report->hold_wrench_b + 3);
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
    memset(eq->report->hold_wrench_b, 0, sizeof eq->report->hold_wrench_b);
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
