// Vessel and pipe coupled; the statics.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/growing/growing.h"
#include "sagbend/pipe/pipe.h"
#include "sagbend/pipeline/pipeline.h"
#include "sagbend/signals/signals.h"
#include "sagbend/stations/stations.h"
#include "sagbend/stinger/stinger.h"
#include "sagbend/thrusters/thrusters.h"
#include "sagbend/vessel/vessel.h"

// ------------------------------------------------------------
// Forces on a pipe at rest beyond those of a conservative step: friction with its history, and the steady
// drag of a current. For statics only: all increments are 0.

enum pipe_ground {
  GROUND_SMOOTH,  // the reaction of the ground is along its normal
  GROUND_BEARING, // the reaction is vertical: the ground carries the weight of a pipe that is being laid, and
                  // no force acts along the pipe
  GROUND_FRICTION // friction, with the elongations in the state
};

struct pipe_static_loads {
  enum pipe_ground ground;
  const struct current *current; // NULL: still water
  struct current_turn turn;      // of the current
};

// ------------------------------------------------------------
// Vessel and pipe as one system: hang-off, equations of the conservative step, boundary conditions of the
// top, energies. docs/model.md.
//
// Unknowns of a step: (dr, phi) of each pipe node, then a tail with (dx, phi) of the vessel and, for a pinned
// pipe, phi of the top node, and with a tensioner that obeys a law the length of the top element. The top
// node's position follows the vessel; if it is clamped, its attitude too.
//
// Conventions in this room: m is the model, s the state, w the workspace. World frame n: x north, y east,
// z down; body frame b of the vessel; section frame t of a pipe node, t1 along the axis. SI units.

// Constant during a run, after the statics has set the weight compensation, the clamped angle, the axis of
// the top and what holds the vessel.
struct model {
  struct env_def env;
  struct vessel vessel;
  struct pipe pipe;

  vec3 hangoff_b_m;
  quat hangoff_home_bt;         // clamped: attitude of the top section in b, in the statics
  double weight_compensation_n; // constant upward force on the vessel at the hang-off
  vec3 top_axis_b;              // attached top: axis of its added mass

  struct current current;
  struct wind wind;
  struct sea sea;
  struct sea_field field; // the water that it moves; empty without waves on the pipe
  struct windage windage;
  struct wave_response wave_response;

  struct pid_def pid; // continuous controller
  int pid_continuous; // 1: it acts
  struct plant_def plant;
  struct thruster_setpoint hold_setpoint[MAX_THRUSTERS]; // set-points that hold the vessel at the start
  double initial_holding_force_b[6];                     // wrench that holds it beside those thrusters

  struct payout_def payout;       // programme of the tensioner; acts if pipe.tally is present
  struct tensioner_def tensioner; // the law of the tensioner acts if there are orders
  struct motion_def motion;       // prescribed motion of a moved top
  vec3 motion_home_n;             // position of the hang-off at zero offset
  struct tower_def tower;         // turn of a clamped top (sagbend/lay/lay.h)
  struct operations_def operations;
  vec3 end_force_n, end_moment_nm; // constant loads on a free top
  struct time_profile end_profile; // factor on those loads in time

  int roller_count; // of a stinger
  struct roller roller[MAX_ROLLERS];
};

// What follows from the model and the state: it is never read from a file, and mesh_follow makes it anew
// (sagbend/lay/lay.h).
struct mesh {
  struct pipe_mesh pipe;       // nodes = 0: no pipe
  double vessel_inertia[6][6]; // of the vessel with the half element at the top that it carries
  quat hangoff_q_bt;           // clamped: attitude of the top section in b
  double tower_rad;            // turn of the clamp since the statics
  double top_mass_kg;          // of the half element at the top, wherever its inertia is counted
  double top_axial_excess_kg;  // mass of the half element along the axis minus mass across it
  struct stations stations;    // with waves on the pipe: the motion of the water at its nodes
};

// The vessel's part of what the last steps leave for the prediction of the next one (sagbend/pipe/step.c).
// 8-byte members only.
struct prediction_state {
  uint64_t
      steps; // in a row that were solved as a whole, at most MOST_PREDICTION_STEPS: how many of beyond_n hold
  double beyond_n[PREDICTION_STEPS][6]; // as that of the pipe
};

// Why a tensioner brakes for good: no element is left, the store of laid pipe has no node to return.
enum payout_stop { PAYOUT_RUNS, PAYOUT_TALLY_ENDED, PAYOUT_STORE_EMPTY, PAYOUT_STOP_COUNT };

// Pay-out and recovery. Zero without a tally. 8-byte members only.
struct payout_state {
  uint64_t elements;                  // of the pipe
  double top_m;                       // length of the top element
  double paid_m, speed_mps;           // since the start, negative where pipe was recovered; now
  uint64_t stopped;                   // enum payout_stop: the tensioner brakes or has braked
  double stop_time_s, stop_speed_mps; // when and from which speed it began to brake
  uint64_t splits, merges;            // of the top element
  double top_velocity_n[3];           // of the hang-off at the end of the last step
  double steepness;                   // value of pipe_tally since the mesh changed
};

// The tensioner with a law. Its speed is that of payout_state. Zero without one.
// 8-byte members only.
struct tensioner_state {
  uint64_t orders;              // of the programme that have been due so far
  uint64_t source, ordered;     // of the order in force: enum tensioner_source, enum tensioner_mode
  double tension_n, speed_mps;  // set-points of the order
  double brake_lost, grip_lost; // faults: struct tensioner_switches
  uint64_t runs_away;
  double runaway_mps;
  uint64_t mode;    // enum tensioner_mode, in effect
  uint64_t slips;   // 1: mode tension, but the grip holds less than the set-point: it holds by friction
  double stretch_m; // of the grip
  double set_n;     // ramped set-point of the tension
  double track_mps; // speed of the tracks in the mode speed
  double holding_n; // mean force over the last step
  double beyond_m[PREDICTION_STEPS]; // change of length beyond that of constant speed in the last steps
};

// A node of laid pipe as it retired. Doubles only.
struct laid_node {
  double time_s, arc_m;
  double r_n[3], q_nt[4];
  double friction_elongation_m[2], slip_m[2]; // as in pipe_state
  double tension_n;                           // effective tension of the element above it
};

// Retiring laid pipe (sagbend/lay/lay.h). Zero without it. 8-byte members only.
struct retire_state {
  uint64_t capacity;  // nodes that the store holds
  uint64_t retired;   // nodes that have retired and not returned: the number of node 0
  uint64_t stored;    // of these those in the store
  uint64_t exhausted; // 1: a node should have returned that the store no longer had
  uint64_t slipped;   // steps in which the node above a lower end of retired pipe slipped
  double arc_m;       // arc length of node 0
};

// Water in the pipe (sagbend/lay/lay.h). Zero while it is dry. 8-byte members only.
struct flooding_state {
  uint64_t begun;      // 1: water has come in; the place is set
  uint64_t first, end; // numbers of the elements, as in struct pipe_flood
  double share;        // of their bore that is full at the end of the last step
  double applied;      // mean over the last step, with which the pipe's masses are
  double rate_per_s;   // at which the share grows now
};

// Operations of a lay (sagbend/lay/lay.h). Zero without them. 8-byte members only.
struct operations_state {
  uint64_t count;    // of the definition
  uint64_t current;  // the present one; count: all have ended
  uint64_t moved;    // of its moves those that have ended
  uint64_t resting;  // 1: at rest after a move
  uint64_t limited;  // 1: in this step the tracks come to rest within left_m
  uint64_t held;     // 1: an order from outside is in force
  uint64_t overdue;  // 1: it takes longer than its limit
  double since_s;    // time that it has been on
  double rest_s;     // of this rest
  double left_m;     // way of the tracks to the end of this move
  double from_m;     // length paid out as it began
  double from_n;     // force of the tensioner as it began
  double way_m;      // of the hang-off along the route, now
  double from_way_m; // as it began
  double turned_rad; // of the tower as it began
};

// Waves on the pipe (sagbend/pipe/pipe.h): what changes is part of the state of the pipe. Zero without them.
struct pipe_waves_state {
  uint64_t components; // of the sea, padded
};

// The features of a lay: name, and the member of its state NAME_state that is 0 where it is absent. A row
// makes the member NAME of the state and of snapshots, copy, restore, the call of NAME_is_valid, and its part
// of the hash of the state where it is present (sagbend/sim/snapshot.c).
#define FEATURE_TABLE(X)                                                                                     \
  X(payout, elements)                                                                                        \
  X(tensioner, orders)                                                                                       \
  X(retire, capacity)                                                                                        \
  X(flooding, begun)                                                                                         \
  X(operations, count)                                                                                       \
  X(power, present)                                                                                          \
  X(pipe_waves, components)
#define X(name, present) FEATURE_##name,
// FEATURE_always: of every session. FEATURE_yield, FEATURE_soil: bending beyond yield and soil, whose state
// is that of the pipe. Each is a bit of the hash of the state: a new row comes last.
enum feature { FEATURE_always, FEATURE_yield, FEATURE_TABLE(X) FEATURE_soil = 32, FEATURE_fatigue };
#undef X

// Everything that changes during a run and on which the next step depends, with the mesh that follows from
// it.
struct model_state {
  struct vessel_state vessel;
  struct radiation_state radiation;
  double pid_integral[6]; // of the continuous controller, m s and rad s
  struct plant_state plant;
  struct prediction_state prediction;
#define X(name, present) struct name##_state name;
  FEATURE_TABLE(X)
#undef X
  struct pipe_state pipe;
  struct laid_node *laid;   // store of retired nodes: a ring of retire.capacity
  double *laid_plastic_1pm; // of each of them, where pipe yields: pipe_state.plastic_1pm of the element above
  double *laid_soil_m;      // of each of them, on soil: pipe_state.soil_m and, where it softens, remoulded
  double *roller_elongation_m; // [roller_count]: of the friction springs of the rollers

  struct mesh mesh; // neither hashed nor part of snapshots
};

// Bits of model_work.held: unknowns of the vessel that keep their value (dx, dy, dz, phi x, y, z). Their rows
// are replaced by the identity.
enum { HOLD_NONE = 0, HOLD_X = 1, HOLD_Y = 2, HOLD_Z = 4, HOLD_ROLL = 8, HOLD_PITCH = 16, HOLD_YAW = 32 };

// A roller and the nodes over it, in a step.
struct roller_window {
  struct roller roller;
  int is_open; // 1: some nodes lie over it
  int first;   // the lowest one
  struct roller_step step;
  struct roller_poses poses;
  struct roller_passage passage;
  struct roller_grip grip; // of the last model_residual
  struct roller_tangent tangent;
};

struct model_work {
  struct pipe_work pipe;
  struct vessel_step vessel;
  struct pipe_step coefficients;
  struct blocktri matrix;
  double *rhs; // 6 per chain node, then the tail: minus the balance, after the solve the Newton correction
  int rhs_count;
  double top_diag[36], top_upper[36], top_lower[36]; // blocks of the top node
  double tail_balance[TAIL_MAX];                     // balance of the tail before rows are held: reactions
  double largest_force_n; // largest nodal |balance|; moments are divided by the element length
  unsigned held;          // HOLD_ bits

  vec3 imposed_n;              // displacement of a moved top over the step, m
  double end_factor;           // factor on the end loads in this step
  struct pipe_top_load lumped; // of the top element: the lengths whose masses such a step works with
  double payout_end_time_s;    // end of the step in which the length may change

  // With growth.is_unknown: the tensioner over the step, its set-point and track speed at the end, and what
  // it gives in the last model_residual.
  struct tensioner_step tensioner;
  double tensioner_end_set_n, tensioner_end_track_mps;
  struct tensioner_force tensioner_force;

  struct roller_window *roller;          // [roller_count]
  vec3 roller_force_n, roller_moment_nm; // of all rollers on the vessel in the last model_residual, n

  // Statics only.
  double rollers_lowered_m; // along the vessel's z axis
  vec3 extra_force_n;       // force on the vessel's reference point
  int has_static_loads;     // 1: the balance includes static_loads
  struct pipe_static_loads static_loads;
  int potential_only; // 1: the tangent contains only terms that have a potential
  double *mode;       // mode of the stability check, laid out as rhs

  struct model_state saved; // copy for a step that has to be repeated
};

// ---- Creation ----
// What the statics have found for another model of the same definition: weight compensation, top, hold.
void model_take_statics(struct model *m, const struct model *from);

// All of these place their arrays in memory; a memory without a block only measures.

void model_create(struct model *m, const struct vessel_def *vessel, const struct pipe_def *pipe,
                  const struct env_def *env, struct arena *memory);
void model_mesh_create(struct mesh *mesh, const struct model *m, const struct pipe_def *pipe,
                       struct arena *memory);
void model_state_create(struct model_state *s, const struct model *m, struct arena *memory);
void model_work_create(struct model_work *w, const struct model *m, const struct pipe_def *pipe,
                       const struct model_state *s, struct arena *memory);

// Computes the spline slopes of all tables. Call once, when all tables are set.
void model_prepare_tables(struct model *m);

// Whether the stations of a state from a file are such as this model has (conventions: sagbend/base/base.h).
int pipe_waves_is_valid(const struct model *m, const struct model_state *s, struct reason *why);

// Copies everything but the plant and the sums of the stations, which a step that is repeated does not
// change.
void model_state_copy(const struct model *m, struct model_state *to,
                      const struct model_state *from) NONBLOCKING;

// Adapts the number of unknowns in w to how the top is attached.
void model_work_resize(const struct mesh *mesh, struct model_work *w) NONBLOCKING;

// ---- The top of the pipe (model.c) ----

// Switches between a pinned and a clamped top.
void model_set_top_clamped(struct model_state *s, struct model_work *w, int clamped);

// Detaches a moved top from the vessel, which carried it during the statics. Its motion is prescribed from
// then on, so its half element has no inertia of its own.
void model_release_top(struct model *m, struct model_state *s, struct model_work *w);

// Adds the half element at the top to the vessel's inertia. Call once the hang-off is final. The added mass
// keeps the axis of this state: the half element of a pinned pipe turns without it, a small share of a small
// mass.
void model_attach_top(struct model *m, struct model_state *s);

// Lets vessel or moved top carry the half element as it is now, after its length has changed.
void model_carry_top(const struct model *m, struct mesh *mesh) NONBLOCKING;

// Sets the top node from the vessel: position and velocity, if clamped also attitude and angular velocity.
void model_place_top(const struct model *m, struct model_state *s) NONBLOCKING;

// Offset of a moved top from its home at time_s, n, m.
vec3 model_motion_offset(const struct motion_def *motion, double time_s) NONBLOCKING;

// Sets the boundary condition of the top for the step from time_s to time_s + step_s in w: the displacement
// of a moved top, the load factor of a free one at the middle of the step.
void model_set_top_boundary(const struct model *m, const struct model_state *s, struct model_work *w,
                            double time_s, double step_s) NONBLOCKING;

// Displaces all nodes with a moved top, in proportion to their arc length: a guess for a step without a
// solution.
void model_shift_with_top(const struct mesh *mesh, struct model_work *w) NONBLOCKING;

// ---- A conservative step (assembly.c) ----

// Starts a step: directors and strains of the state, increments zero. step_s = 0: statics.
void model_begin(const struct model *m, const struct model_state *s, struct model_work *w,
                 double step_s) NONBLOCKING;

// Predicts the increments from the velocities; with_history: and from what the last steps added to them.
void model_predict(const struct model_state *s, struct model_work *w, double step_s,
                   int with_history) NONBLOCKING;

// Both together, for a state whose poses have not changed since the last model_energy_of or model_commit:
// what the energies have laid out is not laid out again.
void model_begin_predicted(const struct model *m, const struct model_state *s, struct model_work *w,
                           double step_s, int with_history) NONBLOCKING;

// Keeps the increments in w of a solved step for the next prediction. Call before model_commit.
void model_remember(struct model_state *s, const struct model_work *w, double step_s) NONBLOCKING;

// Whether a prediction_state from a file is one that a run can have (conventions: sagbend/base/base.h).
int model_prediction_is_valid(const struct prediction_state *prediction, struct reason *why);

// Computes the balance of the increments: fills rhs, tail_balance and largest_force_n (NaN if the balance is
// not finite).
void model_residual(const struct model *m, const struct model_state *s, struct model_work *w) NONBLOCKING;

// Computes the tangent of the balance: fills matrix.
void model_tangent(const struct model *m, const struct model_state *s, struct model_work *w) NONBLOCKING;

// Adds scale times the correction in rhs to the increments.
void model_correct(const struct mesh *mesh, struct model_work *w, double scale) NONBLOCKING;

// Applies the increments to the state. step_s = 0: poses only (statics).
void model_commit(const struct model *m, struct model_state *s, struct model_work *w,
                  double step_s) NONBLOCKING;

// Work over the step of the last model_residual, J, positive into the system: of the prescribed motion of a
// moved top, of the loads on a free top, and of the water's added mass in Morison's form (s: the state at the
// start of the step).
double model_motion_work(const struct model_state *s, const struct model_work *w) NONBLOCKING;
double model_end_load_work(const struct model *m, const struct model_state *s,
                           const struct model_work *w) NONBLOCKING;
double model_added_mass_work(const struct model_state *s, const struct model_work *w) NONBLOCKING;

struct model_energy {
  double kinetic_j, potential_j; // potential_j includes memory_j
  double memory_j;               // of the radiation
};

// Energy of the state. Leaves w->pipe as after pipe_begin for this state.
struct model_energy model_energy_of(const struct model *m, const struct model_state *s,
                                    struct model_work *w) NONBLOCKING;

// ---- Force at the top (assembly.c) ----

// Force of the pipe on the vessel at the hang-off in the last model_residual, n, N.
vec3 model_force_on_vessel(const struct model_state *s, const struct model_work *w);

// Momentum of the half element at the top, which the vessel carries, n, kg m/s; zero if it carries none.
vec3 model_top_momentum(const struct model *m, const struct model_state *s) NONBLOCKING;

// Force on the pipe from what holds its top (vessel, prescribed motion or end load) at time_s, n, N. It
// includes weight, drag and inertia of the half element at the top. The strains of s have to be in w.
// momentum_rate_n: d(model_top_momentum)/dt. step_s: interval over which the prescribed motion and the
// water's velocity are differentiated.
vec3 model_force_on_top(const struct model *m, const struct model_state *s, const struct model_work *w,
                        double time_s, double step_s, vec3 momentum_rate_n) NONBLOCKING;

// Drag on the half element at the top and force of accelerating water, n, N.
vec3 model_top_water_force(const struct model *m, const struct model_state *s, double time_s,
                           double step_s) NONBLOCKING;

// Rate of momentum of the half element of a moved top, n, N.
vec3 model_moved_momentum_rate(const struct model *m, const struct model_state *s, double time_s,
                               double step_s) NONBLOCKING;

// ---- Thrusters (model.c) ----

// Jet of each thruster, and velocity of the water there (b, m/s) for the current of turn. The vessel's
// position and attitude are those of s.
void model_thruster_jets(const struct model *m, const struct model_state *s, struct current_turn turn,
                         struct thruster_jet *jet, vec3 *water_b) NONBLOCKING;

// Wrench of all jets about the reference point for the vessel's velocity nu, b, N and N m.
void model_thruster_wrench(const struct model *m, const struct thruster_jet *jet, const vec3 *water_b,
                           const double nu[6], double wrench_b[6]) NONBLOCKING;

// Wrench of the thrusters that run steadily at these set-points, with still water everywhere. Limits of the
// range hold; forbidden zones, start-up times and power do not.
void model_static_wrench(const struct model *m, const struct thruster_setpoint *setpoint,
                         double wrench_b[6]) NONBLOCKING;

// Distributes the wrench that holds the vessel over the thrusters at time 0. Sets hold_setpoint, the plant's
// state and, for what the thrusters do not give, initial_holding_force_b.
void model_set_hold(struct model *m, struct model_state *s, const double wrench_b[6]);

// Whether the power plant's state from a file is one that a run can have (conventions: sagbend/base/base.h).
int power_is_valid(const struct model *m, const struct model_state *s, struct reason *why);

// ------------------------------------------------------------
// Statics: the equilibrium of pipe and vessel, found on the equations of the dynamics with all increments
// zero and without inertia.

// What the equilibrium is found for.
enum statics_kind {
  STATICS_HORIZONTAL_FORCE, // a given horizontal force on the vessel
  STATICS_HANGOFF_POSITION  // a given horizontal position of the hang-off
};

// COMPENSATE_PIPE: a constant upward force at the hang-off carries the pipe's static vertical force, so that
// the vessel floats level.
enum weight_compensation { COMPENSATE_NONE, COMPENSATE_PIPE };

enum statics_current { CURRENT_INITIAL, CURRENT_NONE }; // the current of time 0, or still water
enum statics_friction { FRICTION_LAID, FRICTION_NONE }; // seabed friction holds the pipe as laid, or none

// An unstable equilibrium: the statics fail, or continue downhill to a stable one.
enum statics_unstable { UNSTABLE_REFUSE, UNSTABLE_LEAVE };

struct statics_def {
  enum statics_kind kind;
  double horizontal_force_n;    // on the vessel, along the lay azimuth
  double hangoff_position_m[2]; // x, y, n
  enum weight_compensation weight_compensation;
  enum statics_current current;
  enum statics_friction friction;
  enum statics_unstable unstable;
};

// A mode of small motions about an equilibrium.
struct statics_mode {
  double least_1ps2; // generalised eigenvalue, stiffness over mass; negative: grows as exp(sqrt(-least) t)
  double s_m;        // arc length where it moves most
  enum { MODE_AXIAL, MODE_LATERAL, MODE_VERTICAL, MODE_VESSEL } kind;
  double tension_n;                          // effective tension at s_m
  double least_tension_n, least_tension_s_m; // least effective tension of the pipe, and its arc length
};

struct statics_report {
  int iterations;
  double residual_n;            // largest unbalanced nodal force; moments are divided by the element length
  double tolerance_n;           // largest allowed value of residual_n
  double horizontal_force_n;    // on the vessel along the lay azimuth, given or found
  double weight_compensation_n; // upward force at the hang-off
  double initial_holding_force_b[6]; // wrench that holds the vessel, N, N m about the reference point
  int stability_checked; // 0 for a pipe that nothing holds, or whose free top carries a moment (no potential)
  int stable;            // to small disturbances in space; friction that does not slip holds
  struct statics_mode softest;     // if stability_checked: the mode of least stiffness
  int unstable_left;               // number of unstable equilibria found and left
  struct statics_mode left;        // softest mode of the first of them
  int with_friction, with_current; // 1: taken into account
  double slipping_m;               // length of pipe on the seabed whose friction slips
  double dry_m;                    // length of pipe above the still water level
};

// Finds the equilibrium and leaves it in s with the velocities as given. Sets the model's weight
// compensation, clamped angle and, by model_attach_top, its inertia. On failure the state is not an
// equilibrium, and why gives the stage and the reason. A model without pipe is left as it is.
enum status statics_solve(struct model *m, const struct pipe_def *pipe, const struct statics_def *def,
                          struct model_state *s, struct model_work *w, struct statics_report *report,
                          struct reason *why);

// ------------------------------------------------------------
// The mesh of a pipe of which only the number of elements is given: short elements where the pipe touches
// down and may come to touch down, growing away from there. With equal ones the touchdown makes most of the
// error of tension, moment and touchdown (docs/model-pipe.md). A function of the definition alone, by
// arithmetic and the project's own functions only, because its bits enter the equilibrium.

// Where the pipe touches down, by a catenary on a plane, while the top is where the statics have it, moves as
// imposed on it, heaves by half the significant height of waves, or is 3 % of its height nearer or further.
// A pipe with bending stiffness touches down about bend_m before its catenary.
struct touchdown {
  double from_m, to_m; // arc lengths
  double tension_n;    // horizontal
  double bend_m;       // sqrt(EI/T) there
};

// top_z_m: depth of the hang-off. 0: no touchdown can be foreseen, as without a seabed, on bathymetry, for a
// pipe that floats, whose upper end is free, or that is too taut to touch down.
int touchdown_foresee(const struct pipe_def *pipe, const struct env_def *env,
                      const struct statics_def *statics, double top_z_m, struct touchdown *out);

// Divides the pipe into its number of elements by that touchdown. Leaves it with equal ones where none can be
// foreseen, where the pipe is paid out, because then touchdown moves along it, and over a stinger, whose
// rollers need their own.
void graded_mesh(struct pipe_def *pipe, const struct env_def *env, const struct statics_def *statics,
                 double top_z_m);

// ------------------------------------------------------------
// Iteration to a static equilibrium, for the files of the statics and verification.

// The equilibrium in search: the state s of model m moves towards it; w is the workspace.
struct equilibrium {
  struct model *m;
  struct model_state *s;
  struct model_work *w;
  struct statics_report *report;
};

// Iterates from the state in eq to an equilibrium. mu (1/s2) is the initial damping of the iteration; stage
// names the stage of the statics in error messages. STATUS_NOT_CONVERGED: no equilibrium found, or a folded
// pipe.
enum status relax(const struct equilibrium *eq, double mu, const char *stage, struct reason *why);

// ------------------------------------------------------------
// The rollers of a stinger in the model: which nodes lie over each roller, its share of the balance, of the
// tangent, of the energy and of the state. sagbend/stinger/stinger.h contains the contact itself.
//
// The rollers couple the vessel with all nodes over them: the border of the matrix (sagbend/math/math.h)
// begins with the lowest one. The coupling of nodes two apart, which exists only while a node passes a
// roller, is left out of the tangent.

// Energy of the state, J, and loss by friction over the step of the last balance, J.
double rollers_energy(const struct model *m, const struct model_state *s) NONBLOCKING;
double rollers_loss(const struct model *m, const struct model_work *w) NONBLOCKING;

// Overlap of the pipe with a roller that is lowered by this length along the vessel's z axis. is_near: 0 if
// no point of the pipe lies over it; the overlap is then that of the nearest node.
struct roller_place {
  int is_near;
  double overlap_m, arc_m;
  int element;
  double x; // share of the element
};
struct roller_place rollers_place(const struct model *m, const struct model_state *s, int roller,
                                  double lowered_m) NONBLOCKING;

// ------------------------------------------------------------
// The row of a conservative step whose unknown is the length of the top element at the end of the step, where
// a tensioner obeys a law (sagbend/lay/lay.h).

// Mass of the half element at the top with these lengths, which moves with the pipe through the grip, kg.
double tensioner_half_mass(const struct pipe_mesh *p, const struct pipe_top_load *load) NONBLOCKING;

// Whether anything is left of the top element after this change of its length.
int tensioner_has_element(const struct model_state *s, double grown_m) NONBLOCKING;
