// The time step: its definition, the step itself and the ledger of its energy.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/model/model.h"
#include "sagbend/rigid/rigid.h"

// ------------------------------------------------------------
// Definition of the time integration, as a configuration gives it.
// VESSEL_STRANG: the ordinary step. The others are the exact splittings of Celledoni, Hoiseth and Ramzina
// (2018) of order 2, 4 and 6, for a vessel without a pipe.

enum vessel_integrator { VESSEL_STRANG, VESSEL_SP2, VESSEL_SP4, VESSEL_SP6 };

struct integrator_def {
  int order; // of the ordinary step: 2 or 4; 0 means 2
  enum vessel_integrator vessel;
};

// ------------------------------------------------------------
// The energy ledger: the balance of each step, and the totals. docs/model.md, section 4. All terms come from
// the numerical scheme itself.

// Energy ports (work, positive into the system) and losses (>= 0) by kind, J. The tables define the
// enumerators, the names in files and the fields of PortWork and Dissipation (name with _j).
// The last column is the feature that a term belongs to: the hash of a session leaves out the terms of
// features that it does not have (sagbend/sim/snapshot.c).
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

// ------------------------------------------------------------
// How a session is advanced: by the ordinary step of order 2, for every system; by its parts composed to
// order 4, for a vessel without a pipe; or by the exact splitting of Celledoni, Hoiseth and Ramzina (2018),
// for vessels whose equations it solves.

// Share w of the inner dissipative flows of order 4: 1/(12 y (1 - y)) with y = 1/(4 - 4^(1/3)).
#define FOURTH_ORDER_W 0.34337616326241220

// Constant during a run.
struct integrator_plan {
  int order;                          // of the ordinary step: 2 or 4
  double inertia_factor[6][6];        // Cholesky factor of the vessel's inertia, for the impulses of order 4
  const struct scheme *splitting;     // NULL: the ordinary step
  enum rigid_attitude how;            // attitude update of the splitting
  struct radiation_step radiation[2]; // of the dissipative flows: of h/2; of order 4 (1/2 - w) h and w h
  struct split_vessel vessel;
  struct split_pid pid;
};

// Checks whether def can advance this session. STATUS_BAD_INPUT: *key is the configuration key at fault and
// why the reason; otherwise STATUS_OK and *key is undefined.
enum status integrator_check(const struct integrator_def *def, const struct vessel_def *vessel,
                             const struct pipe_def *pipe, const struct env_def *env,
                             const struct pid_def *pid, const char **key, struct reason *why);

// The plan of a definition that integrator_check has accepted, for steps of step_s. The inertia of m is
// positive definite.
struct integrator_plan integrator_plan_of(const struct integrator_def *def, const struct model *m,
                                          double step_s);

// ------------------------------------------------------------
// One step of the coupled system with its ledger: D(h/2) C(h) D(h/2), or as the plan states. The thruster
// drives advance by h/4 before the first D, by h/2 before the second and by h/4 after it, so that the step
// samples their thrust symmetrically.

struct step_report {
  int iterations;     // Newton iterations of all parts
  int tangents;       // of them those with a tangent of their own, computed and factored
  int divided;        // 1: not solved as a whole; solved in parts
  int unsolved;       // 1: a part of 1/64 was not solved either; passivity was enforced
  int unresolved;     // 1: a spring or damper of the seabed in contact is too fast for the step
  int damping_gained; // 1: the damping of an exact splitting, which has parts that run backwards, made energy
  int ports_failed;   // 1: the forces of the ports were not finite; velocities kept their values
  double residual_n;  // largest unbalanced nodal force of the last part
};

// What a step is given beside the state.
struct step_input {
  double time_s, step_s; // from when, how long
  int max_iterations;    // of Newton's method
  int pid_on;            // 1: the continuous controller acts instead of the command
  double *control_b;     // [6], N and N m about the reference point, b: in: the latched command; out: the
                         // wrench that acted last
};

// Advances s by one step.
struct step_report integrator_step(const struct integrator_plan *plan, const struct model *m,
                                   struct model_state *s, struct model_work *w,
                                   const struct step_input *input, struct ledger *ledger,
                                   struct stage_clock *clock) NONBLOCKING;
