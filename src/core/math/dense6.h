// Small dense systems: 6x6 symmetric positive definite. C11 has no implicit cast to a pointer to const rows,
// hence the casts at the callers' const matrices: nothing here writes to a matrix but mat6_cholesky.
#pragma once

static inline void mat6_mul(const double (*a)[6], const double x[6], double y[6]) {
  for (int i = 0; i < 6; i++) {
    double sum = 0;
    for (int j = 0; j < 6; j++)
      sum += a[i][j] * x[j];
    y[i] = sum;
  }
}

// Cholesky factor in the lower triangle. Returns 0 if a is not positive definite.
int mat6_cholesky(double a[6][6]);
void mat6_cholesky_solve(const double (*factor)[6], double x[6]);
