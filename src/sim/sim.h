// The core's one public header: create, step, output, snapshot, restore, hash. No operating system, no I/O.
// Frames and signs: docs/model.md. SI units, radians. Everything is deterministic: same definition, same inputs,
// same build: same bits.
#pragma once

#include "base/status.h"
#include "control/pid.h"
#include "env/env.h"
#include "pipe/pipe_def.h"
#include "vessel/vessel_def.h"

#include <stddef.h>
#include <stdint.h>

enum controller_kind { CONTROLLER_NONE, CONTROLLER_CONTINUOUS, CONTROLLER_SAMPLED, CONTROLLER_EXTERNAL };
enum ballast_kind { BALLAST_NONE, BALLAST_PIPE };
enum statics_kind { STATICS_HORIZONTAL_FORCE, STATICS_HANGOFF_POSITION };

struct statics_def {
  enum statics_kind kind;
  double horizontal_force_n;   // H, pulling the top along the lay azimuth
  double hangoff_position_m[2]; // x, y
  enum ballast_kind ballast;   // BALLAST_PIPE: a dead load at the hang-off carries the pipe's static vertical force
};

struct sim_def {
  double step_s;
  int newton_max_iterations; // cap in a step
  struct env_def env;
  struct vessel_def vessel;
  struct pipe_def pipe;
  struct statics_def statics;
  enum controller_kind controller;
  struct pid_def pid;          // CONTROLLER_CONTINUOUS only
  int hold_balances_statics;   // hold wrench = what holds the static equilibrium
  double hold_wrench_b[6];     // otherwise this
};

// Work of the ports and dissipation by kind, in J. The tables make enum and JSON/CSV names.
#define PORT_TABLE(X) X(PORT_CONTROL, "control") X(PORT_LOADS, "loads") X(PORT_CURRENT, "current")
#define LOSS_TABLE(X)                                                                                        \
  X(LOSS_VESSEL_DAMPING, "vessel_damping")                                                                   \
  X(LOSS_PIPE_DRAG, "pipe_drag")                                                                             \
  X(LOSS_PIPE_ROTATION, "pipe_rotation")                                                                     \
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
  double energy_j;                 // stored energy now
  double energy_initial_j;
  double kinetic_j;                // energy in motion, part of energy_j
  double work_j[PORT_COUNT];       // of the last step
  double loss_j[LOSS_COUNT];       // of the last step, each >= 0
  double residual_j;               // of the last step, of the scheme itself
  double total_work_j[PORT_COUNT];
  double total_loss_j[LOSS_COUNT];
  double total_residual_j;
  double max_abs_total_residual_j; // largest |total_residual_j| so far
  double max_abs_residual_j;       // largest |residual_j| so far
  double turnover_j;               // sum over steps of |work| + loss
};
double ledger_closure_rel(const struct ledger *l); // docs/model.md, section 4

// Latched events, bits of sim_output.events; the table makes enum and names.
#define EVENT_TABLE(X)                                                                                       \
  X(EVENT_NEWTON_CAP, "newton_cap", "Newton stopped at its cap; velocities were scaled to keep passivity")   \
  X(EVENT_LARGE_BEND, "large_bend", "more than 30 degrees between neighbouring pipe nodes")                  \
  X(EVENT_NOT_FINITE, "not_finite", "the state is not finite; the simulation has latched a fault")
#define X(name, text, help) name,
enum sim_event { EVENT_TABLE(X) EVENT_COUNT };
#undef X
const char *sim_event_name(int event);
const char *sim_event_text(int event);

#define STAGE_TABLE(X) X(STAGE_DISSIPATIVE, "dissipative") X(STAGE_ASSEMBLE, "assemble") X(STAGE_SOLVE, "solve") X(STAGE_LEDGER, "ledger")
#define X(name, text) name,
enum sim_stage { STAGE_TABLE(X) STAGE_COUNT };
#undef X
const char *sim_stage_name(int stage);

struct sim_output {
  uint64_t step;            // steps done
  double time_s;            // step * step_s
  double position_n_m[3];   // vessel reference point
  double quaternion_nb[4];  // Hamilton, scalar first
  double euler_rad[3];      // roll, pitch, yaw of the same
  double velocity_n_mps[3]; // of the reference point
  double velocity_b[6];     // nu: m/s, rad/s
  double euler_rate_radps[3];
  double control_wrench_b[6]; // applied in the last step (before the first: what will be held)
  int has_pipe;
  double hangoff_tension_n;   // axial force in the last element
  double hangoff_angle_rad;   // of the section at the top, from horizontal
  double hangoff_force_n_n[3]; // of the pipe on the vessel, world frame
  double hangoff_position_n_m[3];
  double touchdown_n_m[3];    // where the contact force ends; NaN without contact
  double touchdown_s_m;       // arc length S there; NaN without contact
  double layback_m;           // horizontal distance hang-off to touchdown; NaN without contact
  double max_curvature_1pm;
  double max_curvature_s_m;   // arc length S of the element's middle
  double max_moment_nm;       // bending moment there
  uint32_t events;            // bits latched since the start
  int newton_iterations;      // of the last step
  int newton_max;             // since the start
  double newton_mean;
  double newton_residual_n;   // largest nodal residual of the last step
  uint64_t cap_count;         // steps that ended at the cap
  int fault;                  // latched: the state no longer advances
};

struct sim; // const model, state and workspace in one caller-owned block

// Bytes that sim_create needs for this definition; 0 if the definition is not valid (see why).
size_t sim_memsize(const struct sim_def *def, struct reason *why);

// Lays out the simulator in mem (64-byte aligned) and solves the statics. *out is valid only with STATUS_OK.
enum status sim_create(const struct sim_def *def, void *mem, size_t size, struct sim **out, struct reason *why);

struct statics_report {
  int iterations;
  double residual_n;        // largest unbalanced nodal force (moments over the element length)
  double horizontal_force_n; // H found or given
  double ballast_n;
  double hold_wrench_b[6];  // body wrench that holds the vessel
};
const struct statics_report *sim_statics(const struct sim *s);

// Advances one step with this body wrench held through the step (NULL: the hold wrench).
void sim_step(struct sim *s, const double control_wrench_b[6]);

void sim_get_output(const struct sim *s, struct sim_output *out);
const struct ledger *sim_ledger(const struct sim *s);

int sim_node_count(const struct sim *s); // 0 without pipe
void sim_get_nodes(const struct sim *s, double (*position_n_m)[3], double (*quaternion_nt)[4]); // either may be NULL

// State in and out: everything the next steps depend on. The hash is over the same bytes.
size_t sim_snapshot_size(const struct sim *s);
void sim_snapshot(const struct sim *s, void *buffer);
enum status sim_restore(struct sim *s, const void *buffer, size_t size, struct reason *why);
uint64_t sim_hash(const struct sim *s);

// Optional stage times: the caller's clock, in ns; numerics never see it.
void sim_set_clock(struct sim *s, uint64_t (*now_ns)(void));
void sim_stage_times_ns(const struct sim *s, uint64_t stage_ns[STAGE_COUNT]); // of the last step
