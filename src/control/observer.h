// Wave filter and observer of surge, sway and yaw: the model of Fossen and Strand (Automatica 35, 1999), with
// the gains of a Kalman filter for each axis of the vessel. docs/controller.md
//
//   eta' = R(psi) nu,   M nu' = -D nu + R'(psi) b + tau,   b' = -b / T_b + noise,
//   xi1' = xi2,   xi2' = -w0^2 xi1 - 2 zeta w0 xi2 + noise,   measured: y = eta + xi2 + noise .
//
// The controller gets eta and nu: the motion with the waves, xi2, is left out. Gains follow from when and how
// accurately references really came, so any sample period and any rates will do; without references it goes
// on by its model.
#pragma once

#include "core/base/nonblocking.h"
#include "core/base/valid.h"

#include <stdint.h>

struct observer_def {
  int present;
  double mass[3][3], damping[3][3];          // M and D of surge, sway, yaw, SI
  double wave_frequency_radps, wave_damping; // w0, zeta
  double wave_sigma[3];                      // of the motion with the waves: m, m, rad
  double force_sigma[3]; // of what the model leaves out, white: N, N, N m over the root of a second
  double bias_sigma[3];  // growth of the bias: N, N, N m per root of a second
  double bias_time_s;    // T_b; 0: it does not fade
  double position_sigma_m, heading_sigma_rad; // of a reference that does not say
};

enum { OBSERVER_STATES = 5, OBSERVER_HISTORY = 64 }; // p, v, b / m, xi1, xi2

struct observer_state {
  double eta[3];                                          // m, m, rad
  double nu[3];                                           // body
  double bias[3];                                         // N (north, east), N m
  double xi1[3], xi2[3];                                  // north, east, yaw
  double covariance[3][OBSERVER_STATES][OBSERVER_STATES]; // of surge, sway, yaw by themselves
  double now_s;                                           // to which it is predicted
  uint64_t history_count;                                 // y in the past, for measurements that come late
  double history_s[OBSERVER_HISTORY], history_y[OBSERVER_HISTORY][3];
};

// Whether a state from a file is one that observer_start and the rest can have left (core/base/valid.h);
// started: it has begun.
int observer_state_is_valid(const struct observer_state *o, int started, struct reason *why);

void observer_start(struct observer_state *o, const struct observer_def *def, const double eta[3],
                    double time_s) NONBLOCKING;

// On to this time, this wrench (surge, sway, yaw) acting.
void observer_predict(struct observer_state *o, const struct observer_def *def, const double tau[3],
                      double time_s) NONBLOCKING;

// Position and heading with the waves at a time that has passed.
void observer_measured_at(const struct observer_state *o, double time_s, double y[3]) NONBLOCKING;

// A measurement minus observer_measured_at its time.
void observer_correct_position(struct observer_state *o, const struct observer_def *def,
                               const double off_n_m[2], double sigma_m) NONBLOCKING;
void observer_correct_heading(struct observer_state *o, const struct observer_def *def, double off_rad,
                              double sigma_rad) NONBLOCKING;

// After the corrections of a sample.
void observer_remember(struct observer_state *o, double time_s) NONBLOCKING;
