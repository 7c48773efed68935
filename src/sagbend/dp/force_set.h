// Convex sets of the horizontal force of one thruster, b, N: a segment, a disc, a sector of a disc. The
// allocation needs only the point of a set that is nearest to a given point.
#pragma once

#include "sagbend/base/nonblocking.h"

enum force_shape { FORCE_SEGMENT, FORCE_DISC, FORCE_SECTOR };

struct force_set {
  enum force_shape shape;
  double axis[2];       // unit vector: along the segment, or the middle of the sector
  double edge[2];       // sector: cosine and sine of half its width
  double low_n, high_n; // segment: from low to high along axis; otherwise high is the radius
};

// The segment from low_n to high_n along a direction, rad clockwise from the bow. low_n may be negative.
struct force_set force_segment(double direction_rad, double low_n, double high_n) NONBLOCKING;

// The disc about zero.
struct force_set force_disc(double radius_n) NONBLOCKING;

// The sector about a direction. half_width_rad is at most pi/2, because a wider sector is not convex.
struct force_set force_sector(double middle_rad, double half_width_rad, double radius_n) NONBLOCKING;

// Finds the point of the set nearest to p, and its derivative with respect to p (symmetric; at a kink one of
// the possible ones).
void force_nearest(const struct force_set *set, const double p[2], double nearest[2],
                   double derivative[2][2]) NONBLOCKING;
