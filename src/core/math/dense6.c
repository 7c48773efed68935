#include "core/math/dense6.h"

#include <math.h>

int mat6_cholesky(double a[6][6]) {
  for (int j = 0; j < 6; j++) {
    double d = a[j][j];
    for (int k = 0; k < j; k++)
      d -= a[j][k] * a[j][k];
    if (!(d > 0))
      return 0;
    a[j][j] = sqrt(d);
    for (int i = j + 1; i < 6; i++) {
      double sum = a[i][j];
      for (int k = 0; k < j; k++)
        sum -= a[i][k] * a[j][k];
      a[i][j] = sum / a[j][j];
    }
  }
  return 1;
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
