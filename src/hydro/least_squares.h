// Weighted least squares of the memory's model. Within memory_fit only.
#pragma once

#include "hydro/memory_model.h"

// Scratch memory of one fit.
struct least_squares {
  struct memory_model model;
  double (*weight)[6][6];             // [frequency], of squared residuals, b <= a
  double *normal;                     // [MAX_PARAMETERS * MAX_PARAMETERS]
  double *factor;                     // the same size
  double complex (*derivative)[6][6]; // [MAX_PARAMETERS]
};

// Sum of weighted squares at x.
double least_squares_cost(const struct least_squares *work, const double *x);

// Improves x by at most so many iterations. Returns the cost.
double least_squares_solve(struct least_squares *work, double *x, int iterations);
