#include "sagbend/math/math_internal.h"

#include "sagbend/math/explog.h"
#include "sagbend/math/trig.h"

#include <math.h>

// Relative difference at which the means count as equal: one more iteration would leave an eighth of its
// square.
static const double MEANS_AGREE = 1e-8;
// Below this |u|, u^2 is lost beside 1 in every series.
static const double NO_PHASE = 1e-100;
// The series in the deviations go to the seventh degree; deviations of this size leave an error of about
// 1e-17.
static const double SERIES_RANGE = 0.008;

static double larger(double a, double b) {
  return b > a ? b : a;
}

struct elliptic_agm elliptic_agm_of(double kc2) {
  struct elliptic_agm m = {.mean = 0};
  double a = 1, b = sqrt(larger(kc2, 0));
  if (b == 0)
    return m;

  for (;;) {
    m.a[m.count] = a;
    m.b[m.count++] = b;
    m.mean = 0.5 * (a + b);
    if (!(fabs(a - b) > MEANS_AGREE * a) || m.count == ELLIPTIC_AGM_MAX)
      return m;
    b = sqrt(a * b);
    a = m.mean;
  }
}

double elliptic_quarter_period(const struct elliptic_agm *agm) {
  return agm->count ? 0.5 * TRIG_PI / agm->mean : HUGE_VAL;
}

// The functions for k' = 0: tanh u, sech u, sech u.
static struct elliptic_functions hyperbolic(double u) {
  double e = explog_exp(-fabs(u)), sech = 2 * e / (1 + e * e);
  double tanh = (1 - e) * (1 + e) / (1 + e * e);
  if (fabs(u) < 1e-3) // 1 - e has lost digits: use the series
    tanh = fabs(u) * (1 - u * u / 3 * (1 - 0.4 * u * u));
  return (struct elliptic_functions){u < 0 ? -tanh : tanh, sech, sech};
}

// Bulirsch 1965, procedure sncndn: descends with the angle and ascends with its cotangent.
struct elliptic_functions elliptic_sncndn(const struct elliptic_agm *agm, double u) {
  if (fabs(u) < NO_PHASE)
    return (struct elliptic_functions){u, 1, 1};

  if (!agm->count)
    return hyperbolic(u);

  double angle = trig_wrap(agm->mean * u), sine = trig_sin(angle), cosine = trig_cos(angle);
  if (fabs(sine) < NO_PHASE)
    return (struct elliptic_functions){sine, cosine, 1};

  double a = cosine / sine, c = agm->mean * a, dn = 1;

  for (int i = agm->count - 1; i >= 0; i--) {
    double mean = agm->a[i];
    a *= c;
    c *= dn;
    dn = (agm->b[i] + a) / (mean + a);
    a = c / mean;
  }

  double sn = 1 / sqrt(c * c + 1);
  sn = sine < 0 ? -sn : sn;

  return (struct elliptic_functions){sn, c * sn, dn};
}

double elliptic_rc(double x, double y) {
  double mean = (x + 2 * y) / 3, s = (y - x) / (3 * mean);
  while (fabs(s) > SERIES_RANGE) {
    double lambda = 2 * sqrt(x) * sqrt(y) + y;
    x = 0.25 * (x + lambda);
    y = 0.25 * (y + lambda);
    mean = (x + 2 * y) / 3;
    s = (y - x) / (3 * mean);
  }

  return (1 + s * s * (0.3 + s * (1.0 / 7 + s * (0.375 + s * (9.0 / 22 + s * (159.0 / 208 + s * 1.125)))))) /
         sqrt(mean);
}

double elliptic_rf(double x, double y, double z) {
  for (;;) {
    double mean = (x + y + z) / 3, X = 1 - x / mean, Y = 1 - y / mean, Z = -(X + Y);
    if (!(larger(fabs(X), larger(fabs(Y), fabs(Z))) > SERIES_RANGE)) {
      double e2 = X * Y - Z * Z, e3 = X * Y * Z;
      return (1 - e2 / 10 + e3 / 14 + e2 * e2 / 24 - 3 * e2 * e3 / 44 - 5 * e2 * e2 * e2 / 208 +
              3 * e3 * e3 / 104 + e2 * e2 * e3 / 16) /
             sqrt(mean);
    }
    double rx = sqrt(x), ry = sqrt(y), rz = sqrt(z), lambda = rx * ry + rx * rz + ry * rz;
    x = 0.25 * (x + lambda);
    y = 0.25 * (y + lambda);
    z = 0.25 * (z + lambda);
  }
}

// Series in the elementary symmetric functions of the deviations, to the seventh degree: Carlson 1995 and two
// further terms.
static double rj_series(double X, double Y, double Z) {
  double P = -0.5 * (X + Y + Z), xyz = X * Y * Z;
  double e2 = X * Y + X * Z + Y * Z - 3 * P * P, e3 = xyz + 2 * e2 * P + 4 * P * P * P;
  double e4 = (2 * xyz + e2 * P + 3 * P * P * P) * P, e5 = xyz * P * P;
  return 1 - 3 * e2 / 14 + e3 / 6 + 9 * e2 * e2 / 88 - 3 * e4 / 22 - 9 * e2 * e3 / 52 + 3 * e5 / 26 -
         e2 * e2 * e2 / 16 + 3 * e3 * e3 / 40 + 3 * e2 * e4 / 20 + 45 * e2 * e2 * e3 / 272 -
         9 * (e3 * e4 + e2 * e5) / 68;
}

double elliptic_rj(double x, double y, double z, double p) {
  double share = 1, sum = 0;
  for (;;) {
    double mean = (x + y + z + 2 * p) / 5, X = 1 - x / mean, Y = 1 - y / mean, Z = 1 - z / mean,
           P = 1 - p / mean;
    if (!(larger(larger(fabs(X), fabs(Y)), larger(fabs(Z), fabs(P))) > SERIES_RANGE))
      return share * rj_series(X, Y, Z) / (mean * sqrt(mean)) + 3 * sum;
    double rx = sqrt(x), ry = sqrt(y), rz = sqrt(z), lambda = rx * ry + rx * rz + ry * rz;
    double alpha = p * (rx + ry + rz) + rx * ry * rz, beta = p + lambda; // sums of positive terms
    sum += share * elliptic_rc(alpha * alpha, p * beta * beta);
    share *= 0.25;
    x = 0.25 * (x + lambda);
    y = 0.25 * (y + lambda);
    z = 0.25 * (z + lambda);
    p = 0.25 * (p + lambda);
  }
}
