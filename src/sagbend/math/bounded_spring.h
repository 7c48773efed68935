// A spring of stiffness k that slips, as friction does: its elongation s is bounded by |s| <= c. Over a step
// that moves its end by x,
//   s1 = s0 + x - slip,   force F = k (s0 + s1)/2,   F x = k (s1^2 - s0^2)/2 + F slip.
// The loss F slip is >= 0, with one exception: the bound has shrunk below |s0| and the end has turned back
// through the other bound within the step. What happens then is the caller's.
#pragma once

#include <math.h>

struct slip {
  double end, mean, loss; // s1, F, F slip
  double way;             // beyond the bound, >= 0
  int sign;               // 0: the spring sticks; +1 or -1: the bound at which it slips
};

static inline struct slip bounded_spring(double k, double bound, double start, double free) { // free: s0 + x
  struct slip slip = {.end = free};
  if (slip.end > bound)
    slip = (struct slip){.end = bound, .sign = 1};
  else if (slip.end < -bound)
    slip = (struct slip){.end = -bound, .sign = -1};
  slip.way = fabs(free - slip.end);
  slip.mean = 0.5 * k * (start + slip.end);
  slip.loss = slip.sign ? slip.mean * (free - slip.end) : 0;
  return slip;
}
