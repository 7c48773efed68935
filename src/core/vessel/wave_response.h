// The waves' force on the vessel: first order, linear in the elevation, and slow drift after Newman. Always a
// wrench, from a table by component and heading that is made at the start: of rows that are given, or of a
// box of the hull's size. docs/weather.md.
#pragma once

#include "core/env/env.h"
#include "core/env/waves.h"
#include "core/vessel/vessel.h"

enum {
  WAVE_HEADINGS = 72,
  WAVE_ROWS = 15
}; // every 5 degrees; real and imaginary parts of six, three of drift

struct wave_response {
  int present;
  int first_order, drift;
  double *table; // [heading of the vessel][row][component]
};

void wave_response_create(struct wave_response *r, const struct vessel_def *def, const struct env_def *env,
                          const struct sea *sea, struct arena *memory);

// Wrench about the reference point, b, of the waves at a time.
void wave_response_wrench(const struct wave_response *r, const struct sea *sea, double time_s,
                          const struct vessel_state *s, double wrench_b[6]);

// Transfer function of the first order for a component travelling at an angle off the bow: force = Re(t e^(i
// phase)) per metre of amplitude; and the mean drift per square metre.
void wave_transfer(const struct vessel_def *def, const struct env_def *env, double omega_radps,
                   double wavenumber_1pm, double heading_rad, double re[6], double im[6]);
void wave_drift(const struct vessel_def *def, const struct env_def *env, double omega_radps,
                double wavenumber_1pm, double heading_rad, double drift[3]);
