#include "sagbend/math/dense6.h"

#include <math.h>

enum status mat6_cholesky(double a[6][6]) {
  for (int j = 0; j < 6; j++) {
    if (!(a[j][j] > 0))
      return STATUS_SINGULAR;
    double inverse = 1 / a[j][j], column[6] = {0};
    for (int i = j + 1; i < 6; i++)
      column[i] = a[i][j];
    for (int i = j + 1; i < 6; i++) {
      double share = column[i] * inverse;
      // The whole row, in registers: left of the diagonal column is 0, and nothing reads what is right of it.
      for (int k = 0; k < 6; k++)
        a[i][k] -= share * column[k];
      a[i][j] = share;
    }
    a[j][j] = inverse;
  }

  return STATUS_OK;
}

void mat6_cholesky_solve(const double (*factor)[6], double x[6]) {
  for (int i = 1; i < 6; i++)
    for (int k = 0; k < i; k++)
      x[i] -= factor[i][k] * x[k];
  for (int i = 0; i < 6; i++)
    x[i] *= factor[i][i];
  for (int i = 4; i >= 0; i--)
    for (int k = i + 1; k < 6; k++)
      x[i] -= factor[k][i] * x[k];
}

struct mat6_squares mat6_squares_of(const double (*a)[6]) {
  static const double ROUNDING = 1e-13; // of a pivot, as a share of its diagonal
  struct mat6_squares s = {0};
  for (int j = 0; j < 6; j++) {
    double pivot = a[j][j];
    for (int k = 0; k < j; k++)
      pivot -= s.l[j][k] * s.l[j][k] * s.d[k];
    s.l[j][j] = 1;
    if (!(pivot > ROUNDING * a[j][j]))
      continue;
    s.d[j] = pivot;
    for (int i = j + 1; i < 6; i++) {
      double sum = a[i][j];
      for (int k = 0; k < j; k++)
        sum -= s.l[i][k] * s.l[j][k] * s.d[k];
      s.l[i][j] = sum / pivot;
    }
  }
  return s;
}

double mat6_squares_at(const struct mat6_squares *of, const double x[6]) {
  double sum = 0;
  for (int k = 0; k < 6; k++) {
    double root = 0;
    for (int i = k; i < 6; i++)
      root += of->l[i][k] * x[i];
    sum += of->d[k] * (root * root);
  }
  return sum;
}

int mat6_is_definite(const double (*a)[6], double shift) {
  double l[6][6] = {{0}};
  for (int i = 0; i < 6; i++) {
    if (a[i][i] < 0)
      return 0;
    for (int j = 0; j <= i; j++) {
      double scale = sqrt(a[i][i]) * sqrt(a[j][j]);
      if (scale == 0 && a[i][j] != 0)
        return 0;
      double sum = (scale > 0 ? a[i][j] / scale : 0) + (i == j ? shift : 0);
      for (int k = 0; k < j; k++)
        sum -= l[i][k] * l[j][k];
      if (i == j && !(sum > 0))
        return 0;
      l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
    }
  }

  return 1;
}
