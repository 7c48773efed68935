// Bending beyond yield on the mesh: forces and tangents of elements, of the top element, and what happens
// between steps.
#include "sagbend/pipe/pipe.h"
#include "sagbend/pipe/pipe_internal.h"

#include "sagbend/blocktri/blocktri.h"
#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

// Pipe above the highest place that has been out enters unyielded. Over this length below it the plastic
// curvature of what enters falls to zero, so that the force on the length has no jump where the motion turns.
static const double FADE_M = 0.01;

// Gradient of the length times curvature 2 or 3 to the rotation of the upper node, and minus that of the
// lower one; share of the step: 0.5 its middle, 1 its end.
static vec3 bending_gradient(const struct pipe_work *w, int e, int k, double share) {
  const int m = (k + 1) % 3, n = (k + 2) % 3;
  vec3 a[3], b[3];
  for (int d = 0; d < 3; d++) {
    a[d] = vec3_axpy(share, pipe_get3(w->dd + 3 * d, e), pipe_get3(w->d0 + 3 * d, e));
    b[d] = vec3_axpy(share, pipe_get3(w->dd + 3 * d, e + 1), pipe_get3(w->d0 + 3 * d, e + 1));
  }
  return vec3_scale(-0.5, vec3_sub(vec3_cross(a[n], b[m]), vec3_cross(a[m], b[n])));
}

static void layers_at(const struct pipe_state *s, int e, double to[PLASTIC_LAYERS][2]) {
  for (int j = 0; j < PLASTIC_LAYERS; j++)
    for (int k = 0; k < 2; k++)
      to[j][k] = s->plastic_1pm[2 * j + k][e];
}

static void set_layers(struct pipe_state *s, int e, const double *from) { // layer by layer
  for (int j = 0; j < PLASTIC_LAYERS; j++)
    for (int k = 0; k < 2; k++)
      s->plastic_1pm[2 * j + k][e] = from[2 * j + k];
}

// Element e over the step.
static struct plastic_step bend(const struct pipe_mesh *p, const struct pipe_state *s,
                                const struct pipe_work *w, int e, int statics) {
  double before[PLASTIC_LAYERS][2], start[2], end[2];
  layers_at(s, e, before);
  for (int k = 0; k < 2; k++) {
    start[k] = w->strain0[4 + k][e] + p->rest_strain[4 + k][e] - p->unbent_1pm[k][e];
    end[k] = start[k] + w->strain_step[4 + k][e];
  }
  return plasticity_bend(&p->pipe->kind[p->type[e]].layers, before, 1, start, end, statics);
}

void pipe_plastic_forces(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                         int statics) {
  const int growing = w->growth.is_active; // the top element (plasticity.c)
  w->plastic_loss_j = growing ? w->growth.plastic_loss_j : 0;
  for (int e = 0; e < p->elements - growing; e++) {
    struct plastic_step step = bend(p, s, w, e, statics);
    if (!step.yields)
      continue;
    w->plastic_loss_j += p->length_m[e] * step.loss_n;
    for (int k = 0; k < 2; k++) {
      vec3 moment = vec3_scale(step.moment[k], bending_gradient(w, e, 1 + k, 0.5));
      w->stress[4 + k][e] += step.moment[k];
      pipe_set3(w->moment_lower, e, vec3_add(pipe_get3(w->moment_lower, e), moment));
      pipe_set3(w->moment_upper, e, vec3_sub(pipe_get3(w->moment_upper, e), moment));
    }
  }
}

static void add_turns(double *block, double scale, vec3 row, vec3 column) {
  const double a[3] = {row.x, row.y, row.z}, b[3] = {column.x, column.y, column.z};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      block[block_at(3 + i, 3 + j)] += scale * a[i] * b[j];
}

void pipe_plastic_tangent(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                          int statics, struct blocktri *b, double top_diag[36], double top_upper[36],
                          double top_lower[36]) {
  for (int e = 0; e < p->elements - w->growth.is_active; e++) {
    struct plastic_step step = bend(p, s, w, e, statics);
    if (!step.yields)
      continue;
    const int is_last = e + 1 == p->elements;
    double *const upper_diag = is_last ? top_diag : b->diag[e + 1],
                  *const upper = is_last ? top_upper : b->upper[e],
                  *const lower = is_last ? top_lower : b->lower[e + 1];
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++) {
        double less = step.tangent[i][j] - (i == j ? p->stiffness[4 + i][e] : 0),
               scale = 0.5 * less / p->length_m[e];
        vec3 row = bending_gradient(w, e, 1 + i, 0.5), column = bending_gradient(w, e, 1 + j, 1);
        add_turns(b->diag[e], scale, row, column);
        add_turns(upper, -scale, row, column);
        add_turns(lower, -scale, row, column);
        add_turns(upper_diag, scale, row, column);
      }
  }
}

double pipe_plastic_energy(const struct pipe_mesh *p, const struct pipe_state *s) {
  double sum = 0;
  for (int e = 0; e < p->elements; e++) {
    const struct pipe_layers *layers = &p->pipe->kind[p->type[e]].layers;
    double held = 0;
    for (int k = 0; k < 2; k++) {
      double mean = p->rest_strain[4 + k][e] - p->unbent_1pm[k][e];
      for (int j = 0; j < layers->count; j++) {
        double apart = s->plastic_1pm[2 * j + k][e] - mean;
        held += layers->stiffness_nm2[j] * apart * apart;
      }
    }
    sum += 0.5 * p->length_m[e] * held;
  }
  return sum;
}

void pipe_plastic_follow(struct pipe_mesh *p, const struct pipe_state *s) {
  for (int e = 0; e < p->elements && p->pipe->has_plastic; e++) {
    const struct pipe_layers *layers = &p->pipe->kind[p->type[e]].layers;
    for (int k = 0; k < 2 && layers->count > 0; k++) {
      double sum = 0;
      for (int j = 0; j < layers->count; j++)
        sum += layers->stiffness_nm2[j] * s->plastic_1pm[2 * j + k][e];
      p->rest_strain[4 + k][e] = p->unbent_1pm[k][e] + sum / p->stiffness[4 + k][e];
    }
  }
}

void pipe_plastic_commit(struct pipe_mesh *p, struct pipe_state *s, const struct pipe_work *w, int statics) {
  const struct pipe_growth *growth = &w->growth;
  for (int e = 0; e < p->elements - growth->is_active && p->pipe->has_plastic; e++) {
    struct plastic_step step = bend(p, s, w, e, statics);
    if (step.yields)
      set_layers(s, e, &step.plastic_1pm[0][0]);
  }
  if (growth->is_active && growth->is_plastic)
    set_layers(s, p->elements - 1, &growth->end_plastic_1pm[0][0]);
  pipe_plastic_follow(p, s);
}

// ---- The top element ----

static double clipped(double x, double least, double most) {
  return x < least ? least : x > most ? most : x;
}

// Mean over a change of the length of the top element: plastic curvature of what enters or leaves, over that
// of the element.
static double entering_share(const struct pipe_mesh *p, const struct pipe_state *s, double start_m,
                             double end_m) {
  const double offset = p->arc_m[p->elements - 1] - *s->known_arc_m, a = offset + start_m, b = offset + end_m;
  const double from = clipped(a, 0, FADE_M), to = clipped(b, 0, FADE_M),
               fade = 1 - 0.5 * (from + to) / FADE_M;
  if ((a <= 0 && b <= 0) || (a >= FADE_M && b >= FADE_M) || (from == a && to == b))
    return fade;
  return (fmin(b, 0) - fmin(a, 0) + (to - from) * fade) / (end_m - start_m);
}

// Length times curvature about t2 and t3, and its change over a step.
static void turns_of(const struct growing_element *x, double turn[2], double change[2]) {
  for (int k = 0; k < 2; k++) {
    const int m = (k + 2) % 3, n = k;
    const vec3 am = vec3_axpy(0.5, x->a_change[m], x->a[m]), an = vec3_axpy(0.5, x->a_change[n], x->a[n]),
               bm = vec3_axpy(0.5, x->b_change[m], x->b[m]), bn = vec3_axpy(0.5, x->b_change[n], x->b[n]);
    turn[k] = 0.5 * (vec3_dot(x->a[n], x->b[m]) - vec3_dot(x->a[m], x->b[n]));
    change[k] = 0.5 * (vec3_dot(x->a_change[n], bm) + vec3_dot(an, x->b_change[m]) -
                       vec3_dot(x->a_change[m], bn) - vec3_dot(am, x->b_change[n]));
  }
}

static struct plastic_growth growth_of(const struct pipe_mesh *p, const struct pipe_state *s,
                                       const struct growing_element *x) {
  const int e = p->elements - 1;
  const double end_m = x->start_m + x->grown_m;
  struct plastic_growth growth = {.start_m = x->start_m,
                                  .end_m = end_m,
                                  .enters = entering_share(p, s, x->start_m, end_m),
                                  .unbent_1pm = {p->unbent_1pm[0][e], p->unbent_1pm[1][e]},
                                  .stiffness_nm2 = p->stiffness[4][e]};
  turns_of(x, growth.turn, growth.turn_change);
  return growth;
}

static struct plastic_grown grow(const struct pipe_mesh *p, const struct pipe_state *s,
                                 const struct growing_element *x) {
  const int e = p->elements - 1;
  double plastic[PLASTIC_LAYERS][2];
  const struct plastic_growth growth = growth_of(p, s, x);
  layers_at(s, e, plastic);
  return plasticity_grow(&p->pipe->kind[p->type[e]].layers, plastic, &growth);
}

// Gradient of the length times curvature k to the rotation of the upper node, and minus that of the lower
// one; share of the step: 0.5 its middle, 1 its end.
static vec3 turn_gradient(const struct growing_element *x, int k, double share) {
  const int m = (k + 2) % 3, n = k;
  const vec3 am = vec3_axpy(share, x->a_change[m], x->a[m]), an = vec3_axpy(share, x->a_change[n], x->a[n]),
             bm = vec3_axpy(share, x->b_change[m], x->b[m]), bn = vec3_axpy(share, x->b_change[n], x->b[n]);
  return vec3_scale(-0.5, vec3_sub(vec3_cross(an, bm), vec3_cross(am, bn)));
}

void pipe_plastic_growing_forces(const struct pipe_mesh *p, const struct pipe_state *s,
                                 const struct growing_element *x, struct pipe_work *w) {
  const int e = p->elements - 1;
  struct pipe_growth *growth = &w->growth;
  const struct plastic_grown grown = grow(p, s, x);
  growth->is_plastic = grown.acts;
  growth->plastic_loss_j = grown.loss_j;
  if (!grown.acts)
    return;
  growth->length_force_n += grown.length_force_n;
  memcpy(growth->end_plastic_1pm, grown.plastic_1pm, sizeof growth->end_plastic_1pm);
  for (int k = 0; k < 2; k++) {
    vec3 moment = vec3_scale(grown.moment[k], turn_gradient(x, k, 0.5));
    w->stress[4 + k][e] += grown.moment[k];
    pipe_set3(w->moment_lower, e, vec3_add(pipe_get3(w->moment_lower, e), moment));
    pipe_set3(w->moment_upper, e, vec3_sub(pipe_get3(w->moment_upper, e), moment));
  }
}

void pipe_plastic_growing_tangent(const struct pipe_mesh *p, const struct pipe_state *s,
                                  const struct growing_element *x, double k[12][12]) {
  const int e = p->elements - 1;
  const struct plastic_grown grown = grow(p, s, x);
  if (!grown.acts)
    return;
  const double inverse = 0.5 * (1 / x->start_m + 1 / (x->start_m + x->grown_m));
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      const double scale = 0.5 * inverse * (grown.tangent[i][j] - (i == j ? p->stiffness[4][e] : 0));
      double row[3], column[3];
      vec3_to(turn_gradient(x, i, 0.5), row);
      vec3_to(turn_gradient(x, j, 1), column);
      for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
          const double part = scale * row[a] * column[b];
          k[3 + a][3 + b] += part, k[9 + a][9 + b] += part;
          k[3 + a][9 + b] -= part, k[9 + a][3 + b] -= part;
        }
    }
}

double pipe_plastic_grip_n(const struct pipe_mesh *p, const struct pipe_state *s,
                           const struct growing_element *top) {
  return p->pipe->has_plastic ? -grow(p, s, top).length_force_n : 0;
}

// What the layers add for a small change, of a turn or of the length at the end.
static struct plastic_grown nearby(const struct pipe_mesh *p, const struct pipe_state *s,
                                   const struct growing_element *x, int of, double by) {
  const int e = p->elements - 1;
  double plastic[PLASTIC_LAYERS][2];
  layers_at(s, e, plastic);
  struct plastic_growth growth = growth_of(p, s, x);
  if (of < 2)
    growth.turn_change[of] += by;
  else
    growth.end_m += by, growth.enters = entering_share(p, s, growth.start_m, growth.end_m);
  return plasticity_grow(&p->pipe->kind[p->type[e]].layers, plastic, &growth);
}

void pipe_plastic_length_tangent(const struct pipe_mesh *p, const struct pipe_state *s,
                                 const struct growing_element *x, struct growing_length_tangent *t) {
  const struct pipe_layers *layers = &p->pipe->kind[p->type[p->elements - 1]].layers;
  if (!grow(p, s, x).acts)
    return;
  for (int of = 0; of < 3; of++) {
    const double by = 1e-6 * x->start_m * (of < 2 ? layers->limit_1pm[0] : 1);
    const struct plastic_grown more = nearby(p, s, x, of, by), less = nearby(p, s, x, of, -by);
    const double force = (more.length_force_n - less.length_force_n) / (2 * by);
    double turn[3];
    if (of < 2) {
      vec3_to(vec3_scale(force, turn_gradient(x, of, 1)), turn);
      for (int c = 0; c < 3; c++)
        t->row[3 + c] -= turn[c], t->row[9 + c] += turn[c];
      continue;
    }
    t->own_npm += force;
    for (int k = 0; k < 2; k++) {
      vec3_to(vec3_scale((more.moment[k] - less.moment[k]) / (2 * by), turn_gradient(x, k, 0.5)), turn);
      for (int c = 0; c < 3; c++)
        t->column[3 + c] -= turn[c], t->column[9 + c] += turn[c];
    }
  }
}

// ---- Between steps ----

void pipe_plastic_pass(const struct pipe_mesh *p, struct pipe_state *s) {
  if (p->pipe->has_plastic && p->pipe->tally.present)
    *s->known_arc_m = fmax(*s->known_arc_m, p->arc_m[p->elements] - FADE_M);
}

void pipe_plastic_split(const struct pipe_mesh *p, struct pipe_state *s) {
  const int e = p->elements - 1;
  const int is_one_kind = p->top.next && p->top.next->type == p->type[e];
  for (int k = 0; k < 2 * PLASTIC_LAYERS && p->pipe->has_plastic; k++)
    s->plastic_1pm[k][e + 1] = is_one_kind ? s->plastic_1pm[k][e] : 0;
}

void pipe_plastic_merge(const struct pipe_mesh *p, struct pipe_state *s) {
  const int e = p->elements - 1;
  const double share = p->length_m[e] / (p->length_m[e - 1] + p->length_m[e]);
  for (int k = 0; k < 2 * PLASTIC_LAYERS && p->pipe->has_plastic; k++) {
    double *of = s->plastic_1pm[k];
    if (p->type[e - 1] == p->type[e])
      of[e - 1] += share * (of[e] - of[e - 1]);
    of[e] = 0;
  }
}

void pipe_plastic_relax(struct pipe_mesh *p, struct pipe_state *s, int count) {
  for (int e = p->elements - count; e < p->elements && p->pipe->has_plastic; e++) {
    const mat3 a = quat_matrix(pipe_quat(s, e)), b = quat_matrix(pipe_quat(s, e + 1));
    struct growing_element x = {.start_m = p->length_m[e]};
    double plastic[PLASTIC_LAYERS][2], turn[2], change[2];
    for (int k = 0; k < 3; k++)
      x.a[k] = mat3_column(&a, k), x.b[k] = mat3_column(&b, k);
    turns_of(&x, turn, change);
    for (int k = 0; k < 2; k++)
      turn[k] = turn[k] / x.start_m - p->unbent_1pm[k][e];
    layers_at(s, e, plastic);
    const struct plastic_step step =
        plasticity_bend(&p->pipe->kind[p->type[e]].layers, plastic, 1, turn, turn, 1);
    for (int j = 0; j < PLASTIC_LAYERS && step.yields; j++)
      for (int k = 0; k < 2; k++)
        s->plastic_1pm[2 * j + k][e] = step.plastic_1pm[j][k];
  }
  pipe_plastic_follow(p, s);
}
