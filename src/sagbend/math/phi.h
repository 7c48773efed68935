// Action of the exponential of a small matrix, and integrals along it: x' = A x over a duration of either
// sign, as Taylor series over parts short enough that each resolves to rounding error. A constant term is a
// further state with the value 1, a growing one its integral; this therefore also gives the action of the
// phi-functions. Source: Al-Mohy and Higham 2011, Computing the action of the matrix exponential (SIAM J.
// Sci. Comput. 33), section 3.
#pragma once

#include "sagbend/base/nonblocking.h"

enum { PHI_MAX = 12, PHI_TERMS = 20 }; // states; terms of a series

// The solution over a part of length h: x(h s) = sum of term[k] s^k for s in [0, 1].
struct phi_path {
  int n, terms; // states; terms of the series in use
  double h;
  double term[PHI_TERMS][PHI_MAX];
};

// Number of equal parts that h must be divided into, at least 1. 0 where A is not finite or more than 100,000
// parts would be needed: there is then no solution.
int phi_part_count(int n, const double a[][PHI_MAX], double h) NONBLOCKING;

// The solution over a part of length h from x, both of n states.
void phi_path_of(int n, const double a[][PHI_MAX], double h, const double x[],
                 struct phi_path *path) NONBLOCKING;

// x at the end of the part.
void phi_end(const struct phi_path *path, double x[]) NONBLOCKING;

// Coefficients along the path of the linear function row . x: out[k] belongs to s^k.
void phi_row(const struct phi_path *path, const double row[], double out[PHI_TERMS]) NONBLOCKING;

// Integral over the part of the product of two functions with these coefficients.
double phi_product(const struct phi_path *path, const double left[PHI_TERMS],
                   const double right[PHI_TERMS]) NONBLOCKING;
