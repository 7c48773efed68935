// sin and cos: reduction by pi/2 held in two parts (Cody and Waite 1980), then Taylor series on [-pi/4, pi/4]
// with errors below 1e-19. atan: two halvings of the angle, atan x = 2 atan(x / (1 + sqrt(1 + x^2))), then
// the series for |x| < tan(pi/16).
#include "core/math/trig.h"

#include <math.h>

static const double HALF_PI_HIGH = 1.57079632673412561417e+00; // the first 33 bits of pi/2
static const double HALF_PI_LOW = 6.07710050650619224932e-11;  // pi/2 minus those

static double series_sin(double x) {
  double z = x * x;
  double s = 1;
  for (int n = 8; n >= 1; n--)
    s = 1 - s * z / (double)(2 * n * (2 * n + 1));
  return x * s;
}

static double series_cos(double x) {
  double z = x * x;
  double s = 1;
  for (int n = 9; n >= 1; n--)
    s = 1 - s * z / (double)((2 * n - 1) * 2 * n);
  return s;
}

// The nearest whole number, |x| < 2^51.
static double nearest(double x) {
  const double big = 6755399441055744.0;
  return (x + big) - big;
}

// sin(x + quarter_turns pi/2).
static double sin_shifted(double x, int quarter_turns) {
  if (!(fabs(x) < 1e9)) // no digits of the phase are left
    return (double)NAN;

  double n = nearest(x * (2 / TRIG_PI));
  double r = (x - n * HALF_PI_HIGH) - n * HALF_PI_LOW;
  int k = (int)(n - 4 * nearest(n / 4)) + quarter_turns;

  switch (k & 3) {
  case 0:
    return series_sin(r);

  case 1:
    return series_cos(r);

  case 2:
    return -series_sin(r);

  default:
    return -series_cos(r);
  }
}

double trig_sin(double x) {
  return sin_shifted(x, 0);
}
double trig_cos(double x) {
  return sin_shifted(x, 1);
}

// atan x for 0 <= x <= 1.
static double atan_unit(double x) {
  double a = x / (1 + sqrt(1 + x * x));
  double b = a / (1 + sqrt(1 + a * a));
  double z = b * b, s = 0;
  for (int n = 14; n >= 1; n--)
    s = z * (1.0 / (double)(2 * n + 1) - s);
  return 4 * (b - b * s);
}

double trig_atan2(double y, double x) {
  double ax = fabs(x), ay = fabs(y);
  if (ax == 0 && ay == 0)
    return 0;
  double a = ay <= ax ? atan_unit(ay / ax) : TRIG_PI / 2 - atan_unit(ax / ay);
  if (x < 0)
    a = TRIG_PI - a;
  return y < 0 ? -a : a;
}

double trig_wrap(double angle) {
  double turns = nearest(angle / (2 * TRIG_PI));
  double a = angle - turns * (4 * HALF_PI_HIGH) - turns * (4 * HALF_PI_LOW);
  return a <= -TRIG_PI ? a + 2 * TRIG_PI : a;
}
