// Convex sets of the horizontal force of one thruster, in the body frame: a segment, a disc, a sector of a
// disc. The allocation needs of a set only the nearest point to a given one.
#pragma once

#include "core/base/nonblocking.h"

enum force_shape { FORCE_SEGMENT, FORCE_DISC, FORCE_SECTOR };

struct force_set {
  enum force_shape shape;
  double axis[2];       // unit: along the segment, or the middle of the sector
  double edge[2];       // sector: cosine and sine of half its width
  double low_n, high_n; // segment: from low to high along axis; otherwise the radius is high
};

// From low_n to high_n along this direction, clockwise from the bow; low_n may be negative.
struct force_set force_segment(double direction_rad, double low_n, double high_n) NONBLOCKING;
struct force_set force_disc(double radius_n) NONBLOCKING;
// half_width_rad at most pi/2: wider sectors are not convex.
struct force_set force_sector(double middle_rad, double half_width_rad, double radius_n) NONBLOCKING;

// The point of the set nearest to p, and the derivative of the former by the latter (symmetric; at a kink,
// one of them).
void force_nearest(const struct force_set *set, const double p[2], double nearest[2],
                   double derivative[2][2]) NONBLOCKING;
