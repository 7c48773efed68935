// Friction that breaks out: a spring of stiffness k and elongation e, bounded by
//   c(N, p) = [mu_res N + ((mu_peak - mu_res) N + F) max(0, 1 - p/L)]/k,
// N the normal force, p the slip since the pipe was laid, F the passive resistance of the soil beside it. N
// and p change during the step: the bound goes linearly from its value at the start to that at the end. e
// follows the way until it meets a bound and then follows the bound:
//   force times way = change of k e^2/2 + loss,   loss = k times mean bound times slip >= 0.
#pragma once

#include "sagbend/base/nonblocking.h"

struct breakout {
  double stiffness_npm;
  double peak, residual; // coefficients
  double passive_n;      // F
  double residual_m;     // L; 0: no peak
  double slipped_m;      // p at the start
  double start_normal_n, end_normal_n;
};

struct breakout_slip {
  double end_m, force_n, loss_j; // elongation at the end; mean force; energy lost
  double slip_m;                 // >= 0
  double by_way_npm, by_normal;  // derivatives of the force
};

struct breakout_slip breakout_over(const struct breakout *b, double start_m, double way_m) NONBLOCKING;
