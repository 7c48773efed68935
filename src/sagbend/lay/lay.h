// Laying: pay-out, mesh, flooding, tower, operations.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/model/model.h"
#include "sagbend/signals/signals.h"

// ------------------------------------------------------------
// Water that floods the pipe, as after a wet buckle: from one place on, up to the surface, the bore of the
// elements fills at a constant rate. A conservative step works with the mean of the shares at its start and
// its end. Between two steps the share changes at once, and mass and weight with it: this is the work of the
// port `flooding`, exact because the energies are linear in the share.

// Before a step: takes over whether water flows. The first time it sets the place.
void flooding_latch(struct model_state *s, const struct flooding_input *input) NONBLOCKING;

// At the beginning of a step: lets the water of the step in, and what has come to the tensioner out. Returns
// the work, J.
double flooding_advance(struct model_state *s, double step_s) NONBLOCKING;

// Lets the model follow a state that was set otherwise, or elements that were filled again.
void flooding_follow(struct model_state *s) NONBLOCKING;

// Whether a state from a file is one that a run can have (conventions: sagbend/base/base.h).
int flooding_is_valid(const struct model *m, const struct model_state *s, struct reason *why);

// ------------------------------------------------------------
// What follows from the state: the mesh and, with the number of elements, the sizes of the workspace.

// Makes the mesh anew for a state that was set otherwise than by a step, which ended at time_s. The statics
// has set how the ends are held.
void mesh_follow(const struct model *m, struct model_state *s, struct model_work *w,
                 double time_s) NONBLOCKING;

// ------------------------------------------------------------
// The operations of a lay, as one state machine. Before each step it looks whether the present operation has
// ended, and gives the tensioner the order of the one that is on, with the rank of the configuration. While
// an order from outside is in force, the operation is held: its times stand still and nothing ends. After the
// last one the pipe comes to rest in the brake. All functions do nothing without operations.
//
// The brake of an operation engages at rest. Until then the tracks slow down, so that the tension does not
// rise by the momentum of the pipe.

// State at the start, after that of the tensioner.
void operations_start(const struct model *m, struct model_state *s);

// Whether a state from a file is one that this model can have (conventions: sagbend/base/base.h).
int operations_is_valid(const struct model *m, const struct model_state *s, struct reason *why);

// Before a step: the way of the hang-off along the route. NaN: there is no route.
void operations_latch(const struct model *m, struct model_state *s, double way_m) NONBLOCKING;

// At the beginning of a step: ends what has ended. is_dragged: the pipe drags the drive, or slips in the
// grip, where the brake holds no less. Returns the order for the tensioner, with given 0 where the operations
// are held.
struct tensioner_setpoint operations_advance(const struct model *m, struct model_state *s, double step_s,
                                             int is_dragged) NONBLOCKING;

// Of a move: lowers the speed that the tracks reach at the end of a step, and the way of the step, so that
// they come to rest at its end.
struct track_step {
  double end_mps, way_m;
};
void operations_land(const struct model *m, const struct model_state *s, double step_s,
                     struct track_step *tracks) NONBLOCKING;

// The tracks have moved so far in the mode speed.
void operations_have_moved(const struct model *m, struct model_state *s, double way_m) NONBLOCKING;

// At the end of a step.
void operations_count(const struct model *m, struct model_state *s, double step_s) NONBLOCKING;

// Share of the present operation that is done, 0 to 1. 0 where its end cannot be foreseen.
double operations_progress(const struct model *m, const struct model_state *s) NONBLOCKING;

// ------------------------------------------------------------
// Pay-out and recovery: the programme, the top element that grows and shrinks within a conservative step, and
// what the model takes from it. docs/laying.md.

// Length that a programme has paid out at time_s, m, and its speed, m/s.
double payout_length(const struct payout_def *def, double time_s) NONBLOCKING;
double payout_speed(const struct payout_def *def, double time_s) NONBLOCKING;

// State at the start, after the statics.
void payout_start(const struct model *m, struct model_state *s);

// Takes the steepness of the pipe from its last node, in mesh and state. Where the mesh changes.
void payout_take_steepness(struct pipe_mesh *p, struct model_state *s) NONBLOCKING;

// Lets mesh and workspace follow the length of the pipe in a state that was set otherwise.
void payout_follow(const struct model *m, struct model_state *s, struct model_work *w) NONBLOCKING;

// Whether a state from a file is one that this model can have (conventions: sagbend/base/base.h).
int payout_is_valid(const struct model *m, const struct model_state *s, struct reason *why);

// Begins a conservative step from time_s: the length that the top element reaches, and the masses at its
// middle; with a tensioner that obeys a law the length is an unknown, and the masses are those of constant
// speed. Does nothing where the length is constant; the same holds for the other functions of a step.
void payout_begin(const struct model *m, struct model_state *s, struct model_work *w, double time_s,
                  double step_s) NONBLOCKING;

// Length and masses of the top element as in s, outside of a step or where one is given up.
void payout_adopt(const struct model *m, struct model_state *s, struct model_work *w) NONBLOCKING;

// Work of a step, J: of the tension at the grip on the length paid out, and energy that the material brings
// along. Together they are the energy that the change of length makes.
struct payout_work {
  double tensioner_j, feed_j;
  double feed_moving_j; // part of feed_j: of the velocities at the end of the step
  double
      grip_loss_j; // of a tensioner with a law, >= 0; tensioner_j is then the work of its motor and set-point
};

// What the material at the top holds before the commit of a step.
struct payout_metre {
  double energy_jpm; // of a metre at a node
  double moving_jpm; // kinetic part of it
};
struct payout_content {
  struct payout_metre own[2], next[2]; // at the lower and upper node of the top element, of its two kinds
  double drop_m;                       // of the lower node below the upper one
  double dry_n;                        // of pipe_waterline_hanging
};
struct payout_content payout_content_of(const struct model *m, const struct model_state *s) NONBLOCKING;

// Ends the step after the commit: the new length in state and mesh. before: payout_content_of at the start.
struct payout_work payout_end(const struct model *m, struct model_state *s, struct model_work *w,
                              const struct payout_content *before) NONBLOCKING;

// Between steps, at time_s: splits the top element or merges it with its neighbour where it is too long or
// too short, and starts to brake where no element is left. Returns 1 if the mesh has changed, and sets feed_j
// to the kinetic energy that mass gains as it moves from the half element at the hang-off to its new node, J.
int payout_remesh(const struct model *m, struct model_state *s, struct model_work *w, double time_s,
                  double step_s, double *feed_j) NONBLOCKING;

// Keeps the velocity of the top for the acceleration at the next step's end. Call after every step.
void payout_keep_velocity(const struct model *m, struct model_state *s, double time_s,
                          double step_s) NONBLOCKING;

// Acceleration of the pipe out of the tensioner, m/s^2: by the programme at time_s, or by the difference of
// the tension, without the inertia of this motion, and what a tensioner with a law holds.
double payout_acceleration(const struct model *m, const struct model_state *s, double time_s, double step_s,
                           double tension_n) NONBLOCKING;

// Way to rest of a brake that begins at this speed, m.
double payout_braking_length(double speed_mps) NONBLOCKING;

// Kinetic energy of a metre of a kind that moves with node i, and with the top as the half element there
// counts it: with the axis of the vessel's inertia; the half element of a moved top has no mass. J/m.
double payout_node_kinetic(const struct pipe_metre *metre, const struct model_state *s, int i) NONBLOCKING;
double payout_top_kinetic(const struct model *m, const struct pipe_metre *metre,
                          const struct model_state *s) NONBLOCKING;

// Axial component of model_force_on_top at the grip of a tensioner, N: the work of a length paid out is done
// against it. In a pipe of constant length it exceeds model_force_on_top by N^2/(2 EA) and smaller terms of
// this kind.
double payout_grip_tension(const struct model *m, const struct model_state *s, double time_s, double step_s,
                           vec3 momentum_rate_n) NONBLOCKING;

// ------------------------------------------------------------
// Laid pipe beyond an anchor length leaves the computation, node by node, and returns where it is recovered.
// docs/laying.md.

// State at the start, after the statics.
void retire_start(struct model_state *s);

// Whether a state from a file is one that this model can have (conventions: sagbend/base/base.h).
int retire_is_valid(const struct model *m, const struct model_state *s, struct reason *why);

// Between steps, at time_s and after model_energy_of: node 0 retires, or the one that retired last returns.
// Returns 1 if the pipe has changed. Brakes the tensioner where the store has no node to return.
int retire_update(const struct model *m, struct model_state *s, struct model_work *w,
                  double time_s) NONBLOCKING;

// The node that retired last; NULL: none, or the store no longer has it.
const struct laid_node *retire_newest(const struct model_state *s) NONBLOCKING;

// Curvature that bending beyond yield has left in the element above it, as a magnitude, 1/m.
double retire_newest_residual(const struct model *m, const struct model_state *s) NONBLOCKING;

// ------------------------------------------------------------
// A tensioner that obeys a law (sagbend/pipe/pipe.h): its orders, modes and limits. Its row of the
// conservative step is in sagbend/model/model.h. All functions do nothing where model.tensioner has no
// orders.

// Whether a state from a file is one that this model can have (conventions: sagbend/base/base.h).
int tensioner_is_valid(const struct model *m, const struct model_state *s, struct reason *why);

// Before a step: takes over the orders that have come for it, and the faults. An operator's order goes before
// those of controllers, and these before the programme's.
void tensioner_latch(const struct model *m, struct model_state *s,
                     const struct tensioner_input *input) NONBLOCKING;

// At the beginning of a step: the order in force, with that of the programme which is due, or the brake where
// no element is left. A mode takes over the force of the one before. Returns the work that this does on the
// grip, J.
double tensioner_obey(const struct model *m, struct model_state *s, double time_s, double step_s) NONBLOCKING;

// ------------------------------------------------------------
// A J-lay tower: the clamp of the hang-off turns about the vessel's y axis, slowly, by a table over time or
// as an operation orders. It turns between the parts of a step, with all positions
// held: by the first half before the conservative part, by the second half after it, so that the step stays
// symmetric in time. What this does to the energy is the tower's work, part of the port `motion`. The
// velocity of the turn itself is neglected.

// Turns the clamp to its angle ahead_s after time_s, the beginning of the step. Returns the work, J.
double tower_turn(const struct model *m, struct model_state *s, struct model_work *w, double time_s,
                  double ahead_s) NONBLOCKING;
