// The equilibrium is found on the equations of the dynamics with all increments zero and no inertia: there the mean
// stress is the stress, so the balance is that of the configuration, and the step's tangent is half the stiffness.
// Each iteration solves (stiffness + mu mass) correction = -balance: an implicit step of the gradient flow of the
// potential energy, which cannot run to an unstable equilibrium; mu falls to zero, which is Newton's method.
#include "model/statics.h"

#include "math/trig.h"
#include "model/shape_guess.h"

#include <string.h>

// Of a node in one iteration; and where the iteration wanders (long elements that swing aside stretch at once).
static const double LARGEST_TURN_RAD = 0.25, CAREFUL_TURN_RAD = 0.03;
enum { MAX_ITERATIONS = 400, CAREFUL_AFTER = 120 };

struct relaxation {
  struct model *m;
  struct model_state *s;
  struct model_work *w;
  struct statics_report *report;
};

static double tolerance_of(const struct model *m) {
  const struct pipe *p = &m->pipe;
  double most = 1e-6, length = 0;
  for (int e = 0; e < p->elements; e++)
    length += p->length_m[e];
  for (int e = 0; e < p->elements; e++) { // the strain's rounding of coordinates of the size of the pipe
    double floor = 64 * 0x1p-52 * p->stiffness[0][e] * (length + m->env.depth_m) / p->length_m[e];
    most = floor > most ? floor : most;
  }
  return most;
}

static void regularise(const struct relaxation *x, double mu) {
  const struct pipe *p = &x->m->pipe;
  struct blocktri *b = &x->w->matrix;
  for (int i = 0; i < b->count; i++) {
    double l = p->length_m[i < p->elements ? i : i - 1];
    for (int c = 0; c < 6; c++)
      b->diag[i][7 * c] += 0.5 * mu * p->mass_kg[i] * (c < 3 ? 1 : l * l);
  }
  for (int c = 0; c < 6; c++)
    b->tail_diag[c][c] += 0.5 * mu * x->m->vessel.inertia[c][c];
  for (int c = 6; c < b->tail; c++)
    b->tail_diag[c][c] += 0.5 * mu * p->mass_kg[0] * p->length_m[0] * p->length_m[0];
}

static double largest_turn(const struct model_work *w) {
  double most = 0;
  for (int i = 0; i < w->rhs_count / 6 * 6; i += 6)
    for (int c = 3; c < 6; c++) {
      double turn = fabs(w->rhs[i + c]);
      most = turn >= most || !(turn == turn) ? turn : most;
    }
  return 0.5 * most; // the correction is half of the solution: the tangent is half the stiffness
}

// One accepted iteration from the balance in w. Returns 0 when no mu gives a usable correction.
static int iterate(const struct relaxation *x, int careful, double *mu) {
  double largest = careful ? CAREFUL_TURN_RAD : LARGEST_TURN_RAD;
  for (int tries = 0; tries < 40; tries++) {
    if (tries > 0)
      model_residual(x->m, x->s, x->w); // the solution took the balance's place
    model_tangent(x->m, x->s, x->w);
    regularise(x, *mu);
    if (blocktri_factor(&x->w->matrix) == STATUS_OK) {
      blocktri_solve(&x->w->matrix, x->w->rhs);
      double turn = largest_turn(x->w);
      if (turn < largest) {
        model_correct(x->m, x->w, 0.5);
        model_commit(x->m, x->s, x->w, 0);
        *mu = *mu < 1e-9 ? 0 : *mu * (careful ? 0.5 : turn < 0.02 ? 0.02 : turn < 0.1 ? 0.2 : 0.7);
        return 1;
      }
    }
    *mu = *mu > 0 ? 5 * *mu : 1e-6;
  }
  return 0;
}

static double largest_bend_deg(const struct pipe *p, const struct pipe_state *s) {
  double most = 0;
  for (int e = 0; e < p->elements; e++) {
    mat3 a = quat_matrix(pipe_quat(s, e)), b = quat_matrix(pipe_quat(s, e + 1));
    vec3 t = mat3_column(&a, 0), u = mat3_column(&b, 0);
    double angle = trig_atan2(vec3_norm(vec3_cross(t, u)), vec3_dot(t, u));
    most = angle > most ? angle : most;
  }
  return most * 180 / TRIG_PI;
}

// The element's bending measure loses stiffness beyond 90 degrees: what lies there is no equilibrium of a pipe.
static enum status accept(const struct relaxation *x, const char *what, struct reason *why) {
  double bend = largest_bend_deg(&x->m->pipe, &x->s->pipe);
  if (bend < 90)
    return STATUS_OK;
  return fail(why, STATUS_NOT_CONVERGED,
              "statics (%s): the pipe folds, neighbouring nodes turn by %.0f degrees: more elements, or another case, needed",
              what, bend);
}

static enum status relax(const struct relaxation *x, double mu, const char *what, struct reason *why) {
  double tolerance = x->report->tolerance_n;
  int polish = 0;
  for (int k = 0; k < MAX_ITERATIONS; k++) {
    model_begin(x->m, x->s, x->w, 0);
    model_residual(x->m, x->s, x->w);
    x->report->residual_n = x->w->largest_force_n;
    if (x->report->residual_n <= tolerance && ++polish > 2)
      return accept(x, what, why);
    if (!iterate(x, k > CAREFUL_AFTER, &mu))
      break;
    x->report->iterations++;
  }
  double bend = largest_bend_deg(&x->m->pipe, &x->s->pipe);
  return fail(why, STATUS_NOT_CONVERGED,
              "statics (%s): no equilibrium after %d iterations: a nodal force of %.3g N is left, %.3g N allowed%s", what,
              x->report->iterations, x->report->residual_n, tolerance,
              bend > 30 ? "; neighbouring nodes turn by more than 30 degrees: more elements may be needed" : "");
}

static void move_vessel_under_top(const struct model *m, struct model_state *s, double north_m, double east_m) {
  mat3 q = quat_matrix(s->vessel.q_nb);
  vec3 arm = mat3_mul(&q, m->hangoff_b_m);
  s->vessel.x_n.x = north_m - arm.x;
  s->vessel.x_n.y = east_m - arm.y;
  model_place_top(m, s);
}

static void clamp_top(struct model *m, struct model_work *w, quat q_bt) {
  m->hangoff_q_bt = q_bt;
  model_set_top_clamped(m, w, 1);
}

static quat conjugate(quat q) { return (quat){q.w, -q.x, -q.y, -q.z}; }

static double inclination_b(const struct model_state *s, int node) {
  quat q = quat_mul(conjugate(s->vessel.q_nb), pipe_quat(&s->pipe, node));
  mat3 r = quat_matrix(q);
  return trig_atan2(-r.m[2][0], r.m[0][0]);
}

// From the pinned equilibrium to the clamped one, turning the top in steps of at most 10 degrees.
static enum status turn_top(const struct relaxation *x, const struct pipe_def *pipe, struct reason *why) {
  int n = x->m->pipe.nodes - 1;
  if (pipe->hangoff_angle_auto) {
    clamp_top(x->m, x->w, quat_unit(quat_mul(conjugate(x->s->vessel.q_nb), pipe_quat(&x->s->pipe, n))));
    return STATUS_OK;
  }
  double from = inclination_b(x->s, n), way = trig_wrap(pipe->hangoff_angle_rad - from);
  int steps = (int)(fabs(way) / 0.17) + 1;
  for (int k = 1; k <= steps; k++) {
    const double euler[3] = {0, k == steps ? pipe->hangoff_angle_rad : from + way * k / steps, 0};
    clamp_top(x->m, x->w, quat_of_euler(euler));
    model_place_top(x->m, x->s);
    enum status status = relax(x, 1e-2, "turning the clamped top", why);
    if (status != STATUS_OK)
      return status;
  }
  return STATUS_OK;
}

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
  report->horizontal_force_n = world[0] * trig_cos(pipe->lay_azimuth_rad) + world[1] * trig_sin(pipe->lay_azimuth_rad);
  report->ballast_n = m->ballast_n;
}

static enum status solve_attached(const struct relaxation *x, const struct pipe_def *pipe,
                                  const struct statics_def *def, struct reason *why) {
  struct model *m = x->m;
  struct model_work *w = x->w;
  double north = trig_cos(pipe->lay_azimuth_rad), east = trig_sin(pipe->lay_azimuth_rad), reach = 0;
  int given = def->kind == STATICS_HANGOFF_POSITION;
  if (given) {
    double dn = def->hangoff_position_m[0] - pipe->anchor_n_m[0], de = def->hangoff_position_m[1] - pipe->anchor_n_m[1];
    reach = sqrt(dn * dn + de * de);
  }
  struct shape_guess guess;
  move_vessel_under_top(m, x->s, 0, 0);
  double top_z = x->s->pipe.r_n[2][m->pipe.nodes - 1];
  enum status status = shape_guess(m, pipe, def->horizontal_force_n, reach, top_z, w->pipe.stress, x->s, &guess, why);
  if (status != STATUS_OK)
    return status;
  if (given)
    move_vessel_under_top(m, x->s, def->hangoff_position_m[0], def->hangoff_position_m[1]);
  else
    move_vessel_under_top(m, x->s, pipe->anchor_n_m[0] + guess.reach_m * north,
                          pipe->anchor_n_m[1] + guess.reach_m * east);
  w->extra_force_n = given ? (vec3){0, 0, 0} : (vec3){def->horizontal_force_n * north, def->horizontal_force_n * east, 0};
  const unsigned plane = given ? HOLD_X | HOLD_Y : HOLD_NONE;
  w->held = plane | HOLD_Z | HOLD_ROLL | HOLD_PITCH | HOLD_YAW;
  status = relax(x, 1, "level vessel", why);
  if (status == STATUS_OK && pipe->hangoff == HANGOFF_CLAMPED)
    status = turn_top(x, pipe, why);
  if (status != STATUS_OK)
    return status;
  if (pipe->hangoff == HANGOFF_MOVED)
    return STATUS_OK; // the path starts from the level vessel's hang-off
  if (def->ballast == BALLAST_PIPE)
    m->ballast_n = model_top_force(m, w).z;
  w->held = plane | HOLD_YAW;
  return relax(x, 1e-2, "floating vessel", why);
}

// A top that nothing holds: from the pipe laid straight ahead from the lower end, the end loads in steps. A pipe that is
// free at both ends just starts so.
static enum status solve_cantilever(const struct relaxation *x, const struct pipe_def *pipe, struct reason *why) {
  enum { LOAD_STEPS = 10 };
  shape_straight(&x->m->pipe, pipe, &x->s->pipe);
  if (pipe->lower == LOWER_FREE)
    return STATUS_OK;
  if (pipe->lower != LOWER_CLAMPED)
    return fail(why, STATUS_BAD_INPUT, "a pipe with a free top needs a clamped or a free lower end");
  x->w->held = HOLD_X | HOLD_Y | HOLD_Z | HOLD_ROLL | HOLD_PITCH | HOLD_YAW;
  enum status status = STATUS_OK;
  for (int k = 0; k <= LOAD_STEPS && status == STATUS_OK; k++) {
    x->w->end_factor = (double)k / LOAD_STEPS;
    status = relax(x, 1e-2, "free top", why);
  }
  x->w->held = HOLD_NONE;
  return status;
}

// The ground beyond a grid is a guess.
static enum status covered(const struct pipe *p, vec3 r, struct reason *why) {
  const struct seabed_surface *g = &p->ground;
  if (surface_covers(g, r.x, r.y) || p->contact_length_m[0] == 0)
    return STATUS_OK;
  return fail(why, STATUS_BAD_INPUT,
              "the bathymetry (north %.6g to %.6g m, east %.6g to %.6g m) does not reach under the pipe at north %.6g m, "
              "east %.6g m",
              g->north_m, g->north_m + g->spacing_m * (g->north_nodes - 1), g->east_m,
              g->east_m + g->spacing_m * (g->east_nodes - 1), r.x, r.y);
}

static enum status all_covered(const struct pipe *p, const struct pipe_state *s, struct reason *why) {
  enum status status = STATUS_OK;
  for (int i = 0; i < p->nodes && status == STATUS_OK; i++)
    status = covered(p, pipe_get3(s->r_n, i), why);
  return status;
}

enum status statics_solve(struct model *m, const struct pipe_def *pipe, const struct statics_def *def,
                          struct model_state *s, struct model_work *w, struct statics_report *report,
                          struct reason *why) {
  *report = (struct statics_report){.tolerance_n = tolerance_of(m)};
  const struct relaxation x = {m, s, w, report};
  if (m->pipe.nodes == 0)
    return STATUS_OK;
  enum status status = covered(&m->pipe, (vec3){pipe->anchor_n_m[0], pipe->anchor_n_m[1], 0}, why);
  if (status != STATUS_OK)
    return status;
  if (!m->pipe.top_attached) {
    status = solve_cantilever(&x, pipe, why);
    return status == STATUS_OK ? all_covered(&m->pipe, &s->pipe, why) : status;
  }
  model_set_top_clamped(m, w, 0);
  double velocity[6], rest[6] = {0};
  memcpy(velocity, s->vessel.nu, sizeof velocity);
  memcpy(s->vessel.nu, rest, sizeof rest);
  status = solve_attached(&x, pipe, def, why);
  if (status == STATUS_OK)
    status = all_covered(&m->pipe, &s->pipe, why);
  if (status != STATUS_OK)
    return status;
  report_hold(m, s, w, pipe, report);
  memcpy(s->vessel.nu, velocity, sizeof velocity);
  w->held = HOLD_NONE;
  w->extra_force_n = (vec3){0, 0, 0};
  if (pipe->hangoff == HANGOFF_MOVED) {
    model_release_top(m, s, w);
    memset(report->hold_wrench_b, 0, sizeof report->hold_wrench_b); // the vessel carries nothing any more
  }
  model_attach_top(m, s);
  model_place_top(m, s);
  return STATUS_OK;
}
