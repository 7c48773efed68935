// Sine and cosine of several angles at once, given in turns, from + - * only: the same bits on every machine.
// The reduction to an eighth of a turn is exact for |turns| < 2^50; Taylor series on [-pi/4, pi/4] follow,
// with errors below 1e-17. Sine and cosine of q quarter turns, q = -2..2, are polynomials in q that are exact
// there.
#pragma once

#include "core/math/lanes.h"
#include "core/math/trig.h"

// Rounds to the nearest whole numbers, |x| < 2^51.
KERNEL_INLINE void lanes_nearest(lanes *x) {
  const double big = 6755399441055744.0;
  *x = (*x + big) - big;
}

// sine and cosine of 2 pi turns.
KERNEL_INLINE void lanes_sincos_turns(const lanes *turns, lanes *sine, lanes *cosine) {
  lanes u = *turns, q = u;
  lanes_nearest(&q);
  u = u - q;
  q = 4 * u;
  lanes_nearest(&q);
  const double inverse[] = {1, // of odd factorials
                            1. / 6,
                            1. / 120,
                            1. / 5040,
                            1. / 362880,
                            1. / 39916800,
                            1. / 6227020800,
                            1. / 1307674368000,
                            1. / 355687428096000};
  lanes x = (2 * TRIG_PI) * (u - 0.25 * q), z = -(x * x), s = inverse[8] + 0 * z, c = 17 * s;
  for (int n = 7; n >= 0; n--) {
    s = inverse[n] + z * s;
    c = (2 * n + 1) * inverse[n] + z * c;
  }
  s = s * x;
  lanes qq = q * q;
  lanes quarter_sine = q * (4 - qq) * (1.0 / 3), quarter_cosine = 1 - qq * (7 - qq) * (1.0 / 6);
  *sine = quarter_sine * c + quarter_cosine * s;
  *cosine = quarter_cosine * c - quarter_sine * s;
}
