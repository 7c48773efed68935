// The energy ledger: the balance of each step, and the totals. docs/model.md, section 4. All terms come from
// the numerical scheme itself.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/base/base.h"

// Energy ports (work, positive into the system) and losses (>= 0) by kind, J. The tables define the
// enumerators, the names in files and the fields of PortWork and Dissipation (name with _j).
// The last column is the feature that a term belongs to: the hash of a session leaves out the terms of
// features that it does not have (sagbend/sim/state_hash.c).
#define PORT_TABLE(X)                                                                                        \
  X(PORT_CONTROL, control, FEATURE_always)                                                                   \
  X(PORT_LOADS, loads, FEATURE_always)                                                                       \
  X(PORT_CURRENT, current, FEATURE_always)                                                                   \
  X(PORT_MOTION, motion, FEATURE_always)                                                                     \
  X(PORT_WATER_INERTIA, water_inertia, FEATURE_always)                                                       \
  X(PORT_WIND, wind, FEATURE_always)                                                                         \
  X(PORT_WAVES, waves, FEATURE_always)                                                                       \
  X(PORT_THRUSTERS, thrusters, FEATURE_always)                                                               \
  X(PORT_ADDED_MASS, added_mass, FEATURE_always)                                                             \
  X(PORT_TENSIONER, tensioner, FEATURE_payout)                                                               \
  X(PORT_FEED, feed, FEATURE_payout)                                                                         \
  X(PORT_REMESH, remesh, FEATURE_payout)                                                                     \
  X(PORT_RETIRED, retired, FEATURE_retire)                                                                   \
  X(PORT_FLOODING, flooding, FEATURE_flooding)                                                               \
  X(PORT_PIPE_WAVES, pipe_waves, FEATURE_pipe_waves)
#define LOSS_TABLE(X)                                                                                        \
  X(LOSS_VESSEL_DAMPING, vessel_damping, FEATURE_always)                                                     \
  X(LOSS_PIPE_DRAG, pipe_drag, FEATURE_always)                                                               \
  X(LOSS_PIPE_ROTATION, pipe_rotation, FEATURE_always)                                                       \
  X(LOSS_SEABED, seabed, FEATURE_always)                                                                     \
  X(LOSS_FRICTION, friction, FEATURE_always)                                                                 \
  X(LOSS_STRUCTURAL, structural, FEATURE_always)                                                             \
  X(LOSS_LIMITER, limiter, FEATURE_always)                                                                   \
  X(LOSS_RADIATION, radiation, FEATURE_always)                                                               \
  X(LOSS_TENSIONER, tensioner, FEATURE_tensioner)                                                            \
  X(LOSS_PLASTIC, plastic, FEATURE_yield)                                                                    \
  X(LOSS_SOIL, soil, FEATURE_soil)
#define X(id, name, feature) id,
enum energy_port { PORT_TABLE(X) PORT_COUNT };
enum loss { LOSS_TABLE(X) LOSS_COUNT };
#undef X

const char *energy_port_name(enum energy_port port);
const char *loss_name(enum loss loss);

// Balance of a step: energy after - energy before = sum(work) - sum(loss) + residual. Hashed and part of
// snapshots.
struct ledger {
  double energy_j; // stored energy now
  double energy_initial_j;
  double kinetic_j; // kinetic part of energy_j
  double memory_j;  // part of energy_j in the memory of the radiation

  double work_j[PORT_COUNT]; // of the last step
  // Of the last step. Each is >= 0, except the vessel's damping under vessel.integrator sp4 and sp6. The
  // limiter's loss is the energy removed in a step that Newton's method did not solve.
  double loss_j[LOSS_COUNT];
  double residual_j; // of the last step

  double total_work_j[PORT_COUNT]; // since the start
  double total_loss_j[LOSS_COUNT];
  double total_residual_j;
  double max_abs_total_residual_j; // largest |total_residual_j| so far; NaN once it was NaN
  double max_abs_residual_j;       // largest |residual_j| so far
  double turnover_j;               // sum over all steps of |work| + loss
  double scale_j; // kinetic energy plus |potential energy| at the start, whose rounding counts
};

// Returns 1 if a ledger read from a file is a valid one. Otherwise returns 0 and fills why
// (sagbend/base/base.h).
int ledger_is_valid(const struct ledger *ledger, struct reason *why);

// Starts a ledger with these energies, J.
void ledger_start(struct ledger *ledger, double kinetic_j, double potential_j);

// Clears work and losses of the last step.
void ledger_begin_step(struct ledger *ledger) NONBLOCKING;

// Closes the balance of the step with the energies after it, and updates the totals.
void ledger_end_step(struct ledger *ledger, double kinetic_j, double potential_j) NONBLOCKING;

// Closure: max |total residual| / turnover. The denominator is at least 1e-6 scale_j, the rounding of the
// stored energies.
double ledger_closure_rel(const struct ledger *ledger) NONBLOCKING;
