// Sine and cosine of several angles at once, given in turns, from + - * only: the same bits on every machine.
// The reduction to an eighth of a turn is exact for |turns| < 2^50; the polynomials of trig.c on
// [-pi/4, pi/4] follow. Sine and cosine of q quarter turns, q = -2..2, are polynomials in q that are exact
// there.
#pragma once

#include "sagbend/math/lanes.h"
#include "sagbend/math/trig.h"

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
  lanes x = (2 * TRIG_PI) * (u - 0.25 * q), z = x * x, w = z * z;
  lanes s = (TRIG_SIN_2 + z * TRIG_SIN_3) + w * ((TRIG_SIN_4 + z * TRIG_SIN_5) + w * TRIG_SIN_6);
  lanes c =
      (TRIG_COS_1 + z * TRIG_COS_2) + w * ((TRIG_COS_3 + z * TRIG_COS_4) + w * (TRIG_COS_5 + z * TRIG_COS_6));
  s = x + x * z * (TRIG_SIN_1 + z * s);
  c = 1 - (0.5 * z - w * c);
  lanes qq = q * q;
  lanes quarter_sine = q * (4 - qq) * (1.0 / 3), quarter_cosine = 1 - qq * (7 - qq) * (1.0 / 6);
  *sine = quarter_sine * c + quarter_cosine * s;
  *cosine = quarter_cosine * c - quarter_sine * s;
}
