// What the DP controller makes of its instruments. Courses and headings in rad, clockwise from north. Bits as
// in sagbend/math/math.h.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/signals/signals.h"

#include <stdint.h>

// ------------------------------------------------------------
// Supervision of single instruments by the DP controller: what a vote of three cannot see, because the
// instrument is the only one of its kind, or because two of them agree for the wrong reason. An instrument is
// judged by its own measurements only, so that a sound one never suffers from one that is wrong.
// docs/controller.md.
//
//   timing     the interval between two measurements and their age, against those of its first ones
//   rate       a value against the integral of its own rate: s' = -s / T + value' - rate
//   level      a value without a rate against its slow mean
//   copies     the same numbers as another one of its kind, or as that one's measurement before
//
// Limits are a number of standard deviations (navigation.sigma_limit) that the instrument shows in service.
// A variance follows squares that are cut off at three of them: a failure raises it only slowly.

// What is wrong with an instrument although it reports valid, new measurements; a later one hides those
// before.
#define INSTRUMENT_DOUBT_TABLE(X)                                                                            \
  X(DOUBT_NONE, "beyond doubt again")                                                                        \
  X(DOUBT_LATE, "late")                                                                                      \
  X(DOUBT_SPARSE, "short of measurements")                                                                   \
  X(DOUBT_DIFFERS, "different from the others")                                                              \
  X(DOUBT_COPY, "a copy")                                                                                    \
  X(DOUBT_RANGE, "out of its range")                                                                         \
  X(DOUBT_RATE, "not in agreement with its own rate")                                                        \
  X(DOUBT_LEVEL, "far from what it showed before")
enum instrument_doubt {
#define DOUBT(id, text) id,
  INSTRUMENT_DOUBT_TABLE(DOUBT)
#undef DOUBT
      DOUBT_COUNT
};
const char *instrument_doubt_name(enum instrument_doubt doubt) NONBLOCKING;

enum { WATCH_RATES = 2, WATCH_LEVELS = 2 };

// A quantity against its mean over minutes, as it comes and smoothed over ten seconds.
struct level {
  double seen_s; // for which it has been observed
  double mean, variance, smooth, smooth_variance;
};

struct instrument_watch {
  int32_t doubt;               // enum instrument_doubt
  int32_t copy_of;             // DOUBT_COPY: which one, an index
  int32_t count;               // measurements
  int32_t repeats;             // measurements in a row with the same main value
  int32_t changes[2], same[2]; // measurements with another main value and with the same, but for long
                               // repeats; while the tensioner holds the pipe [1] or not [0]
  int32_t twin_run;            // measurements in a row that were equal to those of the twin
  int32_t twin;
  uint32_t apart;                  // bits of the instruments from which this one has been seen to differ
  int32_t held, held_changes;      // measurements while the tensioner holds the pipe, and changes among them
  double main_changed_s;           // time of the last change of its main value
  double time_s;                   // of the newest measurement
  double before[READING_CHANNELS]; // values of the measurement before
  double period_s, age_s;          // of its first measurements
  double arrival_s;                // mean time between those of them that have arrived
  double missing;                  // measurements that are missing, less those that are allowed
  double doubt_s;                  // time when the doubt was last confirmed
  double rate_seen_s, rate_sum[WATCH_RATES], rate_variance[WATCH_RATES];
  struct level level[WATCH_LEVELS];
};

int instrument_watch_is_valid(const struct instrument_watch *watch, struct reason *why);

// How far a quantity is from its level.
struct level_departure {
  int jumps;  // the value itself is beyond the limit
  int shifts; // the smoothed one is
};

// ------------------------------------------------------------
// Observer and wave filter for surge, sway and yaw: the model of Fossen and Strand (1999), Automatica 35,
// with the gains of one Kalman filter for each axis of the vessel. docs/controller.md.
//
//   eta' = R(psi) nu,   M nu' = -D nu + R'(psi) b + tau,   b' = -b / T_b + noise,
//   xi1' = xi2,   xi2' = -w0^2 xi1 - 2 zeta w0 xi2 + noise,   measured: y = eta + xi2 + noise .
//
// The controller gets eta and nu; the wave-frequency motion xi2 is left out. The gains follow from the times
// and accuracies of the actual measurements, so any sample period and any rates are possible. Without
// measurements the observer continues with its model.

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

// ------------------------------------------------------------
// Wind feed-forward: the wrench of the wind from the measured relative wind, with the coefficients of the
// vessel's configuration by the direction of the relative wind: X = q A_F CX, Y = q A_L CY, N = q A_L L CN, q
// = rho V^2 / 2. Linear between rows.

enum { MAX_WIND_FORCE_ROWS = 73 };

struct wind_force_row {
  double angle_rad; // direction from which the wind comes, clockwise from the bow
  double c[3];      // CX, CY, CN
};

struct wind_force_def {
  double frontal_area_m2, lateral_area_m2, length_m, air_density_kgpm3;
  double speed_factor; // wind speed at the height of the coefficients over that at the sensors
  double filter_s;     // time constant of the low-pass filter
  int row_count; // increasing angles from 0 to pi (mirrored) or from 0 to below 2 pi; 0: no feed-forward
  struct wind_force_row row[MAX_WIND_FORCE_ROWS];
};

// Wrench of the wind, surge, sway N, yaw N m. along_mps, across_mps: velocity of the air relative to the
// vessel, forward and to starboard.
void wind_force(const struct wind_force_def *def, double along_mps, double across_mps,
                double wrench[3]) NONBLOCKING;

// ------------------------------------------------------------
// Navigation of the controller: which instruments it uses, and the vessel's position, motion, pipe pull and
// wind that follow from them. docs/controller.md.
//
// An instrument is not used while it reports invalid data (invalid), gives no new measurement (old), repeats
// the same numbers (frozen), or differs too much from the median of three or more of its kind or, for
// position and heading, from the prediction (rejected). Positions are weighted by the inverse square of their
// accuracy. Without any position the prediction continues alone (dead reckoning): by the observer's model,
// otherwise by a speed log, otherwise at rest.

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
  int32_t payout_known, is_braked; // 1: an encoder is in use; the tensioner reports that it holds the pipe
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
