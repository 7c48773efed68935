// A section that yields, in layers.
//
// A section over a step. A layer has the elastic curvatures e0 and e1 at its ends, e1 = e0 + dkappa -
// dkappa_p, and the mean moment C (e0 + e1)/2. Its work on dkappa is then exactly the change of C e^2/2 plus
// the loss
//   C (e0 + e1)/2 . dkappa_p.
// kappa_p follows the return to the circle of radius c at the end: with the trial value x = e0 + dkappa
// beyond the circle, e1 = c x/|x| and dkappa_p is parallel to it. As |e0| <= c = |e1|, the loss is >= 0 for
// any step.
#include "sagbend/plasticity/plasticity.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

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

// ------------------------------------------------------------
// Bending beyond yield of the top element while its length changes. Layer j has, times the length l, the
// elastic curvature
//   g_j = l Omega - l rho - P_j,   P_j the integral of its plastic curvature,
// and the energy C_j g_j^2/(2 l). Over a step P_j changes by that of the length that enters or leaves,
// enters p_j dl, and by yielding, dP_j. As in growing.h the energy changes by
//   mu C_j mean(g_j) (change of g_j) - C_j (g_j0^2 + g_j1^2)/(4 l0 l1) dl.
// Of the part by yielding,
//   loss = mu C_j (g_j0 l1/l0 + g_j1)/2 . dP_j,
// is >= 0 for any step, as abs(g_j0) l1/l0 <= l1 limit_j = abs(g_j1), and dP_j is parallel to g_j1. The
// rest, mu C_j g_j0 . dP_j/(2 l0) times dl, belongs to the force on the length.

static int is_virgin(const struct pipe_layers *layers, double (*plastic_1pm)[2]) {
  for (int j = 0; j < layers->count; j++)
    if (plastic_1pm[j][0] != 0 || plastic_1pm[j][1] != 0)
      return 0;
  return 1;
}

// Part of P of component k of all layers less that of the element with the mean plastic curvature.
static double length_force(const struct pipe_layers *layers, double (*plastic_1pm)[2],
                           const struct plastic_growth *x, const struct plastic_step *step, int k,
                           double mean_1pm) {
  const double l0 = x->start_m, l1 = x->end_m, inverse = 0.5 * (1 / l0 + 1 / l1), product = 4 * l0 * l1;
  const double first = x->turn[k] - l0 * x->unbent_1pm[k],
               last = x->turn[k] + x->turn_change[k] - l1 * x->unbent_1pm[k];
  const double kept = (l0 + x->enters * (l1 - l0)) / l1;
  const double g0 = first - l0 * mean_1pm, g1 = last - l1 * mean_1pm;
  double sum = x->stiffness_nm2 *
               (0.5 * inverse * (g0 + g1) * (x->unbent_1pm[k] + mean_1pm) + (g0 * g0 + g1 * g1) / product);
  for (int j = 0; j < layers->count; j++) {
    const double before = plastic_1pm[j][k], after = step->plastic_1pm[j][k];
    const double a = first - l0 * before, b = last - l1 * after;
    const double enters = x->unbent_1pm[k] + x->enters * before, yielded = l1 * (after - kept * before);
    sum -= layers->stiffness_nm2[j] *
           (0.5 * inverse * (a + b) * enters + (a * a + b * b) / product - 0.5 * inverse * a / l0 * yielded);
  }
  return sum;
}

struct plastic_grown plasticity_grow(const struct pipe_layers *layers, double (*plastic_1pm)[2],
                                     const struct plastic_growth *x) {
  struct plastic_grown grown = {.acts = 0};
  const double l0 = x->start_m, l1 = x->end_m, change = l1 - l0, inverse = 0.5 * (1 / l0 + 1 / l1);
  double start[2], end[2];
  for (int k = 0; k < 2; k++) {
    start[k] = x->turn[k] / l0 - x->unbent_1pm[k];
    end[k] = (x->turn[k] + x->turn_change[k]) / l1 - x->unbent_1pm[k];
  }
  const double kept = (l0 + x->enters * change) / l1;
  const struct plastic_step step = plasticity_bend(layers, plastic_1pm, kept, start, end, 0);
  if (!step.yields && is_virgin(layers, plastic_1pm))
    return grown;

  grown.acts = 1;
  grown.loss_j = inverse * l1 * l1 * step.loss_n;
  memcpy(grown.plastic_1pm, step.plastic_1pm, sizeof grown.plastic_1pm);
  memcpy(grown.tangent, step.tangent, sizeof grown.tangent);
  for (int k = 0; k < 2; k++) {
    double mean = 0;
    for (int j = 0; j < layers->count; j++)
      mean += layers->stiffness_nm2[j] * plastic_1pm[j][k];
    mean /= x->stiffness_nm2;
    grown.moment[k] =
        inverse * (l1 * step.moment[k] + 0.5 * x->stiffness_nm2 * mean * (1 - x->enters) * change);
    grown.length_force_n += length_force(layers, plastic_1pm, x, &step, k, mean);
  }
  return grown;
}
