// Pay-out and recovery: the programme, the top element that grows and shrinks within a conservative step, and
// what the model takes from it. docs/laying.md.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/model/model.h"

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

// Begins to brake for good.
void payout_brake(struct payout_state *payout, double time_s, enum payout_stop why) NONBLOCKING;

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
