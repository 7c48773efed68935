// Inside of the DP controller, for its files.
#pragma once

#include "sagbend/dp/dp.h"
#include "sagbend/base/nonblocking.h"

enum { YAW = 5 };

// Blend from 0 at u <= 0 to 1 at u >= 1, s(u) = 10 u^3 - 15 u^4 + 6 u^5, with zero first and second
// derivative at both ends.
double dp_blend(double u) NONBLOCKING;

// Share of the approach to the set-point that has passed at time_s; 1 without approach.
double dp_approach_progress(const struct dp_state *state, const struct pid_def *def,
                            double time_s) NONBLOCKING;

// value within +-limit; limit 0: not limited.
double dp_clamp(double value, double limit) NONBLOCKING;

// ---- Sensors (dp_estimate.c) ----

// A sample without negative zeros. Protobuf does not carry them, and a controller behind the protocol has to
// compute the same bits as one inside the simulator.
struct dp_sensors dp_sensors_as_sent(const struct dp_sensors *sensors) NONBLOCKING;

int dp_sensors_are_finite(const struct dp_sensors *sensors) NONBLOCKING;

// Replaces the time of the sample by the controller's time, from which jumps of the clock are removed.
void dp_clock_follow(struct dp_clock *clock, struct dp_sensors *sensors) NONBLOCKING;

// Notes what a sample shows of the link, after dp_clock_follow.
void dp_link_follow(struct dp_link *link, const struct dp_sensors *sensors, int is_active) NONBLOCKING;

// Whether the vessel acts on no new command, although they go out.
int dp_link_is_unheard(const struct dp_link *link) NONBLOCKING;

// Replaces the sensors' values by the controller's estimate, from instruments or observer, and gives the
// wrench of the wind (surge, sway N, yaw N m). acting_b: wrench that acts, N, N m. Fails while the position
// is unknown.
enum status dp_estimate(struct dp_state *state, const struct dp_def *def, const double acting_b[6],
                        struct dp_sensors *sensors, double wind[3]) NONBLOCKING;

// What is known of pay-out and tension at this sample, after dp_estimate.
struct track_pipe dp_pipe(const struct dp_state *state, const struct dp_sensors *sensors) NONBLOCKING;

// ---- The law (dp_law.c) ----

// Errors and feed-forward of one sample.
struct law_sample {
  double error[6], error_rate[6]; // pose minus reference, n; m, rad and their rates
  double feedforward_b[6];        // N, N m
};
struct law_sample dp_law_sample(const struct dp_state *state, const struct dp_def *def,
                                const struct dp_sensors *estimate, const double wind[3]) NONBLOCKING;

// Starts the law at this sample without a jump of the wrench: acting_b is the wrench that acts, N, N m.
void dp_law_take_over(struct dp_state *state, const struct dp_def *def, const struct dp_sensors *estimate,
                      const double wind[3], const double acting_b[6]) NONBLOCKING;

// Advances the bounded integral to time_s. holds: 1: it keeps its value, because the vessel does not hear.
void dp_law_integrate(struct dp_state *state, const struct pid_def *def, double time_s, const double error[6],
                      int holds) NONBLOCKING;

// Wrench of the law, without the fading offset and without limits, b, N and N m.
void dp_law_wrench(const struct dp_state *state, const struct pid_def *def, const struct dp_sensors *estimate,
                   const struct law_sample *sample, double wrench_b[6]) NONBLOCKING;
