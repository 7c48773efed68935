// What the vessel is to hold at a state, and where it is on its route. Offsets count from it.
#pragma once

#include "sagbend/rig/frame.h"

// The point of the vessel that follows the route (route.point_b_m).
struct on_route {
  double way_m;    // distance along the route to its nearest point; NaN without a route
  double cross_m;  // distance from the route, positive to starboard of it; NaN without a route
  double length_m; // of the whole route; 0 without one
};
// track NULL: there is no route.
struct on_route loop_on_route(const struct track_def *track, const struct sim_output *truth) NONBLOCKING;

// Horizontal pose of the vessel's reference point.
struct held_pose {
  double position_n_m[2], heading_rad;
};
// With the vessel's point on the nearest point of the route, not before its begin nor behind its end. The
// reference that the controller moves along the route is its own. track NULL: zero.
struct held_pose loop_route_pose(const struct track_def *track, const struct sim_output *truth) NONBLOCKING;
// On a route that pose, until an operator's set-point ends the route; otherwise the set-point; without one,
// the start.
struct held_pose loop_held_pose(const struct loop_target *target, const struct sim_output *truth) NONBLOCKING;
int loop_is_on_route(const struct loop_target *target) NONBLOCKING; // such a pose is held
