// Dense systems of three and of six equations.
#include "sagbend/math/math.h"

#include <math.h>

void mat3_solve_rows(const double (*a)[3], const double b[3], double x[3]) {
  double c0 = a[1][1] * a[2][2] - a[1][2] * a[2][1], c1 = a[1][2] * a[2][0] - a[1][0] * a[2][2];
  double c2 = a[1][0] * a[2][1] - a[1][1] * a[2][0], det = a[0][0] * c0 + a[0][1] * c1 + a[0][2] * c2;
  double d0 = a[0][2] * a[2][1] - a[0][1] * a[2][2], d1 = a[0][0] * a[2][2] - a[0][2] * a[2][0];
  double d2 = a[0][1] * a[2][0] - a[0][0] * a[2][1];
  double e0 = a[0][1] * a[1][2] - a[0][2] * a[1][1], e1 = a[0][2] * a[1][0] - a[0][0] * a[1][2];
  double e2 = a[0][0] * a[1][1] - a[0][1] * a[1][0];

  x[0] = (c0 * b[0] + d0 * b[1] + e0 * b[2]) / det;
  x[1] = (c1 * b[0] + d1 * b[1] + e1 * b[2]) / det;
  x[2] = (c2 * b[0] + d2 * b[1] + e2 * b[2]) / det;
}

vec3 mat3_solve_columns(const mat3 *a, vec3 b) {
  vec3 c0 = mat3_column(a, 0), c1 = mat3_column(a, 1), c2 = mat3_column(a, 2);
  double det = vec3_dot(c0, vec3_cross(c1, c2));
  return (vec3){vec3_dot(b, vec3_cross(c1, c2)) / det, vec3_dot(c0, vec3_cross(b, c2)) / det,
                vec3_dot(c0, vec3_cross(c1, b)) / det};
}

void mat3_solve_definite(const double (*a)[3], const double b[3], double x[3]) {
  double l[3][3] = {{0}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j <= i; j++) {
      double sum = a[i][j];
      for (int k = 0; k < j; k++)
        sum -= l[i][k] * l[j][k];
      l[i][j] = i == j ? sqrt(sum > 1e-30 ? sum : 1e-30) : sum / l[j][j];
    }

  for (int i = 0; i < 3; i++) {
    double sum = b[i];
    for (int k = 0; k < i; k++)
      sum -= l[i][k] * x[k];
    x[i] = sum / l[i][i];
  }

  for (int i = 2; i >= 0; i--) {
    for (int k = i + 1; k < 3; k++)
      x[i] -= l[k][i] * x[k];
    x[i] /= l[i][i];
  }
}

int mat3_is_definite(const double (*a)[3]) {
  double minor = a[0][0] * a[1][1] - a[0][1] * a[1][0];
  double det = a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
               a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
               a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
  int is_symmetric = a[0][1] == a[1][0] && a[0][2] == a[2][0] && a[1][2] == a[2][1];
  return a[0][0] > 0 && minor > 0 && det > 0 && is_symmetric;
}

// ------------------------------------------------------------
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
