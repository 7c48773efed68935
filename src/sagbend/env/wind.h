// Wind over the sea: a mean speed that grows with height, gusts as a sum of sinusoids with seeded phases, and
// a slow oscillation of the direction. A function of time alone. docs/weather.md gives formulas and sources.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/env/profile.h"
#include "sagbend/math/math.h"

enum wind_gusts { GUSTS_NONE, GUSTS_NORSOK, GUSTS_API };
enum { WIND_GUSTS = 96 };

struct wind_def {
  int present;          // 0: no wind
  double speed_mps;     // mean over an hour at 10 m height
  double direction_rad; // from which the wind comes, clockwise from north
  double turn_rad;      // amplitude of the sinusoidal change of direction
  double turn_period_s; // of that change
  enum wind_gusts gusts;
  double gust_height_m; // height above the sea at which the gusts are realised; they act at every height
  int seed;             // of the gusts
  double air_density_kgpm3;
  struct time_profile profile; // factor of mean and gusts in time
};

// Wind with its gusts realised.
struct wind {
  struct wind_def def;
  double amplitude_mps[WIND_GUSTS], frequency_hz[WIND_GUSTS];
  double phase[WIND_GUSTS]; // turns
};

struct wind wind_of(const struct wind_def *def);

// The wind at a time, for any height.
struct wind_sample {
  double factor;        // of the profile; gust_mps contains it
  double gust_mps;      // along the mean wind
  double direction_rad; // from which the wind comes, clockwise from north
  vec3 towards_n;       // unit vector in which the air moves
};

struct wind_sample wind_at(const struct wind *wind, double time_s) NONBLOCKING;

// Mean speed at a height above the mean sea surface, m/s, without profile and gusts.
double wind_mean(const struct wind *wind, double height_m) NONBLOCKING;

// Velocity of the air at a height above the mean sea surface, m/s in n.
vec3 wind_velocity(const struct wind *wind, const struct wind_sample *sample, double height_m) NONBLOCKING;

// Spectral density of the gusts at gust_height_m, one-sided, (m/s)^2/Hz.
double wind_density(const struct wind_def *def, double frequency_hz);

// Range of frequencies of the gusts.
static const double WIND_LOWEST_HZ = 1.0 / 2400, WIND_HIGHEST_HZ = 0.5;
