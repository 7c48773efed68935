// The action of a small matrix exponential, and integrals along it: x' = A x over a duration of either sign,
// as a Taylor series in parts that it resolves to rounding. A constant or a growing term is a state of its
// own (1; its integral), so this is also the action of the phi-functions. Source: A. H. Al-Mohy, N. J.
// Higham, Computing the action of the matrix exponential (SIAM J. Sci. Comput. 33, 2011), section 3.
#pragma once

enum { PHI_MAX = 12, PHI_TERMS = 20 };

// Over a part of length h, x(h s) = sum of term[k] s^k for s in [0, 1].
struct phi_path {
  int n, terms;
  double h;
  double term[PHI_TERMS][PHI_MAX];
};

// In how many equal parts to take h; 0 where A is not finite, or too many would be needed.
int phi_parts(int n, const double a[][PHI_MAX], double h);
void phi_path_of(int n, const double a[][PHI_MAX], double h, const double x[], struct phi_path *path);
void phi_end(const struct phi_path *path, double x[]);

// Coefficients of a linear function of x along the path, and the integral over the part of the product of two
// of them.
void phi_row(const struct phi_path *path, const double row[], double out[PHI_TERMS]);
double phi_product(const struct phi_path *path, const double left[PHI_TERMS], const double right[PHI_TERMS]);
