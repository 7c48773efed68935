// Jacobi's elliptic functions and Carlson's elliptic integrals. They use + - * / sqrt and the functions of
// trig.h and explog.h only, so that they may enter a state hash. Errors are a few units in the last place;
// for a large argument, of the argument's phase. Sources: Bulirsch 1965, Numerical calculation of elliptic
// integrals and elliptic functions (Numer. Math. 7), for sn, cn, dn; Carlson 1995, Numerical computation of
// real or complex elliptic integrals (Numer. Algorithms 10).
#pragma once

#include "sagbend/base/nonblocking.h"

enum { ELLIPTIC_AGM_MAX = 16 };

// Arithmetic-geometric mean of 1 and k'. Computed once, it serves any number of arguments of the same
// modulus.
struct elliptic_agm {
  int count;                                       // pairs below; 0 where k' = 0
  double a[ELLIPTIC_AGM_MAX], b[ELLIPTIC_AGM_MAX]; // arithmetic and geometric means, from the first pair on
  double mean;                                     // their limit
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
