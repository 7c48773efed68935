// The function that the fit of the memory adapts, its derivatives, and its weighted least squares. Within
// memory_fit only.
//
// Scaled: frequencies by a typical one, degree of freedom a by sqrt of the peak of B_aa, so that K and its
// parameters are about one. Parameters: log w (n), L (n rows of a lower triangle, R = L L'), G (n rows of m),
// then A_inf (rows of a lower triangle of m) if it is fitted.
#pragma once

#include "sagbend/hydro/memory_fit.h"

#include <complex.h>

enum {
  MAX_PARAMETERS = MAX_GROUP_OSCILLATORS + MAX_GROUP_OSCILLATORS * (MAX_GROUP_OSCILLATORS + 1) / 2 +
                   6 * MAX_GROUP_OSCILLATORS + 21
};

struct memory_model {
  int n, m; // oscillators, degrees of freedom
  int fits_added_mass_inf;
  int frequencies;
  int slow;            // of the first so many frequencies the damping counts, the added mass does not
  const double *omega; // [frequency]
  const double (*damping)[6][6];    // [frequency]
  const double (*added_mass)[6][6]; // [frequency], minus A_inf unless that is fitted
  double lowest_log_w, highest_log_w;
};

static const double MOST_ROOT_OF_DAMPING = 4; // bound of |L_ij|

int memory_model_parameters(const struct memory_model *model);
int memory_model_place_of_root(int row, int column); // of L_row,column after log w

// K - data at a frequency. derivative: [parameter][a][b] for b <= a; NULL: not wanted.
void memory_model_residual(const struct memory_model *model, const double *x, int frequency,
                           double complex residual[6][6], double complex (*derivative)[6][6]);

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
