// The equilibrium that the statics looks for: the iteration towards it, and whether it is stable.
#include "sagbend/model/model.h"
#include "sagbend/model/model_internal.h"

#include "sagbend/blocktri/blocktri.h"
#include "sagbend/math/math.h"
#include "sagbend/pipe/pipe.h"

#include <math.h>

// ------------------------------------------------------------
// The equilibrium is found on the equations of the dynamics with all increments zero and without inertia. The
// mean stress over the step is then the stress of the configuration, and the tangent of the step is half the
// stiffness. Each iteration solves (stiffness + mu mass) correction = -balance, an implicit step of the
// gradient flow of the potential energy. mu falls to zero, which gives Newton's method; Newton's method may
// end in an unstable equilibrium. relax_downhill keeps mu large enough for stiffness + mu mass to be positive
// definite.

// Largest rotation of a node in one iteration. The careful value is for iterations that do not settle: long
// elements that swing sideways are stretched at once.
static const double LARGEST_TURN_RAD = 0.25, CAREFUL_TURN_RAD = 0.03;
static const double FAR_SHARE =
    0.02; // of the heaviest node: residual above which a soil's secant is its tangent
enum { MAX_ITERATIONS = 400, CAREFUL_AFTER = 120, MAX_DOWNHILL = 2000 };

double relax_tolerance(const struct model *m, const struct pipe_mesh *p) {
  double tolerance = 1e-6, length = 0;
  for (int e = 0; e < p->elements; e++)
    length += p->length_m[e];
  // Rounding of the strain that follows from coordinates of the size of the pipe.
  for (int e = 0; e < p->elements; e++) {
    double floor = 64 * 0x1p-52 * p->stiffness[0][e] * (length + m->env.depth_m) / p->length_m[e];
    tolerance = floor > tolerance ? floor : tolerance;
  }
  return tolerance;
}

// That lumped mass for an unknown of w->rhs, kg; for rotations kg m2, with the element length as lever arm.
static double relax_mass(const struct equilibrium *eq, int unknown) {
  const struct pipe_mesh *p = &eq->s->mesh.pipe;
  int i = unknown / BLOCK, c = unknown % BLOCK, tail = unknown - BLOCK * eq->w->matrix.count;
  if (tail >= 0)
    return tail < 6 ? eq->s->mesh.vessel_inertia[tail][tail]
                    : p->mass_kg[0] * p->length_m[0] * p->length_m[0];
  double l = p->length_m[i < p->elements ? i : i - 1];
  return p->mass_kg[i] * (c < 3 ? 1 : l * l);
}

// Adds half of mu times the lumped mass to the diagonal of the tangent.
static void regularise(const struct equilibrium *eq, double mu) {
  const struct pipe_mesh *p = &eq->s->mesh.pipe;
  struct blocktri *b = &eq->w->matrix;
  for (int i = 0; i < b->count; i++) {
    double l = p->length_m[i < p->elements ? i : i - 1];
    for (int c = 0; c < 6; c++)
      b->diag[i][block_at(c, c)] += 0.5 * mu * p->mass_kg[i] * (c < 3 ? 1 : l * l);
  }
  for (int c = 0; c < b->tail; c++)
    b->tail_diag[c][c] += 0.5 * mu * relax_mass(eq, BLOCK * b->count + c);
}

// Computes half the stiffness at the state, of terms with a potential only, minus sigma times half a lumped
// mass, in w->matrix. w->rhs is minus the balance there.
static void relax_stiffness(const struct equilibrium *eq, double sigma) {
  model_begin(eq->m, eq->s, eq->w, 0);
  model_residual(eq->m, eq->s, eq->w);
  eq->w->potential_only = 1;
  model_tangent(eq->m, eq->s, eq->w);
  eq->w->potential_only = 0;
  regularise(eq, -sigma);
}

// Largest turn or stretch of the chords of wires by the correction in w->rhs, which need no rotation of
// nodes; NaN if it is not finite.
static double largest_chord_turn(const struct pipe_mesh *p, const struct model_work *w) {
  double most = 0;
  for (int e = 0; e < p->elements - 1 && p->pipe->has_wire; e++) {
    if (!pipe_is_wire(p, e))
      continue;
    const double turn =
        vec3_norm(vec3_sub(vec3_of(w->rhs + BLOCK * (e + 1)), vec3_of(w->rhs + BLOCK * e))) / p->length_m[e];
    most = turn >= most || !(turn == turn) ? turn : most;
  }
  return most;
}

// The same with the rotations of nodes.
static double largest_turn(const struct pipe_mesh *p, const struct model_work *w) {
  double most = largest_chord_turn(p, w);
  for (int i = 0; i < w->rhs_count / 6 * 6; i += 6)
    for (int c = 3; c < 6; c++) {
      double turn = fabs(w->rhs[i + c]);
      most = turn >= most || !(turn == turn) ? turn : most;
    }
  return 0.5 * most; // the tangent is half the stiffness, so the correction is half of the solution
}

int load_stages_have_friction(const struct equilibrium *eq, const struct statics_def *def) {
  return eq->m->pipe.has_friction && def->friction == FRICTION_LAID;
}

void load_stages_start_friction(const struct equilibrium *eq) {
  model_begin(eq->m, eq->s, eq->w, 0);
  model_residual(eq->m, eq->s, eq->w);
  pipe_static_start_friction(&eq->s->mesh.pipe, &eq->s->pipe, &eq->w->pipe);
  eq->w->static_loads.ground = GROUND_FRICTION;
  eq->w->has_static_loads = 1;
}

static int friction_is_engaged(const struct equilibrium *eq) {
  return eq->w->has_static_loads && eq->w->static_loads.ground == GROUND_FRICTION;
}

static void apply_correction(const struct equilibrium *eq) {
  model_correct(&eq->s->mesh, eq->w, 0.5);
  if (friction_is_engaged(eq))
    pipe_static_elongate_friction(&eq->s->mesh.pipe, &eq->s->pipe, &eq->w->pipe);
  model_commit(eq->m, eq->s, eq->w, 0);
}

// Damping of the iteration.
struct damping {
  double mu;    // 1/s2
  double least; // lower bound of mu, downhill; negative: not downhill
  int careful, always_careful;
};

static double next_mu(const struct damping *damping, double turn) {
  if (damping->least >= 0)
    return fmax(0.5 * damping->mu, damping->least);
  return damping->mu < 1e-9 ? 0
                            : damping->mu * (damping->careful ? 0.5
                                             : turn < 0.02    ? 0.02
                                             : turn < 0.1     ? 0.2
                                                              : 0.7);
}

// Makes one accepted iteration from the balance in w. Fails if no mu gives a usable correction.
static enum status iterate_once(const struct equilibrium *eq, struct damping *damping) {
  double largest = damping->careful ? CAREFUL_TURN_RAD : LARGEST_TURN_RAD;
  for (int tries = 0; tries < 40; tries++) {
    int downhill = 1;
    if (damping->least >= 0) {
      relax_stiffness(eq, -damping->mu);
      downhill = blocktri_negative_pivot_count(&eq->w->matrix) == 0;
    }
    if (tries > 0)
      model_residual(eq->m, eq->s, eq->w); // the solution has replaced the balance
    model_tangent(eq->m, eq->s, eq->w);
    regularise(eq, damping->mu);
    if (downhill && blocktri_factor_and_solve(&eq->w->matrix, eq->w->rhs) == STATUS_OK) {
      double turn = largest_turn(&eq->s->mesh.pipe, eq->w);
      if (turn < largest) {
        apply_correction(eq);
        damping->mu = next_mu(damping, turn);
        return STATUS_OK;
      }
    }
    damping->mu = damping->mu > 0 ? 5 * damping->mu : 1e-6;
  }
  return STATUS_NOT_CONVERGED;
}

static double largest_bend_deg(const struct pipe_mesh *p, const struct pipe_state *s) {
  double most = 0;
  for (int e = 0; e < p->elements; e++) {
    if (pipe_is_wire(p, e)) // it may fold
      continue;
    mat3 a = quat_matrix(pipe_quat(s, e)), b = quat_matrix(pipe_quat(s, e + 1));
    vec3 t = mat3_column(&a, 0), u = mat3_column(&b, 0);
    double angle = trig_atan2(vec3_norm(vec3_cross(t, u)), vec3_dot(t, u));
    most = angle > most ? angle : most;
  }
  return most * 180 / TRIG_PI;
}

// Refuses a pipe that bends by 90 degrees or more between two nodes: the element's bending measure loses
// stiffness there.
static enum status check_shape(const struct equilibrium *eq, const char *stage, struct reason *why) {
  double bend = largest_bend_deg(&eq->s->mesh.pipe, &eq->s->pipe);
  if (bend < 90)
    return STATUS_OK;
  return fail(why, STATUS_NOT_CONVERGED,
              "statics (%s): the pipe folds; neighbouring nodes differ by %.0f degrees. Use more elements or "
              "another case",
              stage, bend);
}

static double heaviest_node(const struct pipe_mesh *p) {
  double most = 0;
  for (int i = 0; i < p->nodes; i++)
    most = fmax(most, fabs(p->weight_n[i]));
  return most;
}

static enum status iterate_until_solved(const struct equilibrium *eq, struct damping damping, int iterations,
                                        const char *stage, struct reason *why) {
  const double tolerance = eq->report->tolerance_n, far_n = FAR_SHARE * heaviest_node(&eq->s->mesh.pipe);
  int polish = 0;
  for (int k = 0; k < iterations; k++) {
    model_begin(eq->m, eq->s, eq->w, 0);
    model_residual(eq->m, eq->s, eq->w);
    eq->report->residual_n = eq->w->largest_force_n;
    if (eq->report->residual_n <= tolerance && ++polish > 2) {
      if (friction_is_engaged(eq))
        pipe_static_commit_slip(&eq->s->mesh.pipe, &eq->s->pipe, &eq->w->pipe);
      return check_shape(eq, stage, why);
    }
    eq->w->pipe.with_secant = eq->report->residual_n > far_n;
    damping.careful = damping.always_careful || (damping.least < 0 && k > CAREFUL_AFTER);
    if (iterate_once(eq, &damping) != STATUS_OK)
      break;
    eq->report->iterations++;
  }

  double bend = largest_bend_deg(&eq->s->mesh.pipe, &eq->s->pipe);
  return fail(
      why, STATUS_NOT_CONVERGED,
      "statics (%s): no equilibrium after %d iterations: a nodal force of %.3g N remains, %.3g N allowed%s",
      stage, eq->report->iterations, eq->report->residual_n, tolerance,
      bend > 30 ? "; neighbouring nodes differ by more than 30 degrees: more elements may be needed" : "");
}

enum status relax(const struct equilibrium *eq, double mu, const char *stage, struct reason *why) {
  return iterate_until_solved(eq, (struct damping){mu, -1, 0, 0}, MAX_ITERATIONS, stage, why);
}

// The same with smaller rotations in each iteration, for a soft pipe that swings sideways.
static enum status relax_with_small_turns(const struct equilibrium *eq, double mu, const char *stage,
                                          struct reason *why) {
  return iterate_until_solved(eq, (struct damping){mu, -1, 1, 1}, MAX_ITERATIONS, stage, why);
}

enum status relax_or_stiffen(const struct equilibrium *eq, double mu, const char *stage, struct reason *why) {
  static const double STIFFER[] = {0, 1, 30, 1000}; // 1/s2
  struct model_state *start = &eq->w->saved;
  enum status status = STATUS_NOT_CONVERGED;
  model_state_copy(eq->m, start, eq->s);
  for (size_t k = 0; k < sizeof STIFFER / sizeof *STIFFER && status == STATUS_NOT_CONVERGED; k++) {
    if (k > 0 && STIFFER[k] <= mu)
      continue;
    if (k > 0)
      model_state_copy(eq->m, eq->s, start);
    status = relax_with_small_turns(eq, k > 0 ? STIFFER[k] : mu, stage, why);
  }
  return status;
}

// The same with a potential energy that falls in every iteration: it cannot end in an unstable equilibrium,
// but needs more iterations. The damping does not fall below least.
static enum status relax_downhill(const struct equilibrium *eq, double mu, double least, const char *stage,
                                  struct reason *why) {
  return iterate_until_solved(eq, (struct damping){mu, least, 0, 0}, MAX_DOWNHILL, stage, why);
}

// ------------------------------------------------------------
// An equilibrium is stable if the second variation of the potential energy is positive definite: K, the
// symmetric tangent at the equilibrium. The signs of the pivots of K - sigma M give the number of eigenvalues
// below sigma (sagbend/blocktri/blocktri.c). Bisection encloses the least eigenvalue with that, and
// inverse iteration gives its mode. A friction spring that does not slip contributes to K, a slipping one
// does not. Drag acts as a constant load, because its dependence on the pipe's attitude has no potential.

enum { INVERSE_ITERATIONS = 24, BISECTIONS = 14, MOST_LEFT = 4 };

// Whether the boundary conditions keep this unknown of w->rhs at zero.
static int is_held(const struct equilibrium *eq, int unknown) {
  const struct pipe_mesh *p = &eq->s->mesh.pipe;
  int tail = unknown - BLOCK * eq->w->matrix.count, c = unknown % BLOCK;
  if (tail >= 0)
    return tail < 6 && (eq->w->held >> tail & 1);
  return unknown < BLOCK && (c < 3 ? p->held_position : p->held_rotation);
}

// Whether every eigenvalue lies above sigma.
static int all_eigenvalues_are_above(const struct equilibrium *eq, double sigma) {
  relax_stiffness(eq, sigma);
  return blocktri_negative_pivot_count(&eq->w->matrix) == 0;
}

// Magnitude below which an eigenvalue cannot be distinguished from rounding, 1/s^2.
static double eigenvalue_rounding(const struct equilibrium *eq) {
  double most = 0;
  relax_stiffness(eq, 0);
  for (int i = 1; i < eq->w->matrix.count; i++)
    for (int c = 0; c < BLOCK; c++)
      most = fmax(most, fabs(eq->w->matrix.diag[i][block_at(c, c)]) / (0.5 * relax_mass(eq, BLOCK * i + c)));
  return fmax(1e-8, 0x1p-46 * most);
}

// A number below the least eigenvalue, and close to it if that is negative. none: rounding of an eigenvalue.
static double bound_least_eigenvalue(const struct equilibrium *eq, double none) {
  double low = -none, high = -none;
  while (!all_eigenvalues_are_above(eq, low) && low > -1e12)
    high = low, low *= 4;
  for (int k = 0; k < BISECTIONS && low != high; k++) {
    double middle = -sqrt(low * high);
    if (all_eigenvalues_are_above(eq, middle))
      low = middle;
    else
      high = middle;
  }
  return low;
}

// Finds the mode with the eigenvalue nearest to sigma by inverse iteration from a fixed pseudo-random vector.
// Leaves the mode in w->mode, scaled to a largest component of 1, and returns its eigenvalue.
static double find_mode_near(const struct equilibrium *eq, double sigma) {
  struct model_work *w = eq->w;
  double value = sigma;
  uint64_t seed = 1;
  for (int i = 0; i < w->rhs_count; i++) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    w->mode[i] = is_held(eq, i) ? 0 : (double)(int64_t)seed / 9223372036854775808.0;
  }
  relax_stiffness(eq, sigma);
  if (blocktri_factor(&w->matrix) != STATUS_OK)
    return value;
  for (int k = 0; k < INVERSE_ITERATIONS; k++) {
    double with = 0, own = 0, most = 0;
    for (int i = 0; i < w->rhs_count; i++)
      w->rhs[i] = 0.5 * relax_mass(eq, i) * w->mode[i];
    blocktri_solve(&w->matrix, w->rhs);
    for (int i = 0; i < w->rhs_count; i++) {
      w->rhs[i] = is_held(eq, i) ? 0 : w->rhs[i]; // removes the rounding
      with += relax_mass(eq, i) * w->rhs[i] * w->mode[i];
      own += relax_mass(eq, i) * w->rhs[i] * w->rhs[i];
      most = fabs(w->rhs[i]) > fabs(most) ? w->rhs[i] : most;
    }
    value = sigma + with / own;
    for (int i = 0; i < w->rhs_count; i++)
      w->mode[i] = w->rhs[i] / most;
  }
  return value;
}

// Where and how the mode in w->mode moves, with the tensions there.
static struct statics_mode describe_mode(const struct equilibrium *eq, double value) {
  const struct pipe_mesh *p = &eq->s->mesh.pipe;
  const struct model_work *w = eq->w;
  struct statics_mode mode = {.least_1ps2 = value, .least_tension_n = (double)INFINITY};
  double most = 0, at = 0;
  int node = -1;
  // The entry after the last node is the vessel; it counts only if the pipe hangs from it.
  for (int i = 0; i <= w->matrix.count; i++) {
    double size = i < w->matrix.count || p->top_attached ? vec3_norm(vec3_of(w->mode + BLOCK * i)) : 0;
    if (size > most)
      most = size, node = i;
  }
  for (int e = 0; e < p->elements; e++) {
    if (w->pipe.stress[0][e] < mode.least_tension_n)
      mode.least_tension_n = w->pipe.stress[0][e], mode.least_tension_s_m = at + 0.5 * p->length_m[e];
    if (e <= node)
      mode.s_m = e < node ? at + p->length_m[e] : at, mode.tension_n = w->pipe.stress[0][e];
    at += p->length_m[e];
  }
  mode.kind = MODE_VESSEL;
  if (node < 0 || (node == w->matrix.count && p->top_attached))
    return mode;
  vec3 d = vec3_of(w->mode + BLOCK * node), t = pipe_axis(&eq->s->pipe, node), side = {-t.y, t.x, 0};
  double along = fabs(vec3_dot(d, t)), flat = vec3_norm(side);
  double across = flat > 0 ? fabs(vec3_dot(d, side)) / flat : 0;
  double rest = sqrt(fmax(0, vec3_dot(d, d) - along * along - across * across));
  mode.kind = across >= along && across >= rest ? MODE_LATERAL : rest >= along ? MODE_VERTICAL : MODE_AXIAL;
  return mode;
}

// Fills stable and softest of the report.
static void find_softest_mode(const struct equilibrium *eq, double none) {
  struct statics_report *r = eq->report;
  double sigma = bound_least_eigenvalue(eq, none);
  r->stable = sigma >= -none;
  r->softest = describe_mode(eq, find_mode_near(eq, sigma));
}

// Leaves an unstable equilibrium along the mode in w->mode, with a step that turns no node by more than 0.01
// rad.
static void step_along_mode(const struct equilibrium *eq) {
  struct model_work *w = eq->w;
  double turn = 0;
  for (int i = 0; i < w->rhs_count; i++)
    if (i % BLOCK >= 3)
      turn = fmax(turn, fabs(w->mode[i]));
  double size = turn > 0.1 ? 0.01 / turn : 0.1;
  model_begin(eq->m, eq->s, w, 0);
  model_residual(eq->m, eq->s, w);
  for (int i = 0; i < w->rhs_count; i++)
    w->rhs[i] = size * w->mode[i];
  model_correct(&eq->s->mesh, w, 1);
  model_commit(eq->m, eq->s, w, 0);
}

static enum status fail_unstable(const struct equilibrium *eq, const char *advice, struct reason *why) {
  static const char *const directions[] = {"along its axis", "sideways", "vertically", "with the vessel"};
  const struct statics_mode *m = eq->report->unstable_left ? &eq->report->left : &eq->report->softest;
  return fail(why, STATUS_NOT_CONVERGED,
              "statics: the equilibrium is unstable: the pipe gives way %s at S = %.4g m (growth by e in "
              "%.2g s) under %.4g kN of compression there; largest compression %.4g kN at S = %.4g m; %s",
              directions[m->kind], m->s_m, 1 / sqrt(-m->least_1ps2), fmax(0, -m->tension_n) / 1e3,
              fmax(0, -m->least_tension_n) / 1e3, m->least_tension_s_m,
              m->least_tension_n < 0 ? advice : "more elements may be needed");
}

enum status stability_check(const struct equilibrium *eq, const struct statics_def *def, struct reason *why) {
  const struct model *m = eq->m;
  struct statics_report *r = eq->report;
  int dead_moment = !eq->s->mesh.pipe.top_attached && vec3_norm(m->end_moment_nm) > 0;
  r->stability_checked = !dead_moment && eq->s->mesh.pipe.held_position;
  if (!r->stability_checked)
    return STATUS_OK;
  if (load_stages_have_friction(eq, def) && !eq->w->has_static_loads)
    load_stages_start_friction(eq);
  for (int left = 0;; left++) {
    double none = eigenvalue_rounding(eq);
    find_softest_mode(eq, none);
    if (r->stable)
      break;
    if (def->unstable == UNSTABLE_REFUSE)
      return fail_unstable(eq, "seabed friction may hold the pipe, or see statics.unstable", why);
    if (left == MOST_LEFT)
      return fail_unstable(eq, "no stable equilibrium found nearby", why);
    if (left == 0)
      r->left = r->softest;
    r->unstable_left++;
    step_along_mode(eq);
    if (relax_downhill(eq, -2 * r->softest.least_1ps2, none, "leaving an unstable equilibrium", why) !=
        STATUS_OK)
      return fail_unstable(eq, "no stable equilibrium found nearby", why);
  }
  r->slipping_m =
      r->with_friction ? pipe_static_slipping_length(&eq->s->mesh.pipe, &eq->s->pipe, &eq->w->pipe) : 0;
  return STATUS_OK;
}
