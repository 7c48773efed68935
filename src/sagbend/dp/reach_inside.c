// Where a force lies among the pieces of its unit.
#include "sagbend/dp/reach_parts.h"

#include <math.h>

static const double ALLOWANCE = 1e-9; // of the largest force of a unit

static double length_of(const double v[2]) {
  return sqrt(v[0] * v[0] + v[1] * v[1]);
}

static double largest_n(const struct reach_unit *unit) {
  double largest = 0;
  for (int i = 0; i < unit->point_count; i++)
    largest = fmax(largest, length_of(unit->point_n[i]));
  return largest;
}

// Share of the boundary between point i and the next that force_n reaches; infinite outside their angle.
static double share_between(const struct reach_unit *unit, int i, const double force_n[2], double slack) {
  const double *a = unit->point_n[i], *b = unit->point_n[i + 1];
  double edge[2] = {b[0] - a[0], b[1] - a[1]}, turn = reach_cross(a, edge);
  double length_a = length_of(a), length_b = length_of(b), size = length_of(force_n);
  if (!unit->arc[i] && fabs(turn) <= 1e-12 * (length_a + length_b) * length_of(edge)) { // through zero
    double along = edge[0] * force_n[0] + edge[1] * force_n[1];
    double end = along > 0 ? edge[0] * b[0] + edge[1] * b[1] : edge[0] * a[0] + edge[1] * a[1];
    if (fabs(reach_cross(edge, force_n)) > slack * length_of(edge))
      return HUGE_VAL;
    return along == 0 ? 0 : end != 0 && (end > 0) == (along > 0) ? along / end : HUGE_VAL;
  }
  if (reach_cross(a, force_n) < -slack * length_a || reach_cross(force_n, b) < -slack * length_b)
    return HUGE_VAL;
  // A small force against a narrow piece passes both by the slack; within half a turn it is not behind both.
  if (a[0] * force_n[0] + a[1] * force_n[1] < 0 && b[0] * force_n[0] + b[1] * force_n[1] < 0)
    return HUGE_VAL;
  return unit->arc[i] ? size / length_a : fmax(reach_cross(force_n, edge) / turn, 0);
}

// The least share over the pieces, and the piece that has it.
static double share_of(const struct reach_unit *unit, unsigned pieces, const double force_n[2], double slack,
                       int *piece) {
  double least = HUGE_VAL;
  *piece = -1;
  for (int p = 0; p < unit->piece_count; p++) {
    int first = unit->piece[p].first, end = first + unit->piece[p].count - 1;
    for (int i = first; i < end && pieces >> p & 1; i++) {
      double share = share_between(unit, i, force_n, slack);
      if (share < least)
        least = share, *piece = p;
    }
  }
  return least;
}

double reach_share(const struct reach_unit *unit, const double force_n[2]) {
  double largest = largest_n(unit);
  if (length_of(force_n) <= ALLOWANCE * largest)
    return 0;
  int piece;
  double share = share_of(unit, ~0u, force_n, 10 * ALLOWANCE * largest, &piece);
  return share < HUGE_VAL ? share : length_of(force_n) / largest;
}

double reach_power_w(const struct reach_unit *unit, const double force_n[2]) {
  double share = reach_share(unit, force_n);
  return unit->power_w * share * sqrt(share);
}

// Whether f lies between the directions a and b, counted from a to b.
static int lies_between(const double a[2], const double f[2], const double b[2]) {
  int behind_a = reach_cross(a, f) >= 0, before_b = reach_cross(f, b) >= 0;
  return reach_cross(a, b) >= 0 ? behind_a && before_b : behind_a || before_b;
}

static double beside(const double edge[2], const double f[2]) {
  return edge[0] * f[0] + edge[1] * f[1] > 0 ? fabs(reach_cross(edge, f)) / length_of(edge) : length_of(f);
}

int reach_holds(const struct reach_unit *unit, unsigned pieces, const double force_n[2], double *outside_n,
                unsigned groups[2]) {
  double slack = ALLOWANCE * largest_n(unit), size = length_of(force_n);
  int chosen[REACH_PIECES], count = 0, piece;
  for (int p = 0; p < unit->piece_count; p++)
    if (pieces >> p & 1)
      chosen[count++] = p;
  *outside_n = 0;
  if (count < 2 || size <= slack)
    return 1;
  double share = share_of(unit, pieces, force_n, slack, &piece);
  if (size - size / share <= slack)
    return 1;
  groups[0] = 0;
  if (piece >= 0) { // within the angle of a piece, beyond its boundary
    *outside_n = size - size / share;
    groups[0] = 1u << piece;
  } else { // in the gap behind one of the pieces: the half of them that follows it, and the others
    int gap = 0;
    *outside_n = size;
    for (int i = 0; i < count; i++) {
      const struct reach_piece *here = &unit->piece[chosen[i]], *next = &unit->piece[chosen[(i + 1) % count]];
      const double *end = unit->point_n[here->first + here->count - 1], *start = unit->point_n[next->first];
      if (lies_between(end, force_n, start))
        gap = i;
      *outside_n = fmin(*outside_n, fmin(beside(end, force_n), beside(start, force_n)));
    }
    for (int i = 0; i < (count + 1) / 2; i++)
      groups[0] |= 1u << chosen[(gap + 1 + i) % count];
  }
  groups[1] = pieces & ~groups[0];
  return 0;
}
