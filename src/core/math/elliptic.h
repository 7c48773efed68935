// Jacobi's elliptic functions and Carlson's elliptic integrals from + - * / sqrt, trig and explog only, so
// that they may enter a state hash. Errors are a few units in the last place, of the argument's phase where
// that is large. Sources: R. Bulirsch, Numerical calculation of elliptic integrals and elliptic functions
// (Numer. Math. 7, 1965) for sn, cn, dn; B. C. Carlson, Numerical computation of real or complex elliptic
// integrals (Numer. Algorithms 10, 1995).
#pragma once

enum { ELLIPTIC_AGM_MAX = 16 };

// The arithmetic-geometric mean of 1 and k': made once, good for any number of arguments of that modulus.
struct elliptic_agm {
  int count; // of the pairs below; 0 where k' = 0
  double a[ELLIPTIC_AGM_MAX], b[ELLIPTIC_AGM_MAX];
  double mean;
};

struct elliptic_functions {
  double sn, cn, dn;
};

// kc2 = k'^2 = 1 - k^2 in [0, 1]: the complement, because near the separatrix k^2 has no digits left to tell
// it.
struct elliptic_agm elliptic_agm_of(double kc2);
struct elliptic_functions elliptic_sncndn(const struct elliptic_agm *agm, double u);
double elliptic_quarter_period(const struct elliptic_agm *agm); // K; infinite where k' = 0

double elliptic_rc(double x, double y);                     // x >= 0, y > 0
double elliptic_rf(double x, double y, double z);           // none negative, at most one of them 0
double elliptic_rj(double x, double y, double z, double p); // the same, p > 0
