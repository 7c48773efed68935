// Exponential, logarithm and trigonometry; attitudes by their angles; level axes.
#include "sagbend/math/math.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// log: x = 2^k m with sqrt(1/2) <= m < sqrt(2); log m = 2 artanh(s) with s = (m - 1) / (m + 1), |s| < 0.172,
// by a polynomial. exp: x = k log 2 + r with |r| < 0.35; exp r = 1 + r + r c / (2 - c) with c = r - r^2
// P(r^2), scaled by 2^k. The polynomials are the minimax ones of fdlibm (Sun Microsystems 1993: e_log.c,
// e_exp.c), with errors below 2^-58.

static const double LOG2_HIGH = 6.93147180369123816490e-01; // the first 33 bits of log 2
static const double LOG2_LOW = 1.90821492927058770002e-10;  // log 2 minus those

// 2^k for -1022 <= k <= 1023.
static double power_of_two(int k) {
  uint64_t bits = (uint64_t)(k + 1023) << 52;
  double p;
  memcpy(&p, &bits, sizeof p);
  return p;
}

double explog_log(double x) {
  if (!(x > 0))
    return x == 0 ? -(double)INFINITY : (double)NAN;

  if (x > 1.7976931348623157e308)
    return x;

  int k = 0;
  if (x < 2.2250738585072014e-308) { // subnormal
    x *= 18014398509481984.0;        // 2^54
    k = -54;
  }

  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  k += (int)(bits >> 52) - 1023;
  bits = (bits & UINT64_C(0xfffffffffffff)) | UINT64_C(0x3ff0000000000000);
  double m;
  memcpy(&m, &bits, sizeof m);
  if (m > 1.41421356237309504880) {
    m *= 0.5;
    k++;
  }

  double s = (m - 1) / (m + 1), z = s * s, w = z * z;
  double odd = 6.666666666666735130e-01 +
               w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01));
  double even = 3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01);
  double sum = z * (odd + z * even); // 2 artanh(s) = s (2 + sum)
  return k * LOG2_HIGH + (2 * s + (s * sum + k * LOG2_LOW));
}

double explog_exp(double x) {
  if (!(x <= 709.782712893384)) // also NaN, which is returned
    return x > 0 ? (double)INFINITY : x;

  if (x < -746)
    return 0;

  const double big = 6755399441055744.0;
  double n = (x * 1.44269504088896340736 + big) - big;
  double r = (x - n * LOG2_HIGH) - n * LOG2_LOW, z = r * r;
  double c = r - z * (1.66666666666666019037e-01 +
                      z * (-2.77777777770155933842e-03 +
                           z * (6.61375632143793436117e-05 +
                                z * (-1.65339022054652515390e-06 + z * 4.13813679705723846039e-08))));
  int k = (int)n, half = k / 2;

  return (1 + (r + r * c / (2 - c))) * power_of_two(half) * power_of_two(k - half);
}

double explog_cube_root(double x) {
  return x > 0 ? explog_exp(explog_log(x) / 3) : 0;
}

// ------------------------------------------------------------
quat quat_of_euler(const double e[3]) {
  double cr = trig_cos(0.5 * e[0]), sr = trig_sin(0.5 * e[0]);
  double cp = trig_cos(0.5 * e[1]), sp = trig_sin(0.5 * e[1]);
  double cy = trig_cos(0.5 * e[2]), sy = trig_sin(0.5 * e[2]);
  return quat_unit((quat){cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy,
                          cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy});
}

void euler_of_quat(quat q, double e[3]) {
  mat3 r = quat_matrix(q);
  double s = -r.m[2][0];
  e[0] = trig_atan2(r.m[2][1], r.m[2][2]);
  e[1] = trig_atan2(s, sqrt(r.m[2][1] * r.m[2][1] + r.m[2][2] * r.m[2][2]));
  e[2] = trig_atan2(r.m[1][0], r.m[0][0]);
}

mat3 euler_rate_matrix(const double e[3]) {
  double sr = trig_sin(e[0]), cr = trig_cos(e[0]);
  double sp = trig_sin(e[1]), cp = trig_cos(e[1]);
  double least = 1e-6;
  if (fabs(cp) < least)
    cp = cp < 0 ? -least : least;
  double tp = sp / cp;
  return (mat3){{{1, sr * tp, cr * tp}, {0, cr, -sr}, {0, sr / cp, cr / cp}}};
}

// ------------------------------------------------------------
// sin and cos: reduction by pi/2 held in two parts (Cody and Waite 1980), then polynomials on [-pi/4, pi/4].
// atan2: the quotient of the smaller and the larger component, turned by pi/4 where it is above 7/16, then a
// polynomial on
// [-7/16, 7/16]. The polynomials are the minimax ones of fdlibm (Sun Microsystems 1993: k_sin.c, k_cos.c,
// s_atan.c), with errors below 2^-57.

static const double HALF_PI_HIGH = 1.57079632673412561417e+00; // the first 33 bits of pi/2
static const double HALF_PI_LOW = 6.07710050650619224932e-11;  // pi/2 minus those

// Below it the angle is its own sine and tangent, and its cosine is 1, to the last bit; its square could be a
// denormal.
static const double TINY = 0x1p-27;

static double polynomial_sin(double x) {
  if (fabs(x) < TINY)
    return x;
  double z = x * x, w = z * z;
  double low = TRIG_SIN_2 + z * TRIG_SIN_3, middle = TRIG_SIN_4 + z * TRIG_SIN_5;
  return x + x * z * (TRIG_SIN_1 + z * (low + w * (middle + w * TRIG_SIN_6)));
}

static double polynomial_cos(double x) {
  if (fabs(x) < TINY)
    return 1;
  double z = x * x, w = z * z;
  double low = TRIG_COS_1 + z * TRIG_COS_2, middle = TRIG_COS_3 + z * TRIG_COS_4,
         high = TRIG_COS_5 + z * TRIG_COS_6;
  return 1 - (0.5 * z - w * (low + w * (middle + w * high)));
}

// The nearest whole number, |x| < 2^51.
static double nearest(double x) {
  const double big = 6755399441055744.0;
  return (x + big) - big;
}

// Sine and cosine of the phase r + quarter pi/2; |r| <= pi/4.
struct reduced {
  double r;
  int quarter;
};

static struct reduced reduce(double x) {
  double n = nearest(x * (2 / TRIG_PI));
  return (struct reduced){(x - n * HALF_PI_HIGH) - n * HALF_PI_LOW, (int)(n - 4 * nearest(n / 4))};
}

static double sine_of(const struct reduced *phase, int quarter) {
  double size = quarter & 1 ? polynomial_cos(phase->r) : polynomial_sin(phase->r);
  return quarter & 2 ? -size : size;
}

static int has_digits(double x) { // of the phase
  return fabs(x) < 1e9;
}

double trig_sin(double x) {
  if (!has_digits(x))
    return (double)NAN;
  struct reduced phase = reduce(x);
  return sine_of(&phase, phase.quarter);
}

double trig_cos(double x) {
  if (!has_digits(x))
    return (double)NAN;
  struct reduced phase = reduce(x);
  return sine_of(&phase, phase.quarter + 1);
}

// atan x for |x| <= 7/16.
static double atan_near(double x) {
  if (fabs(x) < TINY)
    return x;
  double z = x * x, w = z * z;
  double odd = z * (3.33333333333329318027e-01 +
                    w * (1.42857142725034663711e-01 +
                         w * (9.09088713343650656196e-02 +
                              w * (6.66107313738753120669e-02 +
                                   w * (4.97687799461593236017e-02 + w * 1.62858201153657823623e-02)))));
  double even = w * (-1.99999999998764832476e-01 +
                     w * (-1.11111104054623557880e-01 +
                          w * (-7.69187620504482999495e-02 +
                               w * (-5.83357013379057348645e-02 + w * -3.65315727442169155270e-02))));
  return x - x * (odd + even);
}

double trig_atan2(double y, double x) {
  double ax = fabs(x), ay = fabs(y);
  double small = ay <= ax ? ay : ax, large = ay <= ax ? ax : ay, a;
  if (ax == 0 && ay == 0)
    return 0;
  if (small <= 0.4375 * large)
    a = atan_near(small / large);
  else
    a = TRIG_PI / 4 + atan_near((small - large) / (small + large));
  if (ay > ax)
    a = TRIG_PI / 2 - a;
  if (x < 0)
    a = TRIG_PI - a;
  return y < 0 ? -a : a;
}

double trig_wrap(double angle) {
  double turns = nearest(angle / (2 * TRIG_PI));
  double a = angle - turns * (4 * HALF_PI_HIGH) - turns * (4 * HALF_PI_LOW);
  return a <= -TRIG_PI ? a + 2 * TRIG_PI : a;
}

// ------------------------------------------------------------
struct heading heading_of(const mat3 *q) {
  double size = sqrt(q->m[0][0] * q->m[0][0] + q->m[1][0] * q->m[1][0]);
  if (!(size > 0))
    return (struct heading){.present = 0};
  return (struct heading){.present = 1, .cosine = q->m[0][0] / size, .sine = q->m[1][0] / size};
}

mat3 level_axes_of(quat attitude) {
  mat3 q = quat_matrix(attitude);
  struct heading at = heading_of(&q);
  if (!at.present)
    return (mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  mat3 level = {{{at.cosine, at.sine, 0}, {-at.sine, at.cosine, 0}, {0, 0, 1}}};
  return mat3_product(&level, &q);
}

void level_axes_from_body(const mat3 *tilt, const double in[6], double out[6]) {
  vec3_to(mat3_mul(tilt, vec3_of(in)), out);
  vec3_to(mat3_mul(tilt, vec3_of(in + 3)), out + 3);
}

void level_axes_to_body(const mat3 *tilt, const double in[6], double out[6]) {
  vec3_to(mat3_tmul(tilt, vec3_of(in)), out);
  vec3_to(mat3_tmul(tilt, vec3_of(in + 3)), out + 3);
}

void level_axes_matrix(const mat3 *tilt, const double in[6][6], double out[6][6]) {
  double half_way[6][6]; // rows: T' applied to the columns of a symmetric matrix
  for (int i = 0; i < 6; i++)
    level_axes_to_body(tilt, in[i], half_way[i]);
  for (int j = 0; j < 6; j++) {
    double column[6], turned[6];
    for (int i = 0; i < 6; i++)
      column[i] = half_way[i][j];
    level_axes_to_body(tilt, column, turned);
    for (int i = 0; i < 6; i++)
      out[i][j] = turned[i];
  }
}
