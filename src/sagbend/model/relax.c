// The equilibrium is found on the equations of the dynamics with all increments zero and without inertia. The
// mean stress over the step is then the stress of the configuration, and the tangent of the step is half the
// stiffness. Each iteration solves (stiffness + mu mass) correction = -balance, an implicit step of the
// gradient flow of the potential energy. mu falls to zero, which gives Newton's method; Newton's method may
// end in an unstable equilibrium. relax_downhill keeps mu large enough for stiffness + mu mass to be positive
// definite.
#include "sagbend/model/relax.h"

#include "sagbend/math/trig.h"

#include <math.h>

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

double relax_mass(const struct equilibrium *eq, int unknown) {
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

void relax_stiffness(const struct equilibrium *eq, double sigma) {
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

enum status relax_with_small_turns(const struct equilibrium *eq, double mu, const char *stage,
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

enum status relax_downhill(const struct equilibrium *eq, double mu, double least, const char *stage,
                           struct reason *why) {
  return iterate_until_solved(eq, (struct damping){mu, least, 0, 0}, MAX_DOWNHILL, stage, why);
}
