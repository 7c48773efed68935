// The motion of the sea at the nodes of the pipe.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/env/env.h"
#include "sagbend/math/math.h"
#include "sagbend/pipe/pipe.h"

// The motion of the sea at the nodes of the pipe. Summing all components at every node in every step costs
// too much, so each node has a station: a point that moves straight from one place to another over a window
// of time. The motion is summed at both ends of the window only; in between, the motion along the way is the
// cubic that has the sums and their rates at its ends, and the way from the station to the node is bridged by
// the gradient. The windows of the nodes end one after the other, so that the work spreads over the steps.
//
// The places and times are state (pipe_state.station_n, station_s). The sums are a pure function of them:
// stations_follow makes them anew where they are not those of the state.

// Arrays have a value per node. Polynomials are in the share of the window that has passed, by rising power.
struct stations {
  double *key[8];           // begin and end of the window, its two places: what the sums are of
  double *last[SEA_COLUMN]; // sea_column at the end of the window
  double *velocity[4][3];   // m/s, along the way
  double *gradient[2][9];   // 1/s
  double *surface[4];       // m
  double *slope[2][2];
  double *water_n[3]; // velocity of the water at the last time asked for, m/s
  int first;          // number of node 0, as in pipe_mesh
};

// Take memory for a pipe that is in the sea; only measures with an arena that measures.
void stations_create(struct stations *c, const struct pipe *p, struct arena *memory);

// Begins a step: windows that have ended are followed by the next ones, and nodes that come near the surface
// get a station.
void stations_begin(const struct sea_field *field, const struct pipe_mesh *p, struct pipe_state *s,
                    struct stations *c, double time_s, double step_s) NONBLOCKING;

// Lets the sums follow the state where nodes have come, gone or shifted, or the state was set otherwise.
void stations_follow(const struct sea_field *field, const struct pipe_mesh *p, const struct pipe_state *s,
                     struct stations *c) NONBLOCKING;

// Sets water_n: velocity of the water at the nodes at a time within the windows.
void stations_flow(const struct sea_field *field, const struct pipe_mesh *p, const struct pipe_state *s,
                   struct stations *c, double time_s) NONBLOCKING;

// The same at node i alone, m/s.
vec3 stations_velocity(const struct sea_field *field, const struct pipe_state *s, const struct stations *c,
                       int i, double time_s) NONBLOCKING;

// Fills force_n: mean force on each node of the water that the waves accelerate in the step from time_s, N.
// It is that at the place, attitude and draught that the node has in the middle of the step by its velocity
// now. The surface must be that of the middle (stations_raise).
void stations_push(const struct sea_field *field, const struct pipe_mesh *p, const struct pipe_state *s,
                   const struct stations *c, double time_s, double step_s,
                   double *const force_n[3]) NONBLOCKING;

// Moves the surface over the nodes to that of a time, at the places that they have lead_s later by their
// velocities now. Returns the work that it does on the pipe, J.
double stations_raise(const struct sea_field *field, const struct pipe_mesh *p, struct pipe_state *s,
                      const struct stations *c, double time_s, double lead_s) NONBLOCKING;

// Whether stations of a file are such as a run can have (conventions: sagbend/base/base.h).
int stations_are_valid(int nodes, const struct pipe_state *s, struct reason *why);
