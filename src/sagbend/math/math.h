// Vectors and 3x3 matrices by value.
#pragma once

#include <math.h>

typedef struct vec3 {
  double x, y, z;
} vec3;

typedef struct mat3 {
  double m[3][3]; // row by row
} mat3;

static inline vec3 vec3_of(const double a[3]) {
  return (vec3){a[0], a[1], a[2]};
}

static inline void vec3_to(vec3 v, double a[3]) {
  a[0] = v.x;
  a[1] = v.y;
  a[2] = v.z;
}

static inline vec3 vec3_add(vec3 a, vec3 b) {
  return (vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline vec3 vec3_sub(vec3 a, vec3 b) {
  return (vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline vec3 vec3_scale(double s, vec3 a) {
  return (vec3){s * a.x, s * a.y, s * a.z};
}

// s a + b
static inline vec3 vec3_axpy(double s, vec3 a, vec3 b) {
  return (vec3){s * a.x + b.x, s * a.y + b.y, s * a.z + b.z};
}

static inline double vec3_dot(vec3 a, vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec3 vec3_cross(vec3 a, vec3 b) {
  return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double vec3_norm(vec3 a) {
  return sqrt(vec3_dot(a, a));
}

static inline vec3 vec3_mean(vec3 a, vec3 b) {
  return (vec3){0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z)};
}

static inline vec3 mat3_mul(const mat3 *a, vec3 v) {
  return (vec3){a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
                a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
                a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z};
}

// Transpose of a times v.
static inline vec3 mat3_tmul(const mat3 *a, vec3 v) {
  return (vec3){a->m[0][0] * v.x + a->m[1][0] * v.y + a->m[2][0] * v.z,
                a->m[0][1] * v.x + a->m[1][1] * v.y + a->m[2][1] * v.z,
                a->m[0][2] * v.x + a->m[1][2] * v.y + a->m[2][2] * v.z};
}

static inline vec3 mat3_column(const mat3 *a, int k) {
  return (vec3){a->m[0][k], a->m[1][k], a->m[2][k]};
}

// hat(w) v = w x v
static inline mat3 mat3_hat(vec3 w) {
  return (mat3){{{0, -w.z, w.y}, {w.z, 0, -w.x}, {-w.y, w.x, 0}}};
}

static inline mat3 mat3_product(const mat3 *a, const mat3 *b) {
  mat3 c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
  return c;
}

static inline mat3 mat3_transpose(const mat3 *a) {
  mat3 c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      c.m[i][j] = a->m[j][i];
  return c;
}
