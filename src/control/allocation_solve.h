// The convex core of the thrust allocation: forces f_i, each in its convex set, that give a demanded wrench.
//
//   minimise  1/2 sum_i w_i |f_i - g_i|^2 + K/2 sum_k e_k^2 (d_k - (B f)_k)^2 ,   f_i in S_i ,
//
// d the demand (surge N, sway N, yaw N m), B the arms, w_i the price of a thruster's force, g_i the force it
// should rather give, e_k the weight of a component's error. K is so large that the first term only chooses
// among the forces that come nearest to the demand.
//
// The sets are separate, so the dual has three unknowns, however many thrusters there are: with the
// multiplier l of the wrench, f_i = the point of S_i nearest to g_i + B_i' l / w_i. The dual is concave and
// piecewise smooth; semismooth Newton (Qi and Sun, Math. Programming 58, 1993) with a line search finds its
// maximum, K growing in stages. Why not a QP solver of a distribution: none packaged there promises the same
// bits everywhere and no allocation in the sample, all need the discs cut to polygons, and three unknowns do
// not need one.
#pragma once

#include "control/force_set.h"
#include "core/base/nonblocking.h"
#include "core/signals/readings.h"

struct allocation_problem {
  int count;
  struct force_set set[MAX_THRUSTERS];
  double place_b_m[MAX_THRUSTERS][2];
  double price[MAX_THRUSTERS];          // w_i, 1/N^2, > 0
  double preferred_n[MAX_THRUSTERS][2]; // g_i
  double error_weight[3];               // e_k, 1/N, 1/N, 1/(N m), > 0
  double demand[3];                     // N, N, N m
};

struct allocation_solution {
  double force_n[MAX_THRUSTERS][2];
  double wrench[3]; // what they give
  double cost;      // of the minimised sum, with the largest K
  int iterations;
};

// What an error of this size, times its weight, costs.
double allocation_price_of_error(double weighted_error) NONBLOCKING;

void allocation_solve(const struct allocation_problem *problem, struct allocation_solution *out) NONBLOCKING;
