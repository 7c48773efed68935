// The convex core of the thrust allocation: forces f_i, each in its convex set, that give a demanded wrench.
//
//   minimise  1/2 sum_i w_i |f_i - g_i|^2 + K/2 sum_k e_k^2 (d_k - (B f)_k)^2 ,   f_i in S_i ,
//
// where d is the demand (surge N, sway N, yaw N m), B the matrix of lever arms, w_i the price of a thruster's
// force, g_i its preferred force and e_k the weight of an error. K is so large that the first term only
// selects among the forces that come nearest to the demand.
//
// The sets are independent, so the dual problem has three unknowns for any number of thrusters: with the
// multiplier l of the wrench, f_i is the point of S_i nearest to g_i + B_i' l / w_i. The dual function is
// concave and piecewise smooth. Semismooth Newton (Qi and Sun 1993, Math. Programming 58) with a line search
// finds its maximum while K grows in stages. A packaged QP solver would need polygons instead of discs and
// memory during the step, and would not give the same bits on every machine.
#pragma once

#include "sagbend/dp/force_set.h"
#include "sagbend/base/nonblocking.h"
#include "sagbend/signals/readings.h"

struct allocation_problem {
  int count; // thrusters
  struct force_set set[MAX_THRUSTERS];
  double place_b_m[MAX_THRUSTERS][2];
  double price[MAX_THRUSTERS];          // w_i, 1/N^2, > 0
  double preferred_n[MAX_THRUSTERS][2]; // g_i, b
  double error_weight[3];               // e_k, 1/N, 1/N, 1/(N m), > 0
  double demand[3];                     // N, N, N m
};

struct allocation_solution {
  double force_n[MAX_THRUSTERS][2]; // b
  double wrench[3];                 // of these forces: N, N, N m
  double cost;                      // minimum, with the largest K
  int iterations;
};

// Cost of an error that is already multiplied by its weight, with the largest K.
double allocation_price_of_error(double weighted_error) NONBLOCKING;

// By how much a wrench misses the demand, weighted.
double allocation_weighted_error(const struct allocation_problem *problem,
                                 const double wrench[3]) NONBLOCKING;

// Finds the forces. Always gives forces within their sets, also after the last iteration.
void allocation_solve(const struct allocation_problem *problem, struct allocation_solution *out) NONBLOCKING;
