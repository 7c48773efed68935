// log: x = 2^k m with sqrt(1/2) <= m < sqrt(2); log m = 2 artanh(s) with s = (m - 1) / (m + 1), |s| < 0.172,
// by a polynomial. exp: x = k log 2 + r with |r| < 0.35; exp r = 1 + r + r c / (2 - c) with c = r - r^2
// P(r^2), scaled by 2^k. The polynomials are the minimax ones of fdlibm (Sun Microsystems 1993: e_log.c,
// e_exp.c), with errors below 2^-58.
#include "sagbend/math/explog.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

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
