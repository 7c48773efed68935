// Pipe at and above the water. weight_n and weight_npm are those of submerged pipe; this adds the weight of
// the water that the pipe does not displace. The surface is the still water level, z = 0, or with waves on
// the pipe that of its state (surface_m). An element is straight between its nodes, its section a circle that
// the surface cuts horizontally. An element whose nodes lie deeper than its radius has no part in any of
// this. docs/model.md.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/math/lanes.h"
#include "sagbend/pipe/pipe.h"

// Means along an element whose ends lie lower and upper radii below the surface, for water of unit weight in
// the whole section and a unit radius.
struct waterline {
  double energy;       // V >= 0; 0: all of it is submerged
  double gradient[2];  // dV/d(lower), dV/d(upper); -1/2 each: all of it is dry
  double curvature[3]; // second derivatives: lower lower, lower upper, upper upper
};
struct waterline waterline_of(double lower, double upper) NONBLOCKING;

// Mean gradient over a step: its product with the changes of lower and upper is the change of V.
struct waterline_step {
  double gradient[2];
  double tangent[2][2]; // derivatives of gradient with respect to lower and upper at the end of the step
};
struct waterline_step waterline_over(const double start[2], const double end[2]) NONBLOCKING;

// Energy of the water that is not displaced, J.
double pipe_waterline_energy(const struct pipe_mesh *p, const struct pipe_state *s) NONBLOCKING;

// Length of pipe above the water, m; 0 with BUOYANCY_SUBMERGED.
double pipe_dry_length(const struct pipe_mesh *p, const struct pipe_state *s);

// For pipe_residual and pipe_tangent: adds the forces over the step, and their derivatives.
void pipe_waterline_forces(const struct pipe_mesh *p, const struct pipe_state *s,
                           struct pipe_work *w) NONBLOCKING;
void pipe_waterline_tangent(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                            struct blocktri *b, double top_diag[36], double top_upper[36],
                            double top_lower[36]) NONBLOCKING;

// Weight of the water that is not displaced around node i, N, along +z; and per length at depth z_m, in
// element e, N/m.
double pipe_waterline_load(const struct pipe_mesh *p, const struct pipe_state *s, int i) NONBLOCKING;
double pipe_waterline_load_npm(const struct pipe_mesh *p, int e, double z_m) NONBLOCKING;

// pipe_wet_share of LANES nodes from first on, with their depths greater by a share of `more`, unless NULL;
// behind the pipe 1.
void pipe_wet_shares(const struct pipe_mesh *p, const struct pipe_state *s, const double *more, double share,
                     int first, lanes *wet) NONBLOCKING;

// Energy of a metre of a kind in the top element between these depths of its nodes, J/m.
double pipe_waterline_feed(const struct pipe_mesh *p, const struct pipe_stretch *kind, double lower_z_m,
                           double upper_z_m) NONBLOCKING;

// The part of the tension at the grip that carries the water which the upper half of the top element does not
// displace: energy of a metre at the grip minus that of pipe_waterline_feed.
struct waterline_hanging {
  double force_n;
  double rate_npm[2]; // derivatives with respect to the depths of lower and upper node
};
struct waterline_hanging pipe_waterline_hanging(const struct pipe_mesh *p, double lower_z_m,
                                                double upper_z_m) NONBLOCKING;
