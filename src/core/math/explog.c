// log: x = 2^k m with sqrt(1/2) <= m < sqrt(2); log m = 2 artanh(s) with s = (m - 1) / (m + 1), |s| < 0.172,
// by its odd series. exp: x = k log 2 + r with |r| < 0.35; Taylor series in r, scaled by 2^k.
#include "core/math/explog.h"

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

  double s = (m - 1) / (m + 1), z = s * s, sum = 0;

  for (int n = 11; n >= 1; n--)
    sum = z * (1.0 / (double)(2 * n + 1) + sum);

  return k * LOG2_HIGH + (2 * s + (2 * s * sum + k * LOG2_LOW));
}

double explog_exp(double x) {
  if (!(x <= 709.782712893384)) // also NaN, which is returned
    return x > 0 ? (double)INFINITY : x;

  if (x < -746)
    return 0;

  const double big = 6755399441055744.0;
  double n = (x * 1.44269504088896340736 + big) - big;
  double r = (x - n * LOG2_HIGH) - n * LOG2_LOW, sum = 0;

  for (int i = 14; i >= 2; i--)
    sum = r / i * (1 + sum);

  int k = (int)n, half = k / 2;

  return (1 + (r + r * sum)) * power_of_two(half) * power_of_two(k - half);
}
