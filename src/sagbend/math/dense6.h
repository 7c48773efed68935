// Dense symmetric 6x6 systems. C11 does not convert double (*)[6] to const double (*)[6] by itself, hence the
// casts where callers pass a matrix that is not const.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/base/status.h"

// y = a x. y must not overlap x.
static inline void mat6_mul(const double (*a)[6], const double x[6], double y[6]) {
  for (int i = 0; i < 6; i++) {
    double sum = 0;
    for (int j = 0; j < 6; j++)
      sum += a[i][j] * x[j];
    y[i] = sum;
  }
}

// Replaces the lower triangle of a by the factors of a = L D L': L has a unit diagonal, in whose place stands
// the inverse of D. Reads the lower triangle only. STATUS_SINGULAR if a is not positive definite or contains
// NaN; part of the triangle is then overwritten.
enum status mat6_cholesky(double a[6][6]) NONBLOCKING;

// Solves a x = b in place with the factor from mat6_cholesky: x holds b on entry and the solution on return.
void mat6_cholesky_solve(const double (*factor)[6], double x[6]) NONBLOCKING;

// A symmetric positive semidefinite matrix as a = L diag(d) L' with a unit diagonal of L, so that x' a x is a
// sum of squares times d >= 0 and no rounding makes it negative. A pivot within rounding of 0 counts as 0.
struct mat6_squares {
  double l[6][6], d[6];
};
struct mat6_squares mat6_squares_of(const double (*a)[6]);
double mat6_squares_at(const struct mat6_squares *of, const double x[6]) NONBLOCKING;

// Whether a symmetric matrix, scaled to a unit diagonal, is positive definite after shift is added to that
// diagonal. A small negative shift demands a distance from singular; a small positive one admits semidefinite
// matrices that rounding has made slightly indefinite.
int mat6_is_definite(const double (*a)[6], double shift);
