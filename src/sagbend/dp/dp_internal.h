// Inside of the DP controller, for its files.
#pragma once

#include "sagbend/dp/dp.h"

#include "sagbend/base/base.h"

enum { YAW = 5 };

// Blend from 0 at u <= 0 to 1 at u >= 1, s(u) = 10 u^3 - 15 u^4 + 6 u^5, with zero first and second
// derivative at both ends.
double dp_blend(double u) NONBLOCKING;

// ---- Sensors (dp_alarms.c) ----

// Notes what a sample shows of the link, after dp_clock_follow.
void dp_link_follow(struct dp_link *link, const struct dp_sensors *sensors, int is_active) NONBLOCKING;

// Whether the vessel acts on no new command, although they go out.
int dp_link_is_unheard(const struct dp_link *link) NONBLOCKING;

// ---- The law (dp.c) ----

// Errors and feed-forward of one sample.
struct law_sample {
  double error[6], error_rate[6]; // pose minus reference, n; m, rad and their rates
  double feedforward_b[6];        // N, N m
};
