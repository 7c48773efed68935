// With g = 1/I_a - 1/I_c and beta = (1/I_a - 1/I_b)/g, energy and norm give C^2 = m_c^2 + beta m_b^2,
// A^2 = m_a^2 + (1 - beta) m_b^2, k'^2 = (m_a^2 - m_c^2 (1 - beta)/beta)/A^2 and the rate g A sqrt(beta):
// sums of squares (Proposition 3.2.1 in one form for its three cases). The addition theorem then gives m(h)
// from m(0) and the functions of the rate times h alone: no phase, and amplitudes that vanish cancel.
#include "core/rigid/orbit.h"

#include <math.h>

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

double rigid_free_energy_j(const struct rigid_inertia *i, const double m_b[3]) {
  double twice = 0;
  for (int k = 0; k < 3; k++)
    twice += m_b[i->axis[k]] * m_b[i->axis[k]] / i->moment_kgm2[k];
  return 0.5 * twice;
}

static double root_of_squares(double x, double y) { // sqrt(x^2 + y^2) where the squares would underflow
  double ax = fabs(x), ay = fabs(y), big = ax > ay ? ax : ay, small = ax > ay ? ay : ax;
  return big > 0 ? big * sqrt(1 + small / big * (small / big)) : 0;
}

// The axis that the momentum circles: that of the smallest moment where 2 T I_2 > |m|^2, else that of the
// largest. On the separatrix either will do; the one of the larger beta, so that beta is never 0 there.
static int circled_axis(const double i[3], const double m[3]) {
  double first = m[0] * m[0] * (i[1] - i[0]) / i[0], last = m[2] * m[2] * (i[2] - i[1]) / i[2];
  if (first != last)
    return first > last ? 0 : 2;
  return i[2] * (i[1] - i[0]) > i[0] * (i[2] - i[1]) ? 0 : 2;
}

static void lay_out_axes(struct orbit *o, const struct rigid_inertia *inertia, const double sorted[3],
                         int a) {
  const int order[3] = {a, 1, 2 - a};
  double parity = (a == 0) == !inertia->odd ? 1 : -1;
  o->sign[0] = sorted[a] < 0 ? -1 : 1;
  o->sign[1] = 1;
  o->sign[2] = parity * o->sign[0];
  for (int k = 0; k < 3; k++) {
    o->axis[k] = inertia->axis[order[k]];
    o->i[k] = inertia->moment_kgm2[order[k]];
    o->m[k] = o->sign[k] * sorted[order[k]];
  }
}

// 1/x - 1/y
static double difference_of_inverses(double x, double y) {
  return (y - x) / x / y;
}

struct orbit orbit_of(const struct rigid_inertia *inertia, const double m_b[3]) {
  struct orbit o = {.norm = 0};
  double size = 0, sorted[3], squares = 0;
  for (int k = 0; k < 3; k++)
    size = fabs(m_b[k]) > size ? fabs(m_b[k]) : size;
  if (!(size > 0))
    return o;
  for (int k = 0; k < 3; k++) {
    sorted[k] = m_b[inertia->axis[k]] / size;
    squares += sorted[k] * sorted[k];
  }
  double root = sqrt(squares);
  for (int k = 0; k < 3; k++)
    sorted[k] /= root;
  o.norm = size * root;
  lay_out_axes(&o, inertia, sorted, circled_axis(inertia->moment_kgm2, sorted));
  o.g = difference_of_inverses(o.i[0], o.i[2]);
  o.steady = o.g == 0 || (o.m[0] == 0 && o.m[2] == 0) || (o.m[1] == 0 && o.m[2] == 0);
  if (o.steady)
    return o;
  o.beta = (o.i[1] - o.i[0]) / (o.i[2] - o.i[0]) * (o.i[2] / o.i[1]);
  o.other = (o.i[2] - o.i[1]) / (o.i[2] - o.i[0]) * (o.i[0] / o.i[1]);
  double root_beta = sqrt(o.beta);
  o.big_c = root_of_squares(o.m[2], root_beta * o.m[1]);
  o.big_a = root_of_squares(o.m[0], sqrt(o.other) * o.m[1]);
  o.steady = o.big_a == 0 || o.beta == 0;
  if (o.steady)
    return o;
  double lost = o.m[2] * sqrt(o.other) / root_beta;
  o.kc2 = (o.m[0] - lost) * (o.m[0] + lost) / (o.big_a * o.big_a);
  o.kc2 = o.kc2 < 0 ? 0 : o.kc2 > 1 ? 1 : o.kc2;
  o.rate = o.g * o.big_a * root_beta;
  o.agm = elliptic_agm_of(o.kc2);
  return o;
}

// In steps of one size u hardly changes, so sn, cn and dn have the same rounding errors each time, and the
// energy would drift by them. Back to the amplitudes C^2 = c^2 + beta b^2 and A^2 = a^2 + (1 - beta) b^2 by
// the shortest way; near an axis of rotation that way is not well determined, and there is little to gain.
static void restore_amplitudes(const struct orbit *o, double m[3]) {
  const double well_determined = 1e-2;
  double a = m[0], b = m[1], c = m[2], bb = b * b;
  double pp = o->beta * o->beta * bb + c * c, rr = a * a + o->other * o->other * bb,
         pr = o->beta * o->other * bb;
  double determinant = pp * rr - pr * pr;
  if (!(determinant > well_determined))
    return;
  double dp = 0.5 * (o->big_c * o->big_c - (c * c + o->beta * bb)),
         dr = 0.5 * (o->big_a * o->big_a - (a * a + o->other * bb));
  double x = (rr * dp - pr * dr) / determinant, y = (pp * dr - pr * dp) / determinant;
  m[0] += y * a;
  m[1] += (x * o->beta + y * o->other) * b;
  m[2] += x * c;
}

void orbit_momentum(const struct orbit *o, double h, double out[3]) {
  for (int k = 0; k < 3; k++)
    out[k] = o->m[k];
  if (o->steady || o->norm == 0)
    return;
  double t = h * o->norm, u = o->rate * t;
  struct elliptic_functions f = elliptic_sncndn(&o->agm, u);
  double s = o->g * t * (u == 0 ? 1 : f.sn / u), a = o->m[0], b = o->m[1], c = o->m[2];
  double part = f.sn * (a / o->big_a), scale = 1 / (f.cn * f.cn + part * part);
  out[0] = scale * (a * f.dn - o->other * b * c * s * f.cn);
  out[1] = scale * (b * f.cn * f.dn + a * c * s);
  out[2] = scale * (c * f.cn - o->beta * a * b * s * f.dn);
  restore_amplitudes(o, out);
  double excess =
      out[0] * out[0] + out[1] * out[1] + out[2] * out[2] - 1; // 1/sqrt would round to one side near 1
  for (int k = 0; k < 3; k++)
    out[k] -= 0.5 * excess * out[k];
}

void orbit_to_body(const struct orbit *o, const double abc[3], double out[3]) {
  for (int k = 0; k < 3; k++)
    out[o->axis[k]] = o->sign[k] * abc[k];
}
