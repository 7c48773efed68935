// A sea of long- or short-crested waves: sinusoids with seeded phases, a function of place and time alone.
// docs/weather.md has formulas and sources.
#pragma once

#include "core/base/arena.h"
#include "core/base/nonblocking.h"
#include "core/env/profile.h"

enum waves_spectrum { WAVES_JONSWAP, WAVES_REGULAR };
enum { MAX_WAVES = 256 };

struct waves_def {
  int present;
  enum waves_spectrum spectrum;
  double height_m;      // significant; of a regular wave from trough to crest
  double period_s;      // of the peak; of the regular wave
  double gamma;         // peakedness
  double direction_rad; // the waves come from, clockwise from north (x)
  double spreading;     // s of cos^2s(angle/2); 0: all from one direction
  int components;
  int seed;
  struct time_profile profile; // in time, of the amplitude
};

// Component k raises the surface by amplitude cos 2 pi (frequency t - k_north x - k_east y + phase). Arrays
// of count, a multiple of the lanes; those beyond the components have no amplitude.
struct sea {
  int count;                                  // 0: no waves
  double *amplitude_m, *frequency_hz, *phase; // phase in turns
  double *k_north, *k_east;                   // turns per metre
  double *omega_radps, *wavenumber_1pm;       // the same frequency and wave number in radians
  double *direction_rad;                      // it goes to
  struct time_profile profile;
};
void sea_create(struct sea *s, const struct waves_def *def, double gravity_mps2, double depth_m,
                struct arena *memory);

// All components at a place and time, with the profile: amplitude times cosine and sine of the phase; the
// elevation is the sum of the cosines. Arrays of count.
void sea_phasors(const struct sea *s, double time_s, double x_n_m, double y_n_m, double cosine[],
                 double sine[]) NONBLOCKING;

double sea_elevation(const struct sea *s, double time_s, double x_n_m,
                     double y_n_m) NONBLOCKING; // m, upwards

// JONSWAP's density of the elevation, m2/(rad/s), one-sided, scaled so that its variance is height^2/16.
double waves_density(const struct waves_def *def, double omega_radps);
// Where it is cut, as multiples of the peak's frequency.
static const double WAVES_LOWEST = 0.4, WAVES_HIGHEST = 12;
