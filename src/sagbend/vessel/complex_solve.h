// Linear equations in complex numbers, for the few unknowns of a vessel's motions or memory.
#pragma once

#include "sagbend/base/status.h"
#include "sagbend/vessel/complex_number.h"

static inline void complex_swap(double complex *a, double complex *b, int count) {
  for (int j = 0; j < count; j++) {
    double complex kept = a[j];
    a[j] = b[j];
    b[j] = kept;
  }
}

// Solves a x = b by elimination with pivots. a: n rows of stride numbers, of which n count; destroyed.
// x: n rows of one number for each of the right sides b; the solutions on return. STATUS_SINGULAR: x is
// undefined. Inline, so that each room multiplies by its own rules for infinities.
static inline enum status complex_solve(int n, int stride, double complex *a, int sides, double complex *x) {
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      if (cabs(a[i * stride + k]) > cabs(a[pivot * stride + k]))
        pivot = i;
    if (!(cabs(a[pivot * stride + k]) > 0))
      return STATUS_SINGULAR;
    complex_swap(&a[k * stride], &a[pivot * stride], n);
    complex_swap(&x[k * sides], &x[pivot * sides], sides);
    for (int i = k + 1; i < n; i++) {
      double complex share = a[i * stride + k] / a[k * stride + k];
      for (int j = k; j < n; j++)
        a[i * stride + j] -= share * a[k * stride + j];
      for (int j = 0; j < sides; j++)
        x[i * sides + j] -= share * x[k * sides + j];
    }
  }
  for (int k = n - 1; k >= 0; k--)
    for (int j = 0; j < sides; j++) {
      for (int i = k + 1; i < n; i++)
        x[k * sides + j] -= a[k * stride + i] * x[i * sides + j];
      x[k * sides + j] /= a[k * stride + k];
    }
  return STATUS_OK;
}
