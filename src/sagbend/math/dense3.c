#include "sagbend/math/dense3.h"

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
