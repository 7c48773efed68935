// The energy ledger: docs/model.md, section 4. Each term comes from the scheme itself.
#pragma once

#include "core/base/nonblocking.h"
#include "core/base/valid.h"

// Work of the ports and losses by kind, in J. The tables make enum and names of messages and files.
#define PORT_TABLE(X)                                                                                        \
  X(PORT_CONTROL, "control")                                                                                 \
  X(PORT_LOADS, "loads")                                                                                     \
  X(PORT_CURRENT, "current")                                                                                 \
  X(PORT_MOTION, "motion")                                                                                   \
  X(PORT_WATER_INERTIA, "water_inertia")                                                                     \
  X(PORT_WIND, "wind")                                                                                       \
  X(PORT_WAVES, "waves")                                                                                     \
  X(PORT_THRUSTERS, "thrusters")                                                                             \
  X(PORT_ADDED_MASS, "added_mass")
#define LOSS_TABLE(X)                                                                                        \
  X(LOSS_VESSEL_DAMPING, "vessel_damping")                                                                   \
  X(LOSS_PIPE_DRAG, "pipe_drag")                                                                             \
  X(LOSS_PIPE_ROTATION, "pipe_rotation")                                                                     \
  X(LOSS_SEABED, "seabed")                                                                                   \
  X(LOSS_FRICTION, "friction")                                                                               \
  X(LOSS_STRUCTURAL, "structural")                                                                           \
  X(LOSS_LIMITER, "limiter")
#define X(name, text) name,
enum port { PORT_TABLE(X) PORT_COUNT };
enum loss { LOSS_TABLE(X) LOSS_COUNT };
#undef X
const char *port_name(enum port p);
const char *loss_name(enum loss l);

// One step's balance, energy1 - energy0 = sum(work) - sum(loss) + residual, and the totals since the start.
struct ledger {
  double energy_j; // stored energy now
  double energy_initial_j;
  double kinetic_j;          // energy in motion, part of energy_j
  double work_j[PORT_COUNT]; // of the last step
  double loss_j[LOSS_COUNT]; // of the last step, each >= 0 (but for the damping under vessel.integrator sp4,
                             // sp6); the limiter's is what it took at Newton's cap
  double residual_j;         // of the last step, of the scheme itself
  double total_work_j[PORT_COUNT];
  double total_loss_j[LOSS_COUNT];
  double total_residual_j;
  double max_abs_total_residual_j; // largest |total_residual_j| so far
  double max_abs_residual_j;       // largest |residual_j| so far
  double turnover_j;               // sum over steps of |work| + loss
  double scale_j; // size of the energies stored at the start, in motion and potential: their rounding counts
};

// Whether an account from a file is one (core/base/valid.h).
int ledger_is_valid(const struct ledger *l, struct reason *why);

void ledger_start(struct ledger *l, double kinetic_j, double potential_j);
void ledger_begin_step(struct ledger *l) NONBLOCKING; // clears the step's terms
void ledger_end_step(struct ledger *l, double kinetic_j, double potential_j) NONBLOCKING;

// max |sum of residuals| / sum (|work| + loss), the denominator not below the rounding of the stored
// energies.
double ledger_closure_rel(const struct ledger *l) NONBLOCKING;
