#include "verification/rivals/rivals_internal.h"

#include <math.h>

static void swap_rows(int n, double *a, double *b, int i, int j) {
  for (int k = 0; k < n; k++) {
    double t = a[i * n + k];
    a[i * n + k] = a[j * n + k];
    a[j * n + k] = t;
  }
  double t = b[i];
  b[i] = b[j];
  b[j] = t;
}

int rival_solve(int n, double *a, double *b) {
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[i * n + k]) > fabs(a[pivot * n + k]))
        pivot = i;
    if (!(fabs(a[pivot * n + k]) > 0))
      return 0;
    if (pivot != k)
      swap_rows(n, a, b, k, pivot);
    for (int i = k + 1; i < n; i++) {
      double s = a[i * n + k] / a[k * n + k];
      for (int j = k + 1; j < n; j++)
        a[i * n + j] -= s * a[k * n + j];
      b[i] -= s * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++)
      b[k] -= a[k * n + j] * b[j];
    b[k] /= a[k * n + k];
  }
  return 1;
}
