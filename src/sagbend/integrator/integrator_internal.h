// Inside of the dissipative flow of the vessel, for dissipative.c and the files of its terms.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/integrator/dissipative.h"
#include "sagbend/math/level_axes.h"

// Drag on the half element of the pipe at the hang-off, which moves with the vessel (top_drag.c).
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

// Drag on the half element at the top of the state s, in this half step.
struct top_drag top_drag_of(const struct model *m, const struct model_state *s,
                            const struct current_span *span, const struct half_step *half) NONBLOCKING;

// The midpoint equations matrix nu_m = rhs of a flow; of the symmetric matrix the lower triangle.
struct midpoint {
  double matrix[6][6], rhs[6];
};

// Adds what does not depend on the velocity: accelerating water and rotational damping. half: h / 2.
void top_drag_begin(const struct top_drag *drag, double half, struct midpoint *to) NONBLOCKING;

// Adds the drag with the quadratic coefficients of the velocity guess.
void top_drag_assemble(const struct top_drag *drag, const double guess[6], double half,
                       struct midpoint *to) NONBLOCKING;

// Adds losses and work of the drag over h to the ledger: the coefficients are those of guess, the velocity is
// nu_m.
void top_drag_book(const struct top_drag *drag, const double guess[6], const double nu_m[6], double h,
                   struct ledger *ledger) NONBLOCKING;

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
  // Of a vessel with memory (dissipative_radiation.c).
  struct radiation_flow radiation;            // in level axes with the heading of the vessel
  double radiation_force[6], impedance[6][6]; // the force is -radiation_force - impedance nu_r, in b
  int outer_count;
  struct outer_force outer[MAX_OUTER];
  struct thruster_jet jet[MAX_THRUSTERS];
  vec3 jet_water_b[MAX_THRUSTERS];
};

// The memory of the radiation: begins its step, adds its force to the midpoint equations, ends the step with
// the mean velocity and books it.
void dissipative_radiation_begin(struct vessel_flow *flow) NONBLOCKING;
void dissipative_radiation_add(const struct vessel_flow *flow, double half, struct midpoint *to) NONBLOCKING;
void dissipative_radiation_end(struct vessel_flow *flow, struct model_state *s, const double nu_m[6],
                               struct ledger *ledger) NONBLOCKING;

// Collects the outer forces of the flow (outer_forces.c). Returns the wrench of the control port, which the
// caller sets; it is zero until then.
double *outer_forces_collect(struct vessel_flow *flow, const struct current_span *span) NONBLOCKING;

// Evaluates all outer forces for the velocity guess and sums them in flow->force.
void outer_forces_sum(struct vessel_flow *flow, const double guess[6]) NONBLOCKING;

// Adds the work of all outer forces over the flow to the ledger.
void outer_forces_book(const struct vessel_flow *flow, const double nu_m[6],
                       struct ledger *ledger) NONBLOCKING;

// Sets the damping of the continuous controller in flow and its constant wrench about the reference point, b.
// Its integral in s advances by the whole flow (continuous_pid.c).
void continuous_pid_terms(struct model_state *s, struct vessel_flow *flow, double wrench_b[6]) NONBLOCKING;
