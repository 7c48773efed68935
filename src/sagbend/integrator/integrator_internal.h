// C: the conservative part of a step, one energy-momentum step of vessel, pipe, hydrostatics, weight and
// seabed, solved by Newton's method. docs/model.md, section 5.
#pragma once

#include "sagbend/integrator/integrator.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"
#include "sagbend/model/model.h"

// Losses inside C, J, all >= 0.
struct conservative_loss {
  double structural_j, friction_j, plastic_j;
};

struct newton_report {
  int iterations;
  int tangents;      // computed and factored; the other iterations have kept one
  int converged;     // 1: to the tolerance, or to rounding
  double residual_n; // largest unbalanced nodal force
  struct conservative_loss loss;
};

// Solves for the increments of one step of length step_s from s and leaves them in w; s does not change.
// with_history: the iteration starts from a prediction that continues the steps before, of the same length.
// If Newton's method does not converge within max_iterations, w holds the last iterate: the caller restores
// passivity.
struct newton_report conservative_solve(const struct model *m, const struct model_state *s,
                                        struct model_work *w, double step_s, int with_history,
                                        int max_iterations, struct stage_clock *clock) NONBLOCKING;

// ------------------------------------------------------------
// D: the dissipative part of a step. It changes velocities only, with positions frozen: drag, damping, and
// the energy ports of control, loads, wind, waves, current and thrusters. docs/model.md, section 5.

// What acts in one D. The ports are sampled at time_s.
struct half_step {
  double duration_s, time_s;
  int second; // 1: the pipe's parts act in reverse order, which makes this D the adjoint of the first
  double control_b[6];                    // in: latched command; out: mean wrench of the control port, N, N m
  int pid_on;                             // 1: the continuous controller acts instead of the command
  const struct radiation_step *radiation; // for this duration; not used by a vessel without memory
  int impulses_apart; // 1: forces that do not depend on the velocity (command, loads, waves) act elsewhere
};

// Advances the velocities in s and adds the flow's work and losses to the ledger's step. STATUS_SINGULAR: the
// vessel's velocities could not be found, for instance because the forces are not finite; they do not change.
enum status dissipative_flow(const struct model *m, struct model_state *s, struct half_step *half,
                             struct ledger *ledger) NONBLOCKING;

// ------------------------------------------------------------
// Inside of the dissipative flow of the vessel (dissipative.c).

// Drag on the half element of the pipe at the hang-off, which moves with the vessel (dissipative.c).
struct top_drag {
  int present;
  double map[3][6];               // P: nu -> velocity of the hang-off in the section frame
  double water[3];                // u: velocity of the water in the section frame, m/s
  double push[3];                 // W du / h: force of accelerating water, section frame, N
  double waves[3], waves_push[3]; // the part of the waves in them
  double transverse, axial;       // N per (m/s)^2
  double turn[3][6];              // clamped: nu -> angular velocity in the section frame; otherwise zero
  double turn_damping[3];         // N m per rad/s
};

// The midpoint equations matrix nu_m = rhs of a flow; of the symmetric matrix the lower triangle.
struct midpoint {
  double matrix[6][6], rhs[6];
};

struct vessel_flow;

// A wrench on the vessel about the reference point, b, that depends on the vessel's velocity nu.
typedef void force_at(const struct vessel_flow *flow, const double nu[6], double wrench_b[6]) NONBLOCKING;

// One outer force. Its work is booked to its port with the wrench that the last solve used.
struct outer_force {
  enum energy_port port; // PORT_COUNT: it does no work
  force_at *at;          // evaluated for the guess of each iteration; NULL: constant
  double wrench_b[6];
};
enum { MAX_OUTER = 8 };

// One dissipative flow of the vessel.
struct vessel_flow {
  const struct model *m;
  const struct model_state *s;
  const struct half_step *half;
  double h;
  double nu0[6];              // velocity at the start
  struct midpoint fixed;      // the part of the equations that no guess changes
  double force[6];            // sum of the outer forces
  double pid_damping[6][6];   // J' Kd J of the continuous controller
  const double (*damping)[6]; // linear damping in b: that of the vessel, or turned_damping
  double turned_damping[6][6];
  mat3 tilt; // from b to level axes with the vessel's heading, for what linear theory knows in these axes
  struct top_drag top;
  vec3 air_b_mps;    // wind at the height of the wind coefficients
  double water_b[6]; // current at the surface if damping is relative to it, otherwise zero
  // Of a vessel with memory (dissipative.c).
  struct radiation_flow radiation;            // in level axes with the heading of the vessel
  double radiation_force[6], impedance[6][6]; // the force is -radiation_force - impedance nu_r, in b
  int outer_count;
  struct outer_force outer[MAX_OUTER];
  struct thruster_jet jet[MAX_THRUSTERS];
  vec3 jet_water_b[MAX_THRUSTERS];
};

// ------------------------------------------------------------
// Inside of a step: its parts, for the files that compose them.

// A step in progress.
struct step_run {
  const struct model *m;
  struct model_state *s;
  struct model_work *w;
  int with_history; // 1: one C a step, of constant length, so that its prediction may continue the last ones
  const struct step_input *input;
  struct ledger *ledger;
  struct stage_clock *clock;
  struct step_report report;
};

// C(h), or, if Newton's method does not solve it, C(h/4) four times, each of them likewise divided, down to
// h/64. Without a pipe step_s may be negative.
void conservative_flow(struct step_run *run, double time_s, double step_s) NONBLOCKING;

// A whole step of order 4 (conservative.c).
void fourth_order_step(struct step_run *run, const struct integrator_plan *plan) NONBLOCKING;

// Energy terms of one C for the ledger, J (conservative.c); 0 for ports and losses that C does not have.
// Those of the tensioner, the tally and the seabed follow from the commit.
struct conservative_terms {
  double work_j[PORT_COUNT];
  double loss_j[LOSS_COUNT];
  double feed_moving_j; // part of work_j[PORT_FEED]: what the velocities of the fed material bring
};

// Applies the increments in w to the state and sets in terms what follows from it.
void conservative_commit(const struct model *m, struct model_state *s, struct model_work *w, double step_s,
                         struct conservative_terms *terms) NONBLOCKING;

// Terms of the increments in w with the losses given; without what follows from the commit.
struct conservative_terms conservative_terms_of(const struct model *m, const struct model_state *s,
                                                const struct model_work *w,
                                                const struct conservative_loss *loss) NONBLOCKING;

// Commits increments that Newton's method did not solve, without making energy.
void passivity_commit(const struct model *m, struct model_state *s, struct model_work *w, double step_s,
                      struct conservative_terms *terms, struct ledger *ledger) NONBLOCKING;
