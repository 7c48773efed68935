// The place at three distances from three points, above their plane: what a long-baseline acoustic system
// computes. n, m.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/math/math.h"

// 1: found. 0: the points stand in a line, or the distances do not meet.
int place_at_ranges(const vec3 points[3], const double ranges[3], vec3 *out) NONBLOCKING;

// Root mean square of the horizontal standard deviations, for a unit standard deviation of each range.
// INFINITY: the place is in the plane of two directions.
double place_dilution(const vec3 points[3], vec3 place) NONBLOCKING;
