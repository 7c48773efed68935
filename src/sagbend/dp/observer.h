// Observer and wave filter for surge, sway and yaw: the model of Fossen and Strand (1999), Automatica 35,
// with the gains of one Kalman filter for each axis of the vessel. docs/controller.md.
//
//   eta' = R(psi) nu,   M nu' = -D nu + R'(psi) b + tau,   b' = -b / T_b + noise,
//   xi1' = xi2,   xi2' = -w0^2 xi1 - 2 zeta w0 xi2 + noise,   measured: y = eta + xi2 + noise .
//
// The controller gets eta and nu; the wave-frequency motion xi2 is left out. The gains follow from the times
// and accuracies of the actual measurements, so any sample period and any rates are possible. Without
// measurements the observer continues with its model.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/base/base.h"

#include <stdint.h>

struct observer_def {
  int present;
  double mass[3][3], damping[3][3];           // M and D of surge, sway, yaw, SI
  double wave_frequency_radps, wave_damping;  // w0, zeta
  double wave_sigma[3];                       // standard deviation of the wave-frequency motion: m, m, rad
  double force_sigma[3];                      // white noise of unmodelled forces: N, N, N m per root of 1/s
  double bias_sigma[3];                       // growth of the bias: N, N, N m per root of a second
  double bias_time_s;                         // T_b; 0: the bias does not decay
  double position_sigma_m, heading_sigma_rad; // accuracy of references that do not report their own
};

enum { OBSERVER_STATES = 5, OBSERVER_HISTORY = 64 }; // per axis: position, velocity, b / m, xi1, xi2

// Gap over which the observer predicts; what acted in a longer one is not known.
#define OBSERVER_LONGEST_GAP_S 30.0

struct observer_state {
  double eta[3];                                          // north, east m, heading rad
  double nu[3];                                           // surge, sway m/s, yaw rad/s
  double bias[3];                                         // north, east N, yaw N m
  double xi1[3], xi2[3];                                  // north, east, yaw
  double covariance[3][OBSERVER_STATES][OBSERVER_STATES]; // of surge, sway, yaw separately
  double now_s;                                           // time of the prediction
  // Past values of y, a ring, for measurements that arrive late.
  uint64_t history_count; // values ever written
  double history_s[OBSERVER_HISTORY], history_y[OBSERVER_HISTORY][3];
};

// Returns 1 if a state read from a file is a valid one. Otherwise returns 0 and fills why
// (sagbend/base/base.h). started: 1 after observer_start.
int observer_state_is_valid(const struct observer_state *observer, int started, struct reason *why);

// Starts at rest at eta (north, east m, heading rad).
void observer_start(struct observer_state *observer, const struct observer_def *def, const double eta[3],
                    double time_s) NONBLOCKING;

// Predicts to time_s under the wrench tau (surge, sway N, yaw N m). Does nothing if time_s is not later.
void observer_predict(struct observer_state *observer, const struct observer_def *def, const double tau[3],
                      double time_s) NONBLOCKING;

// Position and heading with the wave-frequency motion, y = eta + xi2, at a past or the present time.
void observer_measured_at(const struct observer_state *observer, double time_s, double y[3]) NONBLOCKING;

// Corrects the state with the difference of a measurement from observer_measured_at the time of measurement.
// sigma: standard deviation of the measurement.
void observer_correct_position(struct observer_state *observer, const struct observer_def *def,
                               const double off_n_m[2], double sigma_m) NONBLOCKING;
// The same for an error that is an ellipse: north-north, north-east, east-east, m2.
void observer_correct_fix(struct observer_state *observer, const struct observer_def *def,
                          const double off_n_m[2], const double covariance_m2[3]) NONBLOCKING;
void observer_correct_heading(struct observer_state *observer, const struct observer_def *def, double off_rad,
                              double sigma_rad) NONBLOCKING;

// Writes the present y to the history. Call after the corrections of a sample.
void observer_remember(struct observer_state *observer, double time_s) NONBLOCKING;
