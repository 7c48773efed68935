// Navigation of the controller: which instruments it uses, and the vessel's position, motion, pipe pull and
// wind that follow from them. docs/controller.md.
//
// An instrument is not used while it reports invalid data (invalid), gives no new measurement (old), repeats
// the same numbers (frozen), or differs too much from the median of three or more of its kind or, for
// position and heading, from the prediction (rejected). Positions are weighted by the inverse square of their
// accuracy. Without any position the prediction continues alone (dead reckoning): by the observer's model,
// otherwise by a speed log, otherwise at rest.
#pragma once

#include "sagbend/dp/instrument_watch.h"
#include "sagbend/dp/observer.h"
#include "sagbend/dp/wind_force.h"
#include "sagbend/base/nonblocking.h"
#include "sagbend/signals/readings.h"

// An instrument as the DP file describes it.
struct dp_instrument {
  char name[SIGNAL_NAME];
  enum instrument kind;
  double position_b_m[3];
  double sigma;     // of a position, or of a range, m; 0: its own estimate, otherwise the observer's
  double sigma_rad; // of a heading, a bearing or a wire's angle; 0: the observer's, otherwise the usual one
  char principle_name[SIGNAL_NAME];
  int principle; // number of its principle of measurement, from 0; of a position
  int has_target;
  double target_m[3]; // n, of the target that a reference measures against
  double calibrate_s; // without a known target: time in which the estimate finds it
  double share;       // share of the tension that a load cell measures
};

// Tension without a usable load cell: the last one, a fixed one, or zero.
enum tension_fallback { TENSION_LAST, TENSION_FIXED, TENSION_NONE };

struct navigation_def {
  int count;
  struct dp_instrument instrument[MAX_INSTRUMENTS];
  // Largest difference from the median of three or more instruments and, for position and heading, from the
  // prediction; 0: not checked.
  double position_limit_m, heading_limit_rad, angle_limit_rad, wind_limit_mps, tension_limit_n;
  double old_s;        // time without a new measurement after which an instrument is old
  double frozen_s;     // time with the same numbers, while others change, until it is frozen; 0: not checked
  double reaccept_s;   // after this time without a position the prediction yields to the references; 0: never
  int principle_count; // of those that give positions; 0: receivers only, which vote among each other
  double weight_limit; // share of the weight that a principle has at most
  double lost_s, proof_s; // a reference that was out for longer than lost_s counts after agreeing for proof_s
  double sigma_limit;     // standard deviations beyond which a single instrument is doubted; 0: no such test
  enum tension_fallback fallback;
  double fallback_n, fallback_inclination_rad, fallback_azimuth_rad; // azimuth clockwise from the bow
};

// Status of an instrument.
enum instrument_use { USE_IN_USE, USE_ABSENT, USE_INVALID, USE_OLD, USE_FROZEN, USE_REJECTED, USE_COUNT };
const char *instrument_use_name(enum instrument_use use);

// A reference with principles.
struct reference_use {
  double target_m[2], calibrated_s; // the target found so far, and for how long it has been looked for
  double counted_s, proof_from_s;   // time when it last counted; since when it agrees
  int64_t is_proving;
};
int reference_is_position(enum instrument kind) NONBLOCKING; // whether a kind gives a position
int reference_use_is_valid(const struct reference_use *state, struct reason *why);

// A position reference beside the estimate.
struct reference_note {
  double residual_b_m[2]; // of its newest fix from the prediction: forward, starboard
  double weight;          // its share of the weight of all fixes; 0: it is not in use
  int64_t known;          // 1: residual_b_m is that of a fix of what it measures now
};
int reference_note_is_valid(const struct reference_note *note, struct reason *why);

struct navigation_state {
  uint64_t ready; // 1: position and heading have been known
  double now_s;   // time of the latest sample
  // Without an observer: north, east m, heading rad; their rates.
  double eta[3], velocity_n[2], heading_rate;
  double attitude[2], attitude_rate[2]; // latest roll, pitch
  double down_m;                        // latest depth of the reference point
  double wind_b[2];                     // filtered velocity of the air relative to the vessel, b, m/s
  double tension_n, inclination_rad, azimuth_rad; // latest pull of the pipe; azimuth clockwise from the bow
  double position_s;                              // time when a position was last used
  double heading_s; // time when a gyro was last in use, or too far from the prediction
  int32_t wind_known, tension_known, angle_known; // 1: measured at least once
  int32_t dead_reckoning;                         // 1: no position in use
  int32_t tension_lost;                           // 1: no load cell in use
  int32_t payout_known, is_braked; // 1: an encoder is in use; the tensioner says that it holds the pipe
  double paid_out_m;               // latest, by the encoders

  int32_t is_blind; // 1: no fix since a gap of the samples over which nothing can be predicted

  // Per instrument.
  int32_t use[MAX_INSTRUMENTS];   // enum instrument_use
  int32_t fresh[MAX_INSTRUMENTS]; // 1: a measurement that has not been used before
  uint64_t sequence[MAX_INSTRUMENTS];
  double new_s[MAX_INSTRUMENTS],
      changed_s[MAX_INSTRUMENTS]; // time of the last measurement, of the last change
  double value[MAX_INSTRUMENTS][READING_CHANNELS];
  struct instrument_watch watch[MAX_INSTRUMENTS];
  struct reference_use reference[MAX_INSTRUMENTS];
  struct reference_note note[MAX_INSTRUMENTS];
  double differ_s;   // last time when two principles did not differ
  uint64_t rejected; // number of measurements rejected
  struct observer_state observer;
};

// Returns 1 if a state read from a file is possible under this definition. Otherwise returns 0 and fills why
// (sagbend/base/base.h).
int navigation_state_is_valid(const struct observer_def *observer, const struct navigation_state *state,
                              struct reason *why);

// The vessel as the controller sees it.
struct navigation {
  double position_n_m[3], euler_rad[3], velocity_n_mps[3], euler_rate_radps[3];
  double tension_n, inclination_rad,
      azimuth_n_rad; // pull of the pipe, azimuth clockwise from north; 0 without
  double wind[3];    // wrench of the wind: surge, sway N, yaw N m
};

// Computes the navigation for a sample. tau: wrench of the thrusters and of what acts beside them, surge,
// sway N, yaw N m. A time that is not later than the last one gives the last result. Returns STATUS_OK, or
// STATUS_BAD_INPUT while position and heading are not known yet; then out is not set.
enum status navigation_sample(struct navigation_state *state, const struct navigation_def *def,
                              const struct observer_def *observer, const struct wind_force_def *wind,
                              const struct readings *readings, const double tau[3], double time_s,
                              struct navigation *out) NONBLOCKING;

// Number of instruments of a kind with this status.
int navigation_instrument_count(const struct navigation_state *state, const struct navigation_def *def,
                                enum instrument kind, enum instrument_use use) NONBLOCKING;

// Present estimate of north and east, m.
void navigation_position(const struct navigation_state *state, const struct observer_def *observer,
                         double position_n_m[2]) NONBLOCKING;
