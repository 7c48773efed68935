// Equilibrium of the nodes at the top after a split or a merge.
#include "sagbend/lay/lay_internal.h"

#include "sagbend/growing/growing.h"
#include "sagbend/pipe/pipe.h"

#include <string.h>

enum { ITERATIONS = 12, RATE_ITERATIONS = 2 };
enum { SPREAD = 100 };           // nodes below that take up a change of length of those that settle, at most
enum { BELOW = 12, ABOVE = 24 }; // entries of a row of the matrix beside the diagonal, with row exchanges

typedef double settle_matrix[SETTLE_UNKNOWNS][SETTLE_UNKNOWNS];

static int smaller(int a, int b) {
  return a < b ? a : b;
}

static void exchange(double *a, double *b) {
  const double swap = *a;
  *a = *b, *b = swap;
}

// Solves a x = b by elimination with row exchanges; 0 if a is singular.
static int solve_banded(settle_matrix a, double *b, int count) {
  for (int k = 0; k < count; k++) {
    const int rows = smaller(count, k + BELOW), columns = smaller(count, k + ABOVE);
    int pivot = k;
    for (int i = k + 1; i < rows; i++)
      pivot = fabs(a[i][k]) > fabs(a[pivot][k]) ? i : pivot;
    if (!(fabs(a[pivot][k]) > 0))
      return 0;
    for (int j = k; j < columns && pivot != k; j++)
      exchange(&a[k][j], &a[pivot][j]);
    exchange(&b[k], &b[pivot]);
    for (int i = k + 1; i < rows; i++) {
      const double factor = a[i][k] / a[k][k];
      for (int j = k; j < columns; j++)
        a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (int k = count - 1; k >= 0; k--) {
    for (int j = k + 1; j < smaller(count, k + ABOVE); j++)
      b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return 1;
}

// Unknowns: displacement and rotation of the nodes from first on, then the rotation of a top that can turn.
struct settle {
  const struct pipe_mesh *p;
  struct pipe_state *s;
  int first, turns_top, count;
  double grown_m; // change of the length of the top element in a step
};

static struct settle settle_of(struct model_state *s, int first, const struct settle_motion *motion) {
  const int turns = !s->mesh.pipe.top_rotation_attached;
  return (struct settle){.p = &s->mesh.pipe,
                         .s = &s->pipe,
                         .first = first,
                         .turns_top = turns,
                         .count = 6 * (s->mesh.pipe.nodes - 1 - first) + 3 * turns,
                         .grown_m = motion->speed_mps * motion->step_s};
}

// First unknowns of displacement and rotation of node i; -1: none.
static void unknowns_at(const struct settle *x, int i, int at[2]) {
  const int is_top = i == x->p->nodes - 1, own = 6 * (i - x->first);
  at[0] = is_top || own < 0 ? -1 : own;
  at[1] = own < 0 || (is_top && !x->turns_top) ? -1 : own + (is_top ? 0 : 3);
}

static void add_balance(double *balance, int at, double scale, vec3 v) {
  if (at >= 0)
    balance[at] += scale * v.x, balance[at + 1] += scale * v.y, balance[at + 2] += scale * v.z;
}

// Element e at rest. later_m: added to the length of the top element.
static struct growing_element element_of(const struct settle *x, int e, double later_m) {
  struct growing_element element = pipe_still_element(x->p, x->s, e);
  if (e == x->p->elements - 1) {
    element.start_m += later_m;
    pipe_stiffen_for_growth(&element, x->grown_m);
  }
  return element;
}

// Adds element e to the balance of the unknowns and to its derivative.
static void add_element(const struct settle *x, int e, double later_m, settle_matrix a, double *balance) {
  int at[4];
  double k[12][12];
  unknowns_at(x, e, at), unknowns_at(x, e + 1, at + 2);
  const struct growing_element element = element_of(x, e, later_m);
  struct growing_forces f = growing_element_forces(&element);
  growing_element_tangent(&element, &f, k);
  add_balance(balance, at[0], -1, f.force_n);
  add_balance(balance, at[1], -1, f.moment_lower);
  add_balance(balance, at[2], 1, f.force_n);
  add_balance(balance, at[3], -1, f.moment_upper);
  // An increment at the end of a step moves the mean configuration by half of it, hence the factor of 2.
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++)
      if (at[i / 3] >= 0 && at[j / 3] >= 0)
        a[at[i / 3] + i % 3][at[j / 3] + j % 3] += 2 * k[i][j];
}

// What the elements exert on the unknowns with opposite sign, and its derivative. later_m: added to the
// length of the top element.
static void assemble(const struct settle *x, double later_m, settle_matrix a, double *balance) {
  memset(a, 0, sizeof(settle_matrix));
  memset(balance, 0, SETTLE_UNKNOWNS * sizeof *balance);
  for (int e = x->first - 1; e < x->p->elements; e++)
    add_element(x, e, later_m, a, balance);
}

static void turn_node(struct pipe_state *s, int i, vec3 turn) {
  pipe_set_quat(s, i, quat_rotated(pipe_quat(s, i), turn));
}

// Places of the unknowns' nodes and of the one below them.
struct settle_places {
  vec3 r[SETTLED + 3];
  quat q[SETTLED + 3];
};

static struct settle_places keep_places(const struct settle *x) {
  struct settle_places kept;
  for (int i = x->first - 1; i < x->p->nodes; i++) {
    kept.r[i - x->first + 1] = pipe_get3(x->s->r_n, i);
    kept.q[i - x->first + 1] = pipe_quat(x->s, i);
  }
  return kept;
}

static void restore_places(const struct settle *x, const struct settle_places *kept) {
  for (int i = x->first - 1; i < x->p->nodes; i++) {
    pipe_set3(x->s->r_n, i, kept->r[i - x->first + 1]);
    pipe_set_quat(x->s, i, kept->q[i - x->first + 1]);
  }
}

// The balance a moment later, or before, as all nodes move on with their velocities. Returns the axial stress
// of the top element then.
static double balance_later(const struct settle *x, const struct settle_places *now, double later_s,
                            const struct settle_motion *motion, settle_matrix a, double *balance) {
  for (int i = x->first - 1; i < x->p->nodes; i++) {
    const int k = i - x->first + 1;
    vec3 v = i == x->p->nodes - 1 ? motion->grip_mps : pipe_get3(x->s->v_n, i);
    mat3 q = quat_matrix(now->q[k]);
    pipe_set3(x->s->r_n, i, vec3_axpy(later_s, v, now->r[k]));
    pipe_set_quat(x->s, i, now->q[k]);
    turn_node(x->s, i, vec3_scale(later_s, mat3_mul(&q, pipe_get3(x->s->omega_t, i))));
  }
  const double later_m = later_s * motion->speed_mps;
  const struct growing_element top = element_of(x, x->p->elements - 1, later_m);
  assemble(x, later_m, a, balance);
  return growing_element_forces(&top).stress[0];
}

// Rate of the balance. Returns the rate of the axial stress of the top element.
static double balance_rate(const struct settle *x, const struct settle_motion *motion, settle_matrix a,
                           double *rate) {
  const struct settle_places now = keep_places(x);
  const double later_s = 0.5 * motion->step_s;
  double behind[SETTLE_UNKNOWNS];
  const double stress_behind = balance_later(x, &now, -later_s, motion, a, behind),
               stress_ahead = balance_later(x, &now, later_s, motion, a, rate);
  restore_places(x, &now);
  for (int i = 0; i < x->count; i++)
    rate[i] = (rate[i] - behind[i]) / motion->step_s;
  return (stress_ahead - stress_behind) / motion->step_s;
}

// Takes the displacements of the nodes below one from the unknowns.
static void hold_displacements(const struct settle *x, int below, settle_matrix a, double *b) {
  for (int i = x->first; i < below; i++)
    for (int c = 6 * (i - x->first); c < 6 * (i - x->first) + 3; c++) {
      for (int j = 0; j < x->count; j++)
        a[c][j] = c == j;
      b[c] = 0;
    }
}

// Whether these changes of the velocities move the nodes in a step by less than half an element and half a
// radian. Where they are larger the pipe is thrown about, and its present velocities are better.
static int is_small_in_a_step(const struct settle *x, const double *change, double step_s) {
  const double length = x->p->top.own->element_m;
  for (int i = 0; i < x->count; i++) {
    const int is_way = i % 6 < 3 && i < 6 * (x->p->nodes - 1 - x->first);
    if (!(step_s * fabs(change[i]) < 0.5 * (is_way ? length : 1)))
      return 0;
  }
  return 1;
}

// Changes velocities so that the balance has this rate: those of the rotations, and of the displacements from
// node `free` on.
static void settle_rates(const struct settle *x, const struct settle_motion *motion, const double *rate,
                         int free) {
  for (int k = 0; k < RATE_ITERATIONS; k++) {
    settle_matrix a;
    double b[SETTLE_UNKNOWNS];
    balance_rate(x, motion, a, b);
    for (int i = 0; i < x->count; i++)
      b[i] -= rate[i];
    hold_displacements(x, free, a, b);
    if (!solve_banded(a, b, x->count) || !is_small_in_a_step(x, b, motion->step_s))
      return;
    for (int i = x->first; i < x->p->nodes; i++) {
      int at[2];
      unknowns_at(x, i, at);
      mat3 q = quat_matrix(pipe_quat(x->s, i));
      if (at[0] >= 0)
        pipe_set3(x->s->v_n, i, vec3_sub(pipe_get3(x->s->v_n, i), vec3_of(b + at[0])));
      if (at[1] >= 0)
        pipe_set3(x->s->omega_t, i, vec3_sub(pipe_get3(x->s->omega_t, i), mat3_tmul(&q, vec3_of(b + at[1]))));
    }
  }
}

// The velocity of the grip with which the axial stress of the top element changes as it did over the last
// step. The vessel's own differs by an error of order 2, which the new node must not take over. The rate of
// the last step is one of places, which hardly show a vibration that changes its sign in each step. A rate
// from the velocities of the nodes below shows it in full: the new node would take it over enlarged, and it
// would grow from split to split. Returns the rate of the load of the node next to that below the grip.
static vec3 align_grip(const struct settle *x, struct settle_motion *motion) {
  const int below = x->p->nodes - 2, e = x->p->elements - 1;
  if (below <= x->first)
    return (vec3){0, 0, 0};
  settle_matrix a;
  double rate[SETTLE_UNKNOWNS];
  const double axial_rate_nps = balance_rate(x, motion, a, rate);
  if (motion->is_rate_known)
    motion->grip_mps =
        vec3_axpy((motion->axial_rate_nps - axial_rate_nps) * x->p->length_m[e] / x->p->stiffness[0][e],
                  pipe_axis(x->s, below), motion->grip_mps);
  return vec3_of(rate + 6 * (below - 1 - x->first));
}

// Axial stress of the lowest element whose upper node settles.
static double tension_below(const struct settle *x) {
  struct growing_element element = pipe_still_element(x->p, x->s, x->first - 1);
  return growing_element_forces(&element).stress[0];
}

struct settle_hold settle_hold_of(const struct model *m, struct model_state *s, int last,
                                  struct settle_motion *motion) {
  struct settle_hold hold = {.first = last + 1, .last = last};
  const int most = m->roller_count > 0 ? 0 : SETTLED; // the forces of rollers depend on the places
  while (hold.first > 1 && last - hold.first + 1 < most)
    hold.first--;
  settle_matrix a;
  const double steady[SETTLE_UNKNOWNS] = {0};
  struct settle x = settle_of(s, hold.first, motion);
  assemble(&x, 0, a, hold.load);
  hold.tension_n = tension_below(&x);
  settle_rates(&x, motion, steady, s->mesh.pipe.nodes - 1);
  hold.rate = align_grip(&x, motion);
  const size_t held = (size_t)(6 * (last - hold.first + 1));
  memset(hold.load + held, 0, sizeof hold.load - held * sizeof(double));
  return hold;
}

// Elongation of the elements from one to another, without this one, by a unit force, m/N.
static double compliance(const struct pipe_mesh *p, int from, int to) {
  double sum = 0;
  for (int e = from; e < to; e++)
    sum += p->length_m[e] / p->stiffness[0][e];
  return sum;
}

// The nodes settle across the axis, which changes the length between the lowest of them and the top by some
// micrometres and the tension by hundreds of newtons. Nodes below give way along the axis.
static void spread_tension(const struct settle *x, double excess_n) {
  const struct pipe_mesh *p = x->p;
  const int bottom = x->first - 1, end = bottom > SPREAD ? bottom - SPREAD : 0;
  const double above = compliance(p, bottom, p->elements), below = compliance(p, end, bottom),
               left_n = excess_n * above / (above + below);
  for (int i = end + 1; i < p->nodes - 1; i++) {
    const double way =
        i <= bottom ? left_n * compliance(p, end, i) : left_n * below * compliance(p, i, p->elements) / above;
    pipe_set3(x->s->r_n, i, vec3_axpy(way, pipe_axis(x->s, i), pipe_get3(x->s->r_n, i)));
  }
}

// Newton's method from the present places. Returns 0 where it does not converge.
static int solve_places(const struct settle *x, const struct settle_hold *hold) {
  const double length = x->p->top.own->element_m;
  double change = 1;
  for (int k = 0; k < ITERATIONS && change > 1e-13; k++) {
    settle_matrix a;
    double b[SETTLE_UNKNOWNS];
    assemble(x, 0, a, b);
    for (int i = 0; i < x->count; i++)
      b[i] -= hold->load[i];
    change = solve_banded(a, b, x->count) ? 0 : (double)INFINITY;
    for (int i = 0; i < x->count; i++) {
      const double part = i % 6 < 3 && i < x->count - 3 ? fabs(b[i]) / length : fabs(b[i]);
      change = part <= change ? change : part; // no number stays
    }
    if (!(change < 0.5))
      return 0;
    for (int i = x->first; i < x->p->nodes; i++) {
      int at[2];
      unknowns_at(x, i, at);
      if (at[0] >= 0)
        pipe_set3(x->s->r_n, i, vec3_sub(pipe_get3(x->s->r_n, i), vec3_of(b + at[0])));
      if (at[1] >= 0)
        turn_node(x->s, i, vec3_scale(-1, vec3_of(b + at[1])));
    }
  }
  return change < 1e-6;
}

int settle_places(struct model_state *s, const struct settle_hold *hold, const struct settle_motion *motion) {
  struct settle x = settle_of(s, hold->first, motion);
  const struct settle_places before = keep_places(&x);
  if (!solve_places(&x, hold)) {
    restore_places(&x, &before);
    return 0;
  }
  if (hold->first > hold->last)
    return 1;
  spread_tension(&x, tension_below(&x) - hold->tension_n);
  const struct settle_places after = keep_places(&x);
  if (!solve_places(&x, hold))
    restore_places(&x, &after);
  return 1;
}

void settle_velocities(struct model_state *s, const struct settle_hold *hold,
                       const struct settle_motion *motion) {
  struct settle x = settle_of(s, hold->first, motion);
  const double *mass = s->mesh.pipe.mass_kg;
  const int added = hold->last + 1; // the new node, or the top
  double rate[SETTLE_UNKNOWNS] = {0};
  if (added < s->mesh.pipe.nodes - 1 && added - 2 >= hold->first)
    vec3_to(vec3_axpy(mass[added] / mass[added - 2], hold->rate, motion->weight_rate),
            rate + 6 * (added - hold->first));
  settle_rates(&x, motion, rate, added);
}
