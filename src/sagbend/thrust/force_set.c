// Convex sets of the force of one thruster, and the nearest point of each.
#include "sagbend/thrust/thrust.h"
#include "sagbend/thrust/thrust_internal.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

struct force_set force_segment(double direction_rad, double low_n, double high_n) {
  return (struct force_set){.shape = FORCE_SEGMENT,
                            .axis = {trig_cos(direction_rad), trig_sin(direction_rad)},
                            .low_n = low_n,
                            .high_n = high_n};
}

struct force_set force_disc(double radius_n) {
  return (struct force_set){.shape = FORCE_DISC, .axis = {1, 0}, .high_n = radius_n};
}

struct force_set force_sector(double middle_rad, double half_width_rad, double radius_n) {
  return (struct force_set){.shape = FORCE_SECTOR,
                            .axis = {trig_cos(middle_rad), trig_sin(middle_rad)},
                            .edge = {trig_cos(half_width_rad), trig_sin(half_width_rad)},
                            .high_n = radius_n};
}

static void nearest_on_segment(const double axis[2], double low, double high, const double p[2], double q[2],
                               double d[2][2]) {
  double along = axis[0] * p[0] + axis[1] * p[1];
  double kept = along < low ? low : along > high ? high : along;
  int inside = along > low && along < high;
  for (int i = 0; i < 2; i++) {
    q[i] = kept * axis[i];
    for (int j = 0; j < 2; j++)
      d[i][j] = inside ? axis[i] * axis[j] : 0;
  }
}

static void nearest_in_disc(double radius, const double p[2], double q[2], double d[2][2]) {
  double norm = sqrt(p[0] * p[0] + p[1] * p[1]);
  double shrink = norm > radius ? radius / norm : 1;
  double across[2] = {0, 0};
  if (norm > radius) {
    across[0] = -p[1] / norm;
    across[1] = p[0] / norm;
  }
  for (int i = 0; i < 2; i++) {
    q[i] = shrink * p[i];
    for (int j = 0; j < 2; j++)
      d[i][j] = norm > radius ? shrink * across[i] * across[j] : i == j;
  }
}

// Seen from the sector's axis: beyond an edge the nearest point lies on that edge.
static void nearest_in_sector(const struct force_set *s, const double p[2], double q[2], double d[2][2]) {
  const double *a = s->axis;
  double along = a[0] * p[0] + a[1] * p[1], across = a[0] * p[1] - a[1] * p[0];
  double side = across < 0 ? -1 : 1;
  if (s->edge[0] * side * across <= s->edge[1] * along) {
    nearest_in_disc(s->high_n, p, q, d);
    return;
  }
  double edge[2] = {s->edge[0] * a[0] - side * s->edge[1] * a[1],
                    s->edge[0] * a[1] + side * s->edge[1] * a[0]};
  nearest_on_segment(edge, 0, s->high_n, p, q, d);
}

void force_nearest(const struct force_set *set, const double p[2], double nearest[2],
                   double derivative[2][2]) {
  switch (set->shape) {
  case FORCE_SEGMENT:
    nearest_on_segment(set->axis, set->low_n, set->high_n, p, nearest, derivative);
    break;
  case FORCE_DISC:
    nearest_in_disc(set->high_n, p, nearest, derivative);
    break;
  case FORCE_SECTOR:
    nearest_in_sector(set, p, nearest, derivative);
    break;
  }
}
