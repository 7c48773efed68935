// Memory of the radiation: n oscillators of unit mass that the velocity through the water drives
// (sagbend/vessel/hydro_data.h), q' = p, p' = -W q - R p + G nu_r, with the force -G' p on the vessel. Energy
// p'p/2 + q'W q/2. Solved with the vessel by the midpoint rule of the dissipative flow; docs/model.md.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/base/base.h"
#include "sagbend/vessel/hydro_data.h"

// Constant during a run.
struct radiation {
  int count;                                       // n; 0: no memory
  double stiffness_1ps2[MAX_OSCILLATORS];          // W
  double factor[MAX_OSCILLATORS][MAX_OSCILLATORS]; // L, lower triangular: R = L L'
  double drive[MAX_OSCILLATORS][6];                // G
};

// memory: with R positive semidefinite (hydro_memory_factor).
struct radiation radiation_of(const struct hydro_memory *memory);

// What the midpoint rule over one length d needs.
struct radiation_step {
  double duration_s;                                // d
  double inverse[MAX_OSCILLATORS][MAX_OSCILLATORS]; // S = (I + d/2 R + d^2/4 W)^-1, symmetric
  double response[MAX_OSCILLATORS][6];              // d/2 S G
  double impedance[6][6];                           // d/2 G' S G = K(2/d), symmetric, >= 0
};
struct radiation_step radiation_step_of(const struct radiation *radiation, double duration_s);

// Arrays of n; hashed and part of snapshots, as part of the model's state.
struct radiation_state {
  double *q, *p;
};

// One midpoint step in progress.
struct radiation_flow {
  double p_mean[MAX_OSCILLATORS]; // of p for nu_r = 0, after radiation_end the mean of p
  double force[6];                // G' p_mean: the force on the vessel is -force - impedance nu_r
};

// Begins a midpoint step from a state.
void radiation_begin(const struct radiation *radiation, const struct radiation_step *step,
                     const struct radiation_state *state, struct radiation_flow *flow) NONBLOCKING;

// Ends it with the mean velocity through the water nu_r: advances the state, sets flow->force to minus the
// mean force on the vessel, and returns the loss, J. Exact: energy rises by d force.nu_r minus the loss.
double radiation_end(const struct radiation *radiation, const struct radiation_step *step,
                     struct radiation_state *state, struct radiation_flow *flow,
                     const double nu_r[6]) NONBLOCKING;

// Stored energy, J.
double radiation_energy_j(const struct radiation *radiation, const struct radiation_state *state) NONBLOCKING;

// Returns 1 if a state read from a file is a valid one. Otherwise returns 0 and fills why.
int radiation_state_is_valid(const struct radiation *radiation, const struct radiation_state *state,
                             struct reason *why);
