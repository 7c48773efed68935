// Wind over the sea: a mean that grows with height, gusts from a spectrum as a sum of sinusoids with seeded
// phases, and a slow turn. A function of time alone. docs/weather.md has formulas and sources.
#pragma once

#include "core/base/nonblocking.h"
#include "core/env/profile.h"
#include "core/math/vec3.h"

enum wind_gusts { GUSTS_NONE, GUSTS_NORSOK, GUSTS_API };
enum { WIND_GUSTS = 96 };

struct wind_def {
  int present;
  double speed_mps;     // mean over an hour at 10 m
  double direction_rad; // it comes from, clockwise from north (x)
  double turn_rad;      // amplitude of a slow sinusoidal change of the direction
  double turn_period_s;
  enum wind_gusts gusts;
  double gust_height_m; // the gusts are those at this height, everywhere
  int seed;
  double air_density_kgpm3;
  struct time_profile profile; // in time, of mean and gusts
};

struct wind {
  struct wind_def def;
  double amplitude_mps[WIND_GUSTS], frequency_hz[WIND_GUSTS], phase[WIND_GUSTS]; // phase in turns
};
struct wind wind_of(const struct wind_def *def);

// Of the air at a time; one evaluation serves all heights.
struct wind_sample {
  double factor;        // of the profile, in the gust already
  double gust_mps;      // along the mean
  double direction_rad; // it comes from
  vec3 towards_n;       // unit
};
struct wind_sample wind_at(const struct wind *w, double time_s) NONBLOCKING;

double wind_mean(const struct wind *w,
                 double height_m) NONBLOCKING; // m/s, before the profile; height above the mean sea surface
vec3 wind_velocity(const struct wind *w, const struct wind_sample *now,
                   double height_m) NONBLOCKING; // of the air, n

// Spectral densities of the gusts, (m/s)^2/Hz, one-sided, and where they are cut.
double wind_density(const struct wind_def *def, double frequency_hz);
static const double WIND_LOWEST_HZ = 1.0 / 2400, WIND_HIGHEST_HZ = 0.5;
