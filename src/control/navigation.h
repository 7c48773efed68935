// What the controller makes of its instruments: which it believes, where the vessel is, what pulls and blows
// at it. docs/controller.md
//
// An instrument is left out while it says so itself (invalid), says nothing new (old), says the same again
// and again (frozen), or lies too far from the median of three or more of its kind or, for position and
// heading, from the prediction (rejected). Positions count by the square of their accuracy. Where no position
// is left, the prediction goes on alone: dead reckoning, by the observer's model, else by a speed log, else
// it stays where it was.
#pragma once

#include "control/observer.h"
#include "control/wind_force.h"
#include "core/base/nonblocking.h"
#include "core/signals/readings.h"

struct dp_instrument {
  char name[SIGNAL_NAME];
  enum instrument kind;
  double position_b_m[3];
  double sigma; // of a position m or heading rad; 0: its own estimate, or the observer's
  double share; // of the tension that a load cell measures
};

enum tension_fallback { TENSION_LAST, TENSION_FIXED, TENSION_NONE };

struct navigation_def {
  int count;
  struct dp_instrument instrument[MAX_INSTRUMENTS];
  // How far from the median of three or more, and for position and heading from the prediction; 0: not looked
  // at.
  double position_limit_m, heading_limit_rad, angle_limit_rad, wind_limit_mps, tension_limit_n;
  double old_s;      // without a new telegram
  double frozen_s;   // of the very same numbers while others change; 0: not looked at
  double reaccept_s; // without a position for so long, the prediction is given up for what the references
                     // say; 0: never
  enum tension_fallback fallback;                                    // where no load cell is left
  double fallback_n, fallback_inclination_rad, fallback_azimuth_rad; // azimuth from the bow
};

enum instrument_use { USE_IN_USE, USE_ABSENT, USE_INVALID, USE_OLD, USE_FROZEN, USE_REJECTED, USE_COUNT };
const char *instrument_use_name(enum instrument_use u);

struct navigation_state {
  uint64_t ready; // position and heading have been known
  double now_s;
  double eta[3], velocity_n[2], heading_rate; // without an observer; m, m, rad
  double attitude[2], attitude_rate[2];       // roll, pitch: newest
  double down_m;
  double wind_b[2];                               // smoothed velocity of the air relative to the vessel
  double tension_n, inclination_rad, azimuth_rad; // newest; azimuth from the bow
  double position_s;                              // when a position was last used
  int32_t wind_known, tension_known, angle_known;
  int32_t dead_reckoning, tension_lost; // told
  int32_t use[MAX_INSTRUMENTS];         // enum instrument_use
  int32_t fresh[MAX_INSTRUMENTS];       // a telegram that has not been used before
  uint64_t sequence[MAX_INSTRUMENTS];
  double new_s[MAX_INSTRUMENTS], changed_s[MAX_INSTRUMENTS]; // when it last came, and said something else
  double value[MAX_INSTRUMENTS][READING_CHANNELS];
  uint64_t rejected; // telegrams
  struct observer_state observer;
};

// Whether a state from a file is one that these definitions can have led to (core/base/valid.h).
int navigation_state_is_valid(const struct observer_def *observer, const struct navigation_state *s,
                              struct reason *why);

// The vessel as the controller sees it.
struct navigation {
  double position_n_m[3], euler_rad[3], velocity_n_mps[3], euler_rate_radps[3];
  double tension_n, inclination_rad, azimuth_n_rad; // of the pipe's pull; 0 without
  double wind[3];                                   // wrench of the wind: surge N, sway N, yaw N m
};

// tau: wrench of the thrusters and what acts beside them, surge, sway, yaw. 0: not known where the vessel is.
int navigation_sample(struct navigation_state *s, const struct navigation_def *def,
                      const struct observer_def *observer, const struct wind_force_def *wind,
                      const struct readings *r, const double tau[3], double time_s,
                      struct navigation *out) NONBLOCKING;

int navigation_count(const struct navigation_state *s, const struct navigation_def *def, enum instrument kind,
                     enum instrument_use use);

void navigation_position(const struct navigation_state *s, const struct observer_def *observer,
                         double position_n_m[2]);
