// The angular momentum of the free rigid body, by elliptic functions.
//
// With g = 1/I_a - 1/I_c and beta = (1/I_a - 1/I_b)/g, conservation of energy and norm gives C^2 = m_c^2 +
// beta m_b^2, A^2 = m_a^2 + (1 - beta) m_b^2, k'^2 = (m_a^2 - m_c^2 (1 - beta)/beta)/A^2 and the rate g A
// sqrt(beta). A^2 and C^2 are sums of squares (Saefstroem 2009, Proposition 3.2.1, one form for its three
// cases). The addition theorem then gives m(h) from m(0) and the functions of rate times h alone: no phase is
// needed, and amplitudes that vanish cancel.
#include "sagbend/rigid/rigid.h"
#include "sagbend/rigid/rigid_internal.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// ---- Elliptic functions ----

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

// ---- The orbit ----

struct rigid_inertia rigid_inertia_of(const double moments_kgm2[3]) {
  struct rigid_inertia s = {{moments_kgm2[0], moments_kgm2[1], moments_kgm2[2]}, {0, 1, 2}, 0};
  static const int pairs[3][2] = {{0, 1}, {1, 2}, {0, 1}};
  for (int k = 0; k < 3; k++) {
    int i = pairs[k][0], j = pairs[k][1];
    if (s.moment_kgm2[i] <= s.moment_kgm2[j])
      continue;
    double moment = s.moment_kgm2[i];
    s.moment_kgm2[i] = s.moment_kgm2[j];
    s.moment_kgm2[j] = moment;
    int axis = s.axis[i];
    s.axis[i] = s.axis[j];
    s.axis[j] = axis;
    s.odd = !s.odd;
  }

  return s;
}

double rigid_free_energy_j(const struct rigid_inertia *inertia, const double m_b[3]) {
  double twice = 0;
  for (int k = 0; k < 3; k++)
    twice += m_b[inertia->axis[k]] * m_b[inertia->axis[k]] / inertia->moment_kgm2[k];
  return 0.5 * twice;
}

// sqrt(x^2 + y^2), also where the squares would underflow.
static double root_of_squares(double x, double y) {
  double ax = fabs(x), ay = fabs(y), big = ax > ay ? ax : ay, small = ax > ay ? ay : ax;
  return big > 0 ? big * sqrt(1 + small / big * (small / big)) : 0;
}

// The axis that the momentum circles: that of the smallest moment where 2 T I_2 > |m|^2, otherwise that of
// the largest. On the separatrix both are valid; the choice is the one with the larger beta, so that beta is
// never 0 there.
static int circled_axis(const double i[3], const double m[3]) {
  double first = m[0] * m[0] * (i[1] - i[0]) / i[0], last = m[2] * m[2] * (i[2] - i[1]) / i[2];
  if (first != last)
    return first > last ? 0 : 2;
  return i[2] * (i[1] - i[0]) > i[0] * (i[2] - i[1]) ? 0 : 2;
}

// Fills the axes a, b, c and the momentum in them; a: sorted index of the axis that the momentum circles.
static void assign_axes(struct orbit *orbit, const struct rigid_inertia *inertia, const double sorted[3],
                        int a) {
  const int order[3] = {a, 1, 2 - a};
  double parity = (a == 0) == !inertia->odd ? 1 : -1;
  orbit->sign[0] = sorted[a] < 0 ? -1 : 1;
  orbit->sign[1] = 1;
  orbit->sign[2] = parity * orbit->sign[0];

  for (int k = 0; k < 3; k++) {
    orbit->axis[k] = inertia->axis[order[k]];
    orbit->i[k] = inertia->moment_kgm2[order[k]];
    orbit->m[k] = orbit->sign[k] * sorted[order[k]];
  }
}

// 1/x - 1/y
static double difference_of_inverses(double x, double y) {
  return (y - x) / x / y;
}

struct orbit orbit_of(const struct rigid_inertia *inertia, const double m_b[3]) {
  struct orbit orbit = {.norm = 0};
  double size = 0, sorted[3], squares = 0;
  for (int k = 0; k < 3; k++)
    size = fabs(m_b[k]) > size ? fabs(m_b[k]) : size;

  if (!(size > 0))
    return orbit;

  for (int k = 0; k < 3; k++) {
    sorted[k] = m_b[inertia->axis[k]] / size;
    squares += sorted[k] * sorted[k];
  }

  double root = sqrt(squares);

  for (int k = 0; k < 3; k++)
    sorted[k] /= root;

  orbit.norm = size * root;
  assign_axes(&orbit, inertia, sorted, circled_axis(inertia->moment_kgm2, sorted));
  orbit.g = difference_of_inverses(orbit.i[0], orbit.i[2]);
  orbit.steady = orbit.g == 0 || (orbit.m[0] == 0 && orbit.m[2] == 0) || (orbit.m[1] == 0 && orbit.m[2] == 0);
  if (orbit.steady)
    return orbit;

  orbit.beta = (orbit.i[1] - orbit.i[0]) / (orbit.i[2] - orbit.i[0]) * (orbit.i[2] / orbit.i[1]);
  orbit.one_minus_beta = (orbit.i[2] - orbit.i[1]) / (orbit.i[2] - orbit.i[0]) * (orbit.i[0] / orbit.i[1]);
  double root_beta = sqrt(orbit.beta);
  orbit.big_c = root_of_squares(orbit.m[2], root_beta * orbit.m[1]);
  orbit.big_a = root_of_squares(orbit.m[0], sqrt(orbit.one_minus_beta) * orbit.m[1]);
  orbit.steady = orbit.big_a == 0 || orbit.beta == 0;
  if (orbit.steady)
    return orbit;

  double lost = orbit.m[2] * sqrt(orbit.one_minus_beta) / root_beta;
  orbit.kc2 = (orbit.m[0] - lost) * (orbit.m[0] + lost) / (orbit.big_a * orbit.big_a);
  orbit.kc2 = orbit.kc2 < 0 ? 0 : orbit.kc2 > 1 ? 1 : orbit.kc2;
  orbit.rate = orbit.g * orbit.big_a * root_beta;
  orbit.agm = elliptic_agm_of(orbit.kc2);

  return orbit;
}

// Projects a momentum back onto the amplitudes C^2 = c^2 + beta b^2 and A^2 = a^2 + (1 - beta) b^2 by the
// shortest way. In steps of equal size u hardly changes, so that sn, cn and dn have the same rounding errors
// each time and the energy would drift. Near a principal axis the shortest way is not well determined, and
// the drift is negligible.
static void restore_amplitudes(const struct orbit *orbit, double m[3]) {
  const double well_determined = 1e-2;
  double a = m[0], b = m[1], c = m[2], bb = b * b;
  double pp = orbit->beta * orbit->beta * bb + c * c,
         rr = a * a + orbit->one_minus_beta * orbit->one_minus_beta * bb,
         pr = orbit->beta * orbit->one_minus_beta * bb;
  double determinant = pp * rr - pr * pr;
  if (!(determinant > well_determined))
    return;

  double dp = 0.5 * (orbit->big_c * orbit->big_c - (c * c + orbit->beta * bb)),
         dr = 0.5 * (orbit->big_a * orbit->big_a - (a * a + orbit->one_minus_beta * bb));
  double x = (rr * dp - pr * dr) / determinant, y = (pp * dr - pr * dp) / determinant;
  m[0] += y * a;
  m[1] += (x * orbit->beta + y * orbit->one_minus_beta) * b;
  m[2] += x * c;
}

void orbit_momentum(const struct orbit *orbit, double h, double out[3]) {
  for (int k = 0; k < 3; k++)
    out[k] = orbit->m[k];

  if (orbit->steady || orbit->norm == 0)
    return;

  double t = h * orbit->norm, u = orbit->rate * t;
  struct elliptic_functions f = elliptic_sncndn(&orbit->agm, u);
  double s = orbit->g * t * (u == 0 ? 1 : f.sn / u), a = orbit->m[0], b = orbit->m[1], c = orbit->m[2];
  double part = f.sn * (a / orbit->big_a), scale = 1 / (f.cn * f.cn + part * part);
  out[0] = scale * (a * f.dn - orbit->one_minus_beta * b * c * s * f.cn);
  out[1] = scale * (b * f.cn * f.dn + a * c * s);
  out[2] = scale * (c * f.cn - orbit->beta * a * b * s * f.dn);
  restore_amplitudes(orbit, out);

  // To norm 1; multiplying by 1/sqrt would round to one side near 1.
  double excess = out[0] * out[0] + out[1] * out[1] + out[2] * out[2] - 1;

  for (int k = 0; k < 3; k++)
    out[k] -= 0.5 * excess * out[k];
}

void orbit_to_body(const struct orbit *orbit, const double abc[3], double out[3]) {
  for (int k = 0; k < 3; k++)
    out[orbit->axis[k]] = orbit->sign[k] * abc[k];
}
