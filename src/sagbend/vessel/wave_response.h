// Wave force on the vessel: the first-order force, linear in the surface elevation, and the slow drift force
// after Newman (1974). Forces only; none prescribes motion. They come from a table by wave component and
// heading, computed at the start from given rows or from a box of the hull's size. docs/weather.md.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/env/env.h"
#include "sagbend/env/waves.h"
#include "sagbend/vessel/vessel_vessel.h"

enum {
  WAVE_HEADINGS = 72, // every 5 degrees
  WAVE_ROWS = 15      // real and imaginary parts of six first-order components, three drift components
};

// Constant during a run.
struct wave_response {
  int present;
  int first_order, drift; // 1: this part acts
  double *table;          // [heading of the vessel][row][wave component]
};

// Computes the table. It lies in memory; a memory without a block only measures.
void wave_response_create(struct wave_response *response, const struct vessel_def *def,
                          const struct env_def *env, const struct sea *sea, struct arena *memory);

// Wrench of the waves about the reference point at time_s, b, N and N m. Zero without waves, and for a vessel
// standing on end, which has no heading.
void wave_response_wrench(const struct wave_response *response, const struct sea *sea, double time_s,
                          const struct vessel_state *state, double wrench_b[6]) NONBLOCKING;

// First-order transfer function of a wave component that travels at heading_rad off the bow: the force per
// metre of amplitude is Re((re + i im) e^(i phase)), b, N/m and N m/m.
void wave_transfer(const struct vessel_def *def, const struct env_def *env, double omega_radps,
                   double wavenumber_1pm, double heading_rad, double re[6], double im[6]);

// Share of the energy of a component that the box of a vessel without drift rows reflects, 0 to 1. It does
// not depend on the heading.
double wave_reflection(const struct vessel_def *def, double wavenumber_1pm);

// Mean drift force of such a component per square metre of amplitude: surge, sway N/m2, yaw N m/m2.
// reflection: wave_reflection of its wavenumber.
void wave_drift(const struct vessel_def *def, const struct env_def *env, double omega_radps,
                double reflection, double heading_rad, double drift[3]);
