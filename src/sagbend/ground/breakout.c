// In the step's free end t = |e0 + X| beyond c(N1, p0), the bound at the end is implicit in the slip:
//   slip = (t - c(N1, p0))/(1 - fall),   fall = ((mu_peak - mu_res) N1 + F)/(k L),
// and beyond p = L it is mu_res N1/k. With the bound from c0 to c1 and the elongation reaching it,
//   force = k [(c0 + c1)/2 - (c0 - e0)^2/(2 (X - c1 + c0))].
// fall >= 1 would let the spring snap back; the configuration asks for 0.5 (section_soil.c), and beyond it
// the peak falls more slowly.
#include "sagbend/ground/breakout.h"

#include <math.h>

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
