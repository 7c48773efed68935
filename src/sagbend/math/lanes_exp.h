// Exponential of several numbers at once, -600 <= x <= 600, from + - * and the bits of the exponent only: the
// same bits on every machine. Relative error below 1e-12.
#pragma once

#include "sagbend/math/lanes_trig.h"

KERNEL_INLINE void lanes_exp(lanes *to, const lanes *x) {
  const double magic = 6755399441055744.0 + 1023; // its last bits hold n + 1023
  const double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
  lanes n = *x * 1.4426950408889634;
  lanes_nearest(&n);
  const lanes r = (*x - n * ln2_high) - n * ln2_low;
  lanes y = 1.0 / 3628800 * r + 1.0 / 362880;
  y = y * r + 1.0 / 40320;
  y = y * r + 1.0 / 5040;
  y = y * r + 1.0 / 720;
  y = y * r + 1.0 / 120;
  y = y * r + 1.0 / 24;
  y = y * r + 1.0 / 6;
  y = y * r + 0.5;
  y = y * r + 1;
  y = y * r + 1;
  n = n + magic;
  const lane_mask exponent = (lane_mask)n << 52;
  *to = y * (lanes)exponent;
}
