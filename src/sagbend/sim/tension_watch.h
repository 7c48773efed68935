// Whether the tension at the hang-off alternates: its deviation from the mean of its neighbours,
//   d(n) = T(n) - (T(n-1) + T(n+1))/2,
// exceeds 0.1 % of the mean tension and changes its sign in each of ten steps, and it has not fallen to half
// of its largest value meanwhile. A motion that the step resolves does not do so, and what a shock leaves
// decays. The energy ledger cannot show it: it closes for any motion.
#pragma once

#include "sagbend/base/nonblocking.h"

#include <stdint.h>

enum {
  TENSION_ALTERNATIONS = 10,
  TENSION_START = 100 // steps that are not judged: a state that is not at rest may begin with a vibration
};

// 8-byte members only; zero at the start, and always where the length of the pipe is constant.
struct tension_watch {
  uint64_t steps;        // so far, up to TENSION_START
  double tension_n[2];   // of the last step and of the one before
  double deviation_n;    // d of the step before, N
  uint64_t alternations; // deviations in a row beyond the limit, each of another sign than the one before
  double largest_n;      // magnitude of the largest of them, N
};

// Takes the tension after a step. Returns 1 if it alternates. A mean tension below least_n > 0 counts as
// least_n: a slack pipe has no tension of which to take a share.
int tension_watch_step(struct tension_watch *watch, double tension_n, double least_n) NONBLOCKING;
