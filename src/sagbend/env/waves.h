// Long- or short-crested waves as a sum of sinusoids with seeded phases: a function of place and time alone.
// docs/weather.md gives formulas and sources.
#pragma once

#include "sagbend/base/arena.h"
#include "sagbend/base/nonblocking.h"
#include "sagbend/env/profile.h"

enum waves_spectrum { WAVES_JONSWAP, WAVES_REGULAR };
enum { MAX_WAVES = 256 };

// The motion of the water between trough and crest (sagbend/env/sea_field.h).
enum waves_stretching { STRETCH_WHEELER, STRETCH_CONSTANT };

struct waves_def {
  int present; // 0: no waves
  enum waves_spectrum spectrum;
  double height_m;      // significant wave height; of a regular wave from trough to crest
  double period_s;      // of the spectral peak; of the regular wave
  double gamma;         // peak enhancement factor
  double direction_rad; // from which the waves come, clockwise from north
  double spreading;     // s in cos^2s(angle/2); 0: all waves from one direction
  int components;       // of an irregular sea
  int seed;             // of phases, frequencies and directions
  int on_pipe;          // 1: they act on the pipe as well
  enum waves_stretching stretching;
  struct time_profile profile; // factor of the amplitude in time
};

// Component k raises the surface by amplitude cos 2 pi (frequency t - k_north x - k_east y + phase). Arrays
// of count; elements beyond the components have amplitude 0.
struct sea {
  int count; // components, rounded up to a multiple of LANES; 0: no waves
  double *amplitude_m, *frequency_hz;
  double *phase;                        // turns
  double *k_north, *k_east;             // wave number, turns per metre
  double *omega_radps, *wavenumber_1pm; // the same frequency and wave number, rad/s and rad/m
  double *direction_rad;                // in which the component travels, clockwise from north
  struct time_profile profile;
};

// Takes memory and realises the sea in water of this depth; only measures with an arena that measures.
void sea_create(struct sea *sea, const struct waves_def *def, double gravity_mps2, double depth_m,
                struct arena *memory);

// Amplitude times cosine and sine of the phase of every component at a place and time, m, with the profile;
// arrays of count. The elevation is the sum of the cosines.
void sea_phasors(const struct sea *sea, double time_s, double x_n_m, double y_n_m, double cosine[],
                 double sine[]) NONBLOCKING;

// The same of the first components only, rounded up to a multiple of LANES, with this factor instead of the
// profile.
void sea_some_phasors(const struct sea *sea, int components, double factor, double time_s, double x_n_m,
                      double y_n_m, double cosine[], double sine[]) NONBLOCKING;

// Elevation of the surface at a place and time, m, upwards.
double sea_elevation(const struct sea *sea, double time_s, double x_n_m, double y_n_m) NONBLOCKING;

// Wave number in water of this depth, rad/m: k tanh(k d) = omega^2/g.
double waves_wavenumber(double omega_radps, double gravity_mps2, double depth_m);

// Range of the spectrum as multiples of the peak frequency.
static const double WAVES_LOWEST = 0.4, WAVES_HIGHEST = 12;
