#include "core/math/dense6.h"

#include <math.h>

enum status mat6_cholesky(double a[6][6]) {
  for (int j = 0; j < 6; j++) {
    double d = a[j][j];
    for (int k = 0; k < j; k++)
      d -= a[j][k] * a[j][k];
    if (!(d > 0))
      return STATUS_SINGULAR;
    a[j][j] = sqrt(d);
    for (int i = j + 1; i < 6; i++) {
      double sum = a[i][j];
      for (int k = 0; k < j; k++)
        sum -= a[i][k] * a[j][k];
      a[i][j] = sum / a[j][j];
    }
  }

  return STATUS_OK;
}

void mat6_cholesky_solve(const double (*l)[6], double x[6]) {
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < i; k++)
      x[i] -= l[i][k] * x[k];
    x[i] /= l[i][i];
  }

  for (int i = 5; i >= 0; i--) {
    for (int k = i + 1; k < 6; k++)
      x[i] -= l[k][i] * x[k];
    x[i] /= l[i][i];
  }
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
