// What a soil resists a pipe with before any history, and friction that breaks out.
//
// DNV-RP-F114 (2017, 2021), as in the package groundhog, against whose published numbers the tests compare.
// Clay, model 2:
//   Q = min(6 (z/D)^1/4, 3.4 (10 z/D)^1/2) su(z) D + 1.5 gamma A(z),
// A the area of the pipe below the mudline. Sand:
//   Q = gamma N_gamma B^2/2 + gamma max(z - D/2, 0) N_q B,  N_q = e^(pi tan phi) tan^2(45 + phi/2),
//   N_gamma = 2 (N_q + 1) tan phi,  B the width of the pipe at the mudline.
// Below a penetration of a tenth of the diameter the clay's first factor is 6 (1/10)^1/4 (10 z/D)^1/2, which
// the number 3.4 rounds.
#include "sagbend/ground/ground.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <math.h>

static double power(double x, double exponent) {
  return x > 0 ? explog_exp(exponent * explog_log(x)) : 0;
}

static double circle_below(double diameter_m, double z) {
  const double r = 0.5 * diameter_m;
  if (z >= diameter_m)
    return TRIG_PI * r * r;
  const double half = sqrt(z * (diameter_m - z)), angle = trig_atan2(half, r - z);
  return r * r * angle - (r - z) * half;
}

static double clay(const struct soil_def *soil, double d, double z) {
  const double deep = 6 * power(z / d, 0.25), shallow = 6 * power(0.1, 0.25) * sqrt(10 * z / d);
  const double strength = soil->strength_pa + soil->gradient_papm * z;
  return (z < 0.1 * d ? shallow : deep) * strength * d + 1.5 * soil->weight_npm3 * circle_below(d, z);
}

static double sand(const struct soil_def *soil, double d, double z) {
  const double phi = soil->friction_angle_rad, tangent = trig_sin(phi) / trig_cos(phi);
  const double half = 0.25 * TRIG_PI + 0.5 * phi, up = trig_sin(half) / trig_cos(half);
  const double n_q = explog_exp(TRIG_PI * tangent) * up * up, n_gamma = 2 * (n_q + 1) * tangent;
  const double width = z < 0.5 * d ? 2 * sqrt(z * (d - z)) : d, cover = fmax(z - 0.5 * d, 0);
  return soil->weight_npm3 * width * (0.5 * n_gamma * width + n_q * cover);
}

// Straight lines from 0, 0 through the points; the last one goes on.
static double tabled(const struct soil_def *soil, double z) {
  double z0 = 0, q0 = 0;
  for (int i = 0; i < soil->table_count; i++) {
    const double z1 = soil->table[i].penetration_m, q1 = soil->table[i].resistance_npm;
    if (z <= z1 || i + 1 == soil->table_count)
      return q0 + (q1 - q0) * (z - z0) / (z1 - z0);
    z0 = z1, q0 = q1;
  }
  return 0;
}

double soil_resistance(const struct soil_def *soil, double diameter_m, double penetration_m) {
  if (!(penetration_m > 0))
    return 0;
  switch (soil->model) {
  case SOIL_CLAY:
    return clay(soil, diameter_m, penetration_m);
  case SOIL_SAND:
    return sand(soil, diameter_m, penetration_m);
  case SOIL_TABLE:
    break;
  }
  return tabled(soil, penetration_m);
}

struct soil_friction soil_friction_of(const struct soil_def *soil) {
  struct soil_friction f = {.peak = {soil->axial.peak, soil->lateral.peak},
                            .residual_m = {soil->axial.residual_m, soil->lateral.residual_m}};
  const double sine = trig_sin(soil->friction_angle_rad);
  if (soil->passive && soil->model == SOIL_CLAY) {
    f.passive[0] = 2 * soil->strength_pa;
    f.passive[1] = 2 * soil->gradient_papm + 0.5 * soil->weight_npm3;
  }
  if (soil->passive && soil->model == SOIL_SAND)
    f.passive[1] = 0.5 * soil->weight_npm3 * (1 + sine) / (1 - sine);
  return f;
}

double soil_penetration(const struct soil_def *soil, double diameter_m, double force_npm) {
  double low = 0, high = 2 * diameter_m;
  if (!(soil_resistance(soil, diameter_m, high) > force_npm))
    return (double)INFINITY;
  for (int k = 0; k < 100 && high - low > 1e-15 * diameter_m; k++) {
    const double middle = 0.5 * (low + high);
    if (soil_resistance(soil, diameter_m, middle) < force_npm)
      low = middle;
    else
      high = middle;
  }
  return 0.5 * (low + high);
}

double soil_lay_factor(const struct soil_def *soil, double diameter_m, double weight_npm,
                       double bending_stiffness_nm2, double tension_n) {
  double factor = 1;
  for (int k = 0; k < 60; k++) {
    const double force = factor * weight_npm, z = soil_penetration(soil, diameter_m, force);
    if (!isfinite(z) || !(z > 0))
      return factor;
    const double next =
        fmax(1, 0.6 + 0.4 * power(bending_stiffness_nm2 * force / (z * tension_n * tension_n), 0.25));
    if (fabs(next - factor) < 1e-12)
      return next;
    factor = 0.5 * (factor + next);
  }
  return factor;
}

// ------------------------------------------------------------
// In the step's free end t = |e0 + X| beyond c(N1, p0), the bound at the end is implicit in the slip:
//   slip = (t - c(N1, p0))/(1 - fall),   fall = ((mu_peak - mu_res) N1 + F)/(k L),
// and beyond p = L it is mu_res N1/k. With the bound from c0 to c1 and the elongation reaching it,
//   force = k [(c0 + c1)/2 - (c0 - e0)^2/(2 (X - c1 + c0))].
// fall >= 1 would let the spring snap back; the configuration asks for 0.5 (section_ground.c), and beyond it
// the peak falls more slowly.

static const double MOST_FALL = 0.5;

static double bound_at(const struct breakout *b, double normal) {
  const double left = b->residual_m > 0 ? fmax(0, 1 - b->slipped_m / b->residual_m) : 0;
  return (b->residual * normal + ((b->peak - b->residual) * normal + b->passive_n) * left) / b->stiffness_npm;
}

// The bound at the end of a step that slips, from t, and its derivatives.
struct bound {
  double c, by_t, by_normal;
};

static struct bound end_bound(const struct breakout *b, double t) {
  const double k = b->stiffness_npm, n = b->end_normal_n, rest = b->residual * n / k, before = bound_at(b, n);
  const double left = b->residual_m > 0 ? fmax(0, 1 - b->slipped_m / b->residual_m) : 0;
  const double over = ((b->peak - b->residual) * n + b->passive_n) / k;
  double fall = b->residual_m > 0 ? over / b->residual_m : 0,
         fall_by_n = b->residual_m > 0 ? (b->peak - b->residual) / (k * b->residual_m) : 0;
  if (fall > MOST_FALL)
    fall = MOST_FALL, fall_by_n = 0;
  struct bound x = {before, 0, (b->residual + (b->peak - b->residual) * left) / k};
  if (t <= before || left == 0 || fall == 0)
    return x;
  const double slip = (t - before) / (1 - fall), c = before - fall * slip;
  if (c <= rest) // the peak is gone
    return (struct bound){rest, 0, b->residual / k};
  return (struct bound){c, -fall / (1 - fall), (x.by_normal - fall_by_n * (t - c)) / (1 - fall)};
}

struct breakout_slip breakout_over(const struct breakout *b, double start_m, double way_m) {
  const double k = b->stiffness_npm, free = start_m + way_m, t = fabs(free);
  struct breakout_slip out = {.end_m = free, .force_n = 0.5 * k * (start_m + free), .by_way_npm = 0.5 * k};
  if (k * t <= b->residual * b->end_normal_n) // within any bound
    return out;
  const struct bound end = end_bound(b, t);
  const double c0 = fmax(bound_at(b, b->start_normal_n), fabs(start_m)), c1 = end.c;
  if (t <= c1)
    return out;
  const double sign = free < 0 ? -1 : 1, room = c0 - sign * start_m, closing = sign * way_m - (c1 - c0);
  const double share = room / closing; // of the way before it meets the bound; closing = t - c1 + room > 0
  const double met = c0 + share * (c1 - c0), square = 0.5 * share * share;
  out.end_m = sign * c1;
  out.slip_m = t - c1;
  out.force_n = sign * k * (0.5 * (c0 + c1) - 0.5 * share * room);
  out.loss_j = k * 0.5 * (met + c1) * out.slip_m;
  const double by_c1 = k * (0.5 - square);
  out.by_way_npm = k * square + by_c1 * end.by_t;
  out.by_normal = sign * by_c1 * end.by_normal;
  return out;
}
