// Vessel and pipe as one system: hang-off, assembly of the conservative step's equations, energies.
// Unknowns: per pipe node (dr, phi); the tail holds the vessel's (dx, phi) and, for a pinned pipe, the top
// section's phi. Clamped, the last node's pose is a function of the vessel's; pinned, its position is.
#pragma once

#include "core/pipe/pipe.h"
#include "core/pipe/still.h"
#include "core/signals/pid.h"
#include "core/vessel/plant.h"
#include "core/vessel/vessel.h"
#include "core/vessel/wave_response.h"
#include "core/vessel/windage.h"

// Constant through a run (statics sets the ballast, the clamped angle and the hold wrench once).
struct model {
  struct env_def env;
  struct vessel vessel;
  struct pipe pipe; // nodes = 0: no pipe
  vec3 hangoff_b_m;
  quat hangoff_q_bt;                       // clamped: the top section's attitude in b
  double weight_compensation_n;            // dead load at the hang-off, upwards
  double top_mass_kg, top_axial_excess_kg; // of the half element at the top, wherever its inertia is counted
  vec3 top_axis_b;                         // attached: the axis of its added mass
  struct current current;
  struct wind wind;
  struct sea sea;
  struct windage windage;
  struct wave_response wave_response;
  struct pid_def pid; // continuous controller
  int pid_continuous;
  double hold_wrench_b[6]; // beside the thrusters at hold_setpoint
  struct plant_def plant;
  struct thruster_setpoint hold_setpoint[MAX_THRUSTERS];
  struct motion_def motion;        // of a moved top
  vec3 motion_home_n;              // where the statics left it
  vec3 end_force_n, end_moment_nm; // on a free top, dead loads
  struct time_profile end_profile;
};

// Everything that changes in a run and that the next step depends on.
struct model_state {
  struct vessel_state vessel;
  double pid_integral[6]; // of the continuous controller, m s and rad s
  struct plant_state plant;
  struct pipe_state pipe;
};

// Unknowns that keep their value (rows replaced by the identity): vessel's dx, dy, dz, phi x, y, z.
enum { HOLD_NONE = 0, HOLD_X = 1, HOLD_Y = 2, HOLD_Z = 4, HOLD_ROLL = 8, HOLD_PITCH = 16, HOLD_YAW = 32 };

struct model_work {
  struct pipe_work pipe;
  struct vessel_step vessel;
  struct pipe_step coefficients;
  struct blocktri matrix;
  double *rhs; // 6 chain blocks + tail: minus the balance, then the Newton correction
  int rhs_count;
  double top_diag[36], top_upper[36], top_lower[36];
  vec3 imposed_n;     // displacement of a moved top over the step
  double end_factor;  // share of the end loads in this step
  unsigned held;      // HOLD_ bits
  vec3 extra_force_n; // on the vessel's reference point, statics only
  int static_loads;   // statics only: the balance has these forces, too
  struct pipe_still still;
  int potential_only;            // statics only: the tangent is that of what has a potential
  double *mode;                  // statics only: as rhs
  double tail_balance[TAIL_MAX]; // of the tail's rows before any is held: reactions
  double largest_force_n;        // largest nodal |balance|; moments over the element length
  struct model_state saved;      // a spare copy for a step that has to be taken back
};

// A null arena block only measures.
void model_create(struct model *m, const struct vessel_def *vessel, const struct pipe_def *pipe,
                  const struct env_def *env, struct arena *memory);
// Slopes of the splines in the model's tables, once they are all there.
void model_prepare_tables(struct model *m);
void model_state_create(struct model_state *s, const struct model *m, struct arena *memory);
void model_state_copy(const struct model *m, struct model_state *to, const struct model_state *from);
void model_work_create(struct model_work *w, const struct model *m, struct arena *memory);

// What time imposes on the top in the step from time to time + step, into w: the displacement of a moved one,
// the load on a free one (at the middle of the step).
void model_set_top_boundary(const struct model *m, const struct model_state *s, struct model_work *w,
                            double time_s, double step_s);

// Displaces the nodes with a moved top, each by its share of the arc length: a guess where the equations give
// none.
void model_shift_with_top(const struct model *m, struct model_work *w);

// A moved top leaves the vessel that carried it through the statics; from then on its motion is prescribed,
// so that its half element has no inertia of its own.
void model_release_top(struct model *m, const struct model_state *s, struct model_work *w);
// Switches between a pinned and a clamped top (statics with an automatic angle starts pinned).
void model_set_top_clamped(struct model *m, struct model_work *w, int clamped);
// Once the hang-off is final: the top's half element becomes part of the vessel's inertia, its added mass
// with the axis of this state (a pinned pipe's half element then turns without turning its added mass: a
// small share of a small mass).
void model_attach_top(struct model *m, const struct model_state *s);

// The last node follows the vessel: position and velocity, and attitude if clamped.
void model_place_top(const struct model *m, struct model_state *s);

// Starts a step: directors and strains of the state, increments zero. step_s = 0: statics.
void model_begin(const struct model *m, const struct model_state *s, struct model_work *w, double step_s);
// Predicts the increments from the velocities (ballistic).
void model_predict(const struct model *m, const struct model_state *s, struct model_work *w, double step_s);
// Balance of the increments: fills rhs, tail_balance, largest_force_n.
void model_residual(const struct model *m, const struct model_state *s, struct model_work *w);
void model_tangent(const struct model *m, const struct model_state *s, struct model_work *w);
// Adds the correction in rhs, times scale, to the increments.
void model_correct(const struct model *m, struct model_work *w, double scale);
void model_commit(const struct model *m, struct model_state *s, struct model_work *w, double step_s);

// Work of what moves a moved top over the step of the last model_residual.
double model_motion_work(const struct model *m, const struct model_work *w);

// Work of the loads on a free top over the same step.
double model_end_work(const struct model *m, const struct model_work *w);

// Work of the water's added mass in Morison's form over the same step, from s at its start.
double model_added_mass_work(const struct model *m, const struct model_state *s, const struct model_work *w);

// Offset of a moved top from its home at a time.
vec3 model_motion_offset(const struct motion_def *motion, double time_s);

// Momentum of the half element that the vessel carries, n; zero where she carries none.
vec3 model_top_momentum(const struct model *m, const struct model_state *s);
// Force of what holds the top (the vessel, the imposed path, the end load) on the pipe, n, at the time of the
// state, whose strains are in w: with weight, drag and inertia of the half element at the top.
// momentum_rate_n: d(model_top_momentum)/dt. step_s: over which the path and the water's velocity are
// differentiated.
vec3 model_top_force_now(const struct model *m, const struct model_state *s, const struct model_work *w,
                         double time_s, double step_s, vec3 momentum_rate_n);

// Force of the pipe on the vessel at the hang-off, n, of the last model_residual.
vec3 model_top_force(const struct model *m, const struct model_work *w);

// Jets and the velocity of the water at each thruster, b, with positions frozen; turn: the current's at the
// time.
void model_jets(const struct model *m, const struct model_state *s, struct current_turn turn,
                struct thruster_jet *jet, vec3 *water_b);
// Wrench of all jets about the reference point, b, with the vessel moving at nu.
void model_thruster_wrench(const struct model *m, const struct thruster_jet *jet, const vec3 *water_b,
                           const double nu[6], double wrench_b[6]);
// Lets the thrusters carry what they can of a wrench that holds the vessel, from the start on; sets
// hold_setpoint, the thrusters' state and hold_wrench_b, what is left.
void model_set_hold(struct model *m, struct model_state *s, const double wrench_b[6]);

struct model_energy {
  double kinetic_j, potential_j;
};
// Also leaves w->pipe as after pipe_begin for this state.
struct model_energy model_energy_of(const struct model *m, const struct model_state *s, struct model_work *w);
