// What the exact motion of a rigid body is made of: elliptic functions, the orbit of the momentum, the action
// of an exponential.
#pragma once

#include "sagbend/rigid/rigid.h"

// Jacobi's elliptic functions and Carlson's elliptic integrals. They use + - * / sqrt and the functions of
// math.h only, so that they may enter a state hash. Errors are a few units in the last place;
// for a large argument, of the argument's phase. Sources: Bulirsch 1965, Numerical calculation of elliptic
// integrals and elliptic functions (Numer. Math. 7), for sn, cn, dn; Carlson 1995, Numerical computation of
// real or complex elliptic integrals (Numer. Algorithms 10).

enum { ELLIPTIC_AGM_MAX = 16 };

// Arithmetic-geometric mean of 1 and k'. Computed once, it serves any number of arguments of the same
// modulus.
struct elliptic_agm {
  int count;                                       // pairs below; 0 where k' = 0
  double a[ELLIPTIC_AGM_MAX], b[ELLIPTIC_AGM_MAX]; // arithmetic and geometric means, from the first pair on
  double mean;                                     // limit of the two sequences
};

struct elliptic_functions {
  double sn, cn, dn;
};

// kc2 = k'^2 = 1 - k^2, in [0, 1]. The argument is the complementary modulus because near the separatrix (k =
// 1) k^2 has no digits left to distinguish moduli.
struct elliptic_agm elliptic_agm_of(double kc2) NONBLOCKING;

// sn, cn and dn of u.
struct elliptic_functions elliptic_sncndn(const struct elliptic_agm *agm, double u) NONBLOCKING;

// The quarter period K; infinite where k' = 0.
double elliptic_quarter_period(const struct elliptic_agm *agm) NONBLOCKING;

// R_C for x >= 0, y > 0.
double elliptic_rc(double x, double y) NONBLOCKING;

// R_F for arguments >= 0, at most one of which is 0.
double elliptic_rf(double x, double y, double z) NONBLOCKING;

// R_J for x, y, z as for R_F and p > 0.
double elliptic_rj(double x, double y, double z, double p) NONBLOCKING;

// ------------------------------------------------------------
// The orbit of the unit momentum of a free body, in axes (a, b, c) in which
// all regimes are one. a is the axis that the momentum circles, b that of the middle moment; the axes are
// right-handed and the component along a is never negative, so that m = (A dn, B sn, C cn). Saefstroem 2009,
// Proposition 3.2.1.

struct orbit {
  int axis[3];           // body axes of a, b, c
  double sign[3];        // directions of the axes, +1 or -1
  double i[3];           // moments about a, b, c, kg m^2
  double norm;           // |m|, kg m^2/s
  double m[3];           // unit momentum at the start, in a, b, c
  double g;              // 1/I_a - 1/I_c
  double beta;           // (1/I_a - 1/I_b)/g, in [0, 1]
  double one_minus_beta; // as a quotient of its own, so that it keeps its digits
  double big_a, big_c;   // amplitudes A of dn and C of cn; B = C/sqrt(beta)
  double kc2;            // complementary modulus k'^2
  double rate;           // du/dt of the argument of sn, cn, dn for a unit momentum
  int steady;            // 1: rotation about a principal axis, or nearly a sphere: the momentum stays
  struct elliptic_agm agm;
};

// The orbit of m_b (kg m^2/s). Without momentum norm is 0 and nothing else is set.
struct orbit orbit_of(const struct rigid_inertia *inertia, const double m_b[3]) NONBLOCKING;

// Unit momentum in a, b, c after h seconds.
void orbit_momentum(const struct orbit *orbit, double h, double out[3]) NONBLOCKING;

// From the axes a, b, c to the body frame.
void orbit_to_body(const struct orbit *orbit, const double abc[3], double out[3]) NONBLOCKING;

// ------------------------------------------------------------
// Action of the exponential of a small matrix, and integrals along it: x' = A x over a duration of either
// sign, as Taylor series over parts short enough that each resolves to rounding error. A constant term is a
// further state with the value 1, a growing one its integral; this therefore also gives the action of the
// phi-functions. Source: Al-Mohy and Higham 2011, Computing the action of the matrix exponential (SIAM J.
// Sci. Comput. 33), section 3.

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
