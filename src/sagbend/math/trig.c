// sin and cos: reduction by pi/2 held in two parts (Cody and Waite 1980), then polynomials on [-pi/4, pi/4].
// atan2: the quotient of the smaller and the larger component, turned by pi/4 where it is above 7/16, then a
// polynomial on
// [-7/16, 7/16]. The polynomials are the minimax ones of fdlibm (Sun Microsystems 1993: k_sin.c, k_cos.c,
// s_atan.c), with errors below 2^-57.
#include "sagbend/math/trig.h"

#include <math.h>

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
