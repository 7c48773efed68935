#include "hydro/eigenvalues.h"

#include <math.h>

static void rotate(double a[6][6], int p, int q) {
  if (a[p][q] == 0)
    return;
  double theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
  double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(1 + theta * theta)), c = 1 / sqrt(1 + t * t),
         s = t * c;
  for (int k = 0; k < 6; k++) {
    double kp = a[k][p], kq = a[k][q];
    a[k][p] = c * kp - s * kq;
    a[k][q] = s * kp + c * kq;
  }
  for (int k = 0; k < 6; k++) {
    double pk = a[p][k], qk = a[q][k];
    a[p][k] = c * pk - s * qk;
    a[q][k] = s * pk + c * qk;
  }
}

void eigenvalues6(double a[6][6], double values[6]) {
  enum { SWEEPS = 30 };
  for (int sweep = 0; sweep < SWEEPS; sweep++)
    for (int p = 0; p < 5; p++)
      for (int q = p + 1; q < 6; q++)
        rotate(a, p, q);
  for (int i = 0; i < 6; i++) {
    int at = i;
    for (; at > 0 && values[at - 1] > a[i][i]; at--)
      values[at] = values[at - 1];
    values[at] = a[i][i];
  }
}
