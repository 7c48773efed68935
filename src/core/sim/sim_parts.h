// The inside of struct sim, for the files of this room and for tests of the inside.
#pragma once

#include "core/base/nonblocking.h"
#include "core/integrator/step.h"
#include "core/math/dense6.h"
#include "core/pipe/extremes.h"
#include "core/sim/sim.h"

// Counters and accounts of a run: state, hashed and snapshotted. 8-byte members only.
struct sim_run {
  uint64_t step, events, fault, cap_count, divided_count, unresolved_count;
  uint64_t newton_iterations, newton_max, newton_total;
  double newton_residual_n;
  double control_b[6]; // of the last step
  // Rate of momentum of the half element at the hang-off, N: mean over the last step, and at its end.
  double top_rate_n[3], top_rate_end_n[3];
  struct ledger ledger;
};

// Whether counters and accounts from a file are those of a run that has latched no fault (core/base/valid.h).
int sim_run_is_valid(const struct sim_run *r, struct reason *why);

struct sim {
  struct sim_def def;
  struct model model;
  struct integrator_plan plan;
  struct model_state state;
  struct model_work work;
  struct sim_run run;
  struct statics_report statics;
  struct stage_clock clock;
  vec3 lay_plane_n; // horizontal unit vector from the lower end to where the statics leaves the hang-off
  struct pipe_extremes extremes; // of the state
  unsigned char *fields;         // the arrays of state.pipe, one piece
  size_t field_bytes;
};

// What outputs read beside the state: after every step, and wherever the state was set by other means.
// Strains are to be up to date (model_energy_of).
void sim_refresh(struct sim *s) NONBLOCKING;
