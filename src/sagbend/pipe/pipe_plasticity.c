// Over a step a layer has the elastic curvatures e0 and e1 at its ends, e1 = e0 + dkappa - dkappa_p, and the
// mean moment C (e0 + e1)/2. Its work on dkappa is then exactly the change of C e^2/2 plus the loss
//   C (e0 + e1)/2 . dkappa_p.
// kappa_p follows the return to the circle of radius c at the end: with the trial value x = e0 + dkappa
// beyond the circle, e1 = c x/|x| and dkappa_p is parallel to it. As |e0| <= c = |e1|, the loss is >= 0 for
// any step.
#include "sagbend/pipe/plasticity.h"

#include "sagbend/math/explog.h"

#include <math.h>

// ---- The curve ----

// Ramberg and Osgood: kappa EI/M_y = m + A m^B, m = M/M_y. Chords between points whose second terms grow in
// proportion, by e^g, with the first chord continued back to the elastic line and the last point's moment
// from there on. A chord between points of the curve would exceed its second term by g^2/8 in the middle: the
// points lie half of that below it, so that the error is the same both ways. The slope falls from piece to
// piece, so every layer has a positive stiffness.
static const double FIRST_EXCESS = 0.005, LAST_EXCESS = 40;

struct pipe_layers plasticity_layers(const struct pipe_type *type) {
  const double ei = type->bending_stiffness_nm2[0], a = type->ramberg_osgood[0], b = type->ramberg_osgood[1];
  struct pipe_layers layers = {.count = 0};
  if (type->yield_moment_nm == 0)
    return layers;
  const double unit = type->yield_moment_nm / ei;
  if (a == 0) {
    layers.count = 1;
    layers.stiffness_nm2[0] = ei, layers.limit_1pm[0] = unit;
    return layers;
  }

  double m[PLASTIC_LAYERS], k[PLASTIC_LAYERS], slope[PLASTIC_LAYERS + 1] = {1};
  const double ratio = explog_log(LAST_EXCESS / FIRST_EXCESS) / (PLASTIC_LAYERS - 1);
  const double less = 1 - ratio * ratio / 16;
  for (int j = 0; j < PLASTIC_LAYERS; j++) {
    double excess = FIRST_EXCESS * explog_exp(ratio * j);
    m[j] = explog_exp(explog_log(excess / a) / b);
    k[j] = m[j] + less * excess;
    slope[j] = j > 0 ? (m[j] - m[j - 1]) / (k[j] - k[j - 1]) : 1; // of the piece that ends there
  }
  k[0] = (m[0] - slope[1] * k[0]) / (1 - slope[1]);
  slope[PLASTIC_LAYERS] = 0;
  layers.count = PLASTIC_LAYERS;
  for (int j = 0; j < PLASTIC_LAYERS; j++) {
    layers.stiffness_nm2[j] = ei * (slope[j] - slope[j + 1]);
    layers.limit_1pm[j] = unit * k[j];
  }
  return layers;
}

double plasticity_moment(const struct pipe_layers *layers, double curvature_1pm) {
  double sum = 0;
  for (int j = 0; j < layers->count; j++)
    sum += layers->stiffness_nm2[j] * fmin(fabs(curvature_1pm), layers->limit_1pm[j]);
  return curvature_1pm < 0 ? -sum : sum;
}

// ---- A section ----

static double dot(const double a[2], const double b[2]) {
  return a[0] * b[0] + a[1] * b[1];
}

struct plastic_step plasticity_bend(const struct pipe_layers *layers, double (*plastic_1pm)[2], double kept,
                                    const double start[2], const double end[2], int virgin) {
  struct plastic_step step = {.yields = 0};
  for (int j = 0; j < layers->count; j++) {
    const double c = layers->stiffness_nm2[j], limit = layers->limit_1pm[j], *first = plastic_1pm[j];
    const double before[2] = {kept * first[0], kept * first[1]};
    const double trial[2] = {end[0] - before[0], end[1] - before[1]}, size = sqrt(dot(trial, trial));
    double *after = step.plastic_1pm[j];
    after[0] = before[0], after[1] = before[1];
    step.tangent[0][0] += c, step.tangent[1][1] += c;
    if (!(size > limit))
      continue;
    step.yields = 1;
    const double keep = limit / size, grown[2] = {(1 - keep) * trial[0], (1 - keep) * trial[1]};
    const double mean[2] = {0.5 * (start[0] - first[0] + keep * trial[0]),
                            0.5 * (start[1] - first[1] + keep * trial[1])};
    const double loss = c * dot(mean, grown);
    step.loss_n += loss > 0 && !virgin ? loss : 0; // >= 0 but for rounding
    for (int i = 0; i < 2; i++) {
      after[i] += grown[i];
      step.moment[i] -= (virgin ? 1 : 0.5) * c * grown[i];
      for (int k = 0; k < 2; k++)
        step.tangent[i][k] += c * ((i == k ? keep - 1 : 0) - keep * trial[i] * trial[k] / (size * size));
    }
  }
  return step;
}

// ---- The pipe ----

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
