// A route in the horizontal plane: straight legs between waypoints, joined by arcs that touch both legs.
// Courses and headings in rad, clockwise from north. Bits as in sagbend/math/trig.h.
#pragma once

#include "sagbend/base/nonblocking.h"

// A waypoint as the DP file gives it. The first and the last have no corner.
struct waypoint {
  double position_m[2]; // north, east
  double radius_m;      // of the arc that rounds the corner; 0: no corner
};

// A leg or an arc.
struct route_part {
  double begin_m, length_m; // way along the route to its begin; its own length
  double start_m[2];        // north, east of its begin
  double course_rad;        // at its begin
  double curvature_1pm;     // 0: leg; positive: it turns to starboard
};

enum { MAX_WAYPOINTS = 64, MAX_ROUTE_PARTS = 2 * MAX_WAYPOINTS };
struct route {
  int count; // parts; 0: no route
  struct route_part part[MAX_ROUTE_PARTS];
  double length_m;
  int waypoint_count; // from which it is built
  struct waypoint waypoint[MAX_WAYPOINTS];
};

// A point of a route.
struct route_point {
  double position_m[2]; // north, east
  double course_rad, curvature_1pm;
};

// Why waypoints do not make a route.
enum route_fault {
  ROUTE_GOOD,
  ROUTE_SAME_POSITION, // the waypoint lies at the one before
  ROUTE_SHARP_CORNER,  // the route turns at the waypoint, and it has no radius
  ROUTE_WIDE_CORNER    // the arc begins before its leg, or ends behind it
};

// Fills route from 2 to MAX_WAYPOINTS waypoints. On a fault *at is the index of the waypoint; for
// ROUTE_WIDE_CORNER *most_m is the largest radius that the legs leave to it.
enum route_fault route_build(const struct waypoint *waypoint, int count, struct route *route, int *at,
                             double *most_m);

// The point at a way along the route; before the begin and behind the end the legs go on.
struct route_point route_at(const struct route *route, double way_m) NONBLOCKING;

// Way along the route of the point of it that is nearest to a position, and the distance from it, positive to
// starboard. Before the begin and behind the end the legs go on. Of two points at equal distance the first.
void route_nearest(const struct route *route, const double position_m[2], double *way_m,
                   double *cross_m) NONBLOCKING;
