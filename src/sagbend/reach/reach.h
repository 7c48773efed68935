// How far the thrusters reach: the largest multiple of a load that they can hold together (the margin), by a
// ray cast. Horizontal forces and the moment about the vertical. The axes may be forward, starboard and
// clockwise, or forward, port and counter-clockwise: y and angles are positive to the same side, the moment
// is x Y - y X. N, m, W; angles in rad from forward towards y. Only add, multiply, divide and square root:
// equal bits on every processor. Nothing allocates.
//
// The wrenches of all thrusters form a set W. Wanted is the largest k with fixed + k load in W. Each thruster
// has convex pieces (a disc without its forbidden zones has several); of each the point that is farthest in
// a given direction is known in closed form. reach.c derives the method.

#pragma once

#include "sagbend/base/base.h"

enum { REACH_UNITS = 12, REACH_PIECES = 32, REACH_POINTS = 800, REACH_BUSES = 8 };
enum { REACH_PIVOTS = 400 }; // of one linear programme: more are an error
enum { REACH_NODES = 4000 }; // of the branch and bound: beyond them the answer is a bracket

// Points of the boundary around zero, by increasing angle. Zero belongs to the piece.
struct reach_piece {
  int first, count;
};

// One thruster, or several that act as one.
struct reach_unit {
  double place_m[2]; // x, y
  double power_w;    // at full thrust; grows with the thrust to 3/2
  int bus;           // -1: no limit
  int piece_count, point_count;
  struct reach_piece piece[REACH_PIECES];
  double point_n[REACH_POINTS][2];
  unsigned char arc[REACH_POINTS]; // 1: an arc about zero leads to the next point, at most half a turn
};

struct reach {
  int unit_count, bus_count;
  struct reach_unit unit[REACH_UNITS];
  double limit_w[REACH_BUSES]; // power for the thrusters of a bus
};

enum reach_end {
  REACH_FOUND,
  REACH_WITHOUT_LOAD, // the load is zero: any multiple holds, the margin is infinite
  REACH_NOT_HELD,     // the fixed forces alone are more than the thrusters can hold: the margin is 0
  REACH_BRACKET,      // more than REACH_NODES: margin is attained, bound is proven, but they differ
  REACH_FAILED        // more than REACH_PIVOTS, or not finite: no number
};

struct reach_answer {
  enum reach_end end;
  double margin; // k: forces_n attain it
  double bound;  // no k above this is possible; proven by the dual
  int pivots, nodes;
  double force_n[REACH_UNITS][2]; // of each unit at the margin
};

// Empties the set.
void reach_clear(struct reach *reach) NONBLOCKING;

// Adds a bus and returns its index; -1: there are REACH_BUSES.
int reach_add_bus(struct reach *reach, double limit_w) NONBLOCKING;

// Adds a unit without force; NULL: there are REACH_UNITS. bus: -1 for unlimited power. A unit on a bus needs
// power_w > 0.
struct reach_unit *reach_add_unit(struct reach *reach, double x_m, double y_m, double power_w,
                                  int bus) NONBLOCKING;

// Each of these adds pieces and returns 1; 0: no room for them. Pieces must be added by increasing angle, and
// must not overlap.
// A line through zero, from astern_n against the direction to ahead_n along it. Beside other pieces of its
// unit astern_n must be 0.
int reach_add_segment(struct reach_unit *unit, double direction_rad, double ahead_n,
                      double astern_n) NONBLOCKING;
// The sector of a disc from one angle to a larger one; 2 pi apart: the disc. Wider than half a turn: two
// pieces.
int reach_add_sector(struct reach_unit *unit, double from_rad, double to_rad, double radius_n) NONBLOCKING;
// A convex piece point by point.
int reach_begin_piece(struct reach_unit *unit) NONBLOCKING;
int reach_add_point(struct reach_unit *unit, double x_n, double y_n) NONBLOCKING;

// The largest k with fixed + k load in W. fixed and load: x, y, moment; fixed NULL: none. tolerance: relative
// gap between margin and bound at which a linear programme ends (1e-10 for a report, 1e-6 for an alarm). With
// the load in a direction that no thruster gives, the margin is 0.
void reach_solve(const struct reach *reach, const double fixed[3], const double load[3], double tolerance,
                 struct reach_answer *answer) NONBLOCKING;

// The largest value of direction . w over W, each unit with the pieces whose bits are set in pieces (NULL:
// the hull of all its pieces), and the forces that attain it.
double reach_support(const struct reach *reach, const unsigned *pieces, const double direction[3],
                     double force_n[REACH_UNITS][2]) NONBLOCKING;

// Power of a unit's share of full thrust when it gives this force, W.
double reach_power_w(const struct reach_unit *unit, const double force_n[2]) NONBLOCKING;

// Share of the largest force that the unit can give in the direction of this force; 1: at its limit.
double reach_share(const struct reach_unit *unit, const double force_n[2]) NONBLOCKING;

// The real cube root.
double reach_cube_root(double x) NONBLOCKING;
