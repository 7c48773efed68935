// The equilibrium is found on the equations of the dynamics with all increments zero and no inertia: there
// the mean stress is the stress, so the balance is that of the configuration, and the step's tangent is half
// the stiffness. Each iteration solves (stiffness + mu mass) correction = -balance: an implicit step of the
// gradient flow of the potential energy; mu falls to zero, which is Newton's method, and that may end in an
// unstable equilibrium. Downhill, mu stays large enough for stiffness + mu mass to be positive definite.
#include "core/model/relax.h"

#include "core/math/trig.h"

#include <math.h>

// Of a node in one iteration; and where the iteration wanders (long elements that swing aside stretch at
// once).
static const double LARGEST_TURN_RAD = 0.25, CAREFUL_TURN_RAD = 0.03;
enum { MAX_ITERATIONS = 400, CAREFUL_AFTER = 120, MAX_DOWNHILL = 2000 };

double relax_tolerance(const struct model *m) {
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

double relax_mass(const struct relaxation *x, int unknown) {
  const struct pipe *p = &x->m->pipe;
  int i = unknown / BLOCK, c = unknown % BLOCK, tail = unknown - BLOCK * x->w->matrix.count;
  if (tail >= 0)
    return tail < 6 ? x->m->vessel.inertia[tail][tail] : p->mass_kg[0] * p->length_m[0] * p->length_m[0];
  double l = p->length_m[i < p->elements ? i : i - 1];
  return p->mass_kg[i] * (c < 3 ? 1 : l * l);
}

static void regularise(const struct relaxation *x, double mu) {
  const struct pipe *p = &x->m->pipe;
  struct blocktri *b = &x->w->matrix;
  for (int i = 0; i < b->count; i++) {
    double l = p->length_m[i < p->elements ? i : i - 1];
    for (int c = 0; c < 6; c++)
      b->diag[i][7 * c] += 0.5 * mu * p->mass_kg[i] * (c < 3 ? 1 : l * l);
  }
  for (int c = 0; c < b->tail; c++)
    b->tail_diag[c][c] += 0.5 * mu * relax_mass(x, BLOCK * b->count + c);
}

void relax_stiffness(const struct relaxation *x, double sigma) {
  model_begin(x->m, x->s, x->w, 0);
  model_residual(x->m, x->s, x->w);
  x->w->potential_only = 1;
  model_tangent(x->m, x->s, x->w);
  x->w->potential_only = 0;
  regularise(x, -sigma);
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

static int grips(const struct relaxation *x) {
  return x->w->static_loads && x->w->still.ground == GROUND_FRICTION;
}

static void take(const struct relaxation *x) {
  model_correct(x->m, x->w, 0.5);
  if (grips(x))
    pipe_static_elongate_friction(&x->m->pipe, &x->s->pipe, &x->w->pipe);
  model_commit(x->m, x->s, x->w, 0);
}

// How the iteration damps itself. least < 0: as it likes; otherwise downhill, with at least that.
struct damping {
  double mu, least;
  int careful, always_careful;
};

static double next_mu(const struct damping *d, double turn) {
  if (d->least >= 0)
    return fmax(0.5 * d->mu, d->least);
  return d->mu < 1e-9 ? 0 : d->mu * (d->careful ? 0.5 : turn < 0.02 ? 0.02 : turn < 0.1 ? 0.2 : 0.7);
}

// One accepted iteration from the balance in w. Returns 0 when no mu gives a usable correction.
static int iterate(const struct relaxation *x, struct damping *d) {
  double largest = d->careful ? CAREFUL_TURN_RAD : LARGEST_TURN_RAD;
  for (int tries = 0; tries < 40; tries++) {
    int downhill = 1;
    if (d->least >= 0) {
      relax_stiffness(x, -d->mu);
      downhill = blocktri_negative_pivot_count(&x->w->matrix) == 0;
    }
    if (tries > 0)
      model_residual(x->m, x->s, x->w); // the solution took the balance's place
    model_tangent(x->m, x->s, x->w);
    regularise(x, d->mu);
    if (downhill && blocktri_factor(&x->w->matrix) == STATUS_OK) {
      blocktri_solve(&x->w->matrix, x->w->rhs);
      double turn = largest_turn(x->w);
      if (turn < largest) {
        take(x);
        d->mu = next_mu(d, turn);
        return 1;
      }
    }
    d->mu = d->mu > 0 ? 5 * d->mu : 1e-6;
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

// The element's bending measure loses stiffness beyond 90 degrees: what lies there is no equilibrium of a
// pipe.
static enum status accept(const struct relaxation *x, const char *what, struct reason *why) {
  double bend = largest_bend_deg(&x->m->pipe, &x->s->pipe);
  if (bend < 90)
    return STATUS_OK;
  return fail(why, STATUS_NOT_CONVERGED,
              "statics (%s): the pipe folds, neighbouring nodes turn by %.0f degrees: more elements, or "
              "another case, needed",
              what, bend);
}

static enum status run(const struct relaxation *x, struct damping d, int iterations, const char *what,
                       struct reason *why) {
  double tolerance = x->report->tolerance_n;
  int polish = 0;
  for (int k = 0; k < iterations; k++) {
    model_begin(x->m, x->s, x->w, 0);
    model_residual(x->m, x->s, x->w);
    x->report->residual_n = x->w->largest_force_n;
    if (x->report->residual_n <= tolerance && ++polish > 2) {
      if (grips(x))
        pipe_static_commit_slip(&x->m->pipe, &x->s->pipe, &x->w->pipe);
      return accept(x, what, why);
    }
    d.careful = d.always_careful || (d.least < 0 && k > CAREFUL_AFTER);
    if (!iterate(x, &d))
      break;
    x->report->iterations++;
  }
  double bend = largest_bend_deg(&x->m->pipe, &x->s->pipe);
  return fail(
      why, STATUS_NOT_CONVERGED,
      "statics (%s): no equilibrium after %d iterations: a nodal force of %.3g N is left, %.3g N allowed%s",
      what, x->report->iterations, x->report->residual_n, tolerance,
      bend > 30 ? "; neighbouring nodes turn by more than 30 degrees: more elements may be needed" : "");
}

enum status relax(const struct relaxation *x, double mu, const char *what, struct reason *why) {
  return run(x, (struct damping){mu, -1, 0, 0}, MAX_ITERATIONS, what, why);
}

enum status relax_with_small_turns(const struct relaxation *x, double mu, const char *what,
                                   struct reason *why) {
  return run(x, (struct damping){mu, -1, 1, 1}, MAX_ITERATIONS, what, why);
}

enum status relax_downhill(const struct relaxation *x, double mu, double least, const char *what,
                           struct reason *why) {
  return run(x, (struct damping){mu, least, 0, 0}, MAX_DOWNHILL, what, why);
}
