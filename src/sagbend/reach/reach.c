// Where a force lies among the pieces of its unit.
#include "sagbend/reach/reach.h"
#include "sagbend/reach/reach_internal.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

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

// Whether the force lies in one of the pieces, to 1e-9 of the unit's largest force. If not: by how much it
// lies outside, and the two groups of pieces between which it lies.
static int reach_holds(const struct reach_unit *unit, unsigned pieces, const double force_n[2],
                       double *outside_n, unsigned groups[2]) NONBLOCKING {
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

// ------------------------------------------------------------
// Branch and bound over the pieces of the units.
//
// The hull of several pieces gives a bound that may be too high: a force of its solution may lie between the
// pieces, in a forbidden zone. Then the pieces of that unit fall into two groups, and each group is tried.
// A branch whose bound is not above the best answer ends. Every unit has finitely many pieces, and a single
// piece is convex, so the search ends with the answer of the set itself.

enum { DEPTH = REACH_UNITS * REACH_PIECES + 2 };

struct branch {
  struct reach_choice choice;
  double bound;
};

// The unit whose force lies farthest outside its pieces, and the two groups into which they fall; -1: none.
static int unit_outside(const struct reach *reach, const struct reach_choice *choice, double (*force_n)[2],
                        unsigned groups[2]) {
  double farthest_n = 0;
  int found = -1;
  for (int i = 0; i < reach->unit_count; i++) {
    unsigned two[2];
    double outside_n;
    if (!reach_holds(&reach->unit[i], choice->pieces[i], force_n[i], &outside_n, two) &&
        (found < 0 || outside_n > farthest_n))
      farthest_n = outside_n, found = i, groups[0] = two[0], groups[1] = two[1];
  }
  return found;
}

static void search(const struct reach *reach, const double fixed[3], const double load[3], double tolerance,
                   struct reach_answer *best) {
  struct branch open[DEPTH];
  struct reach_answer node;
  double bound = 0;
  int count = 1, found = 0;
  for (int i = 0; i < REACH_UNITS; i++)
    open[0].choice.pieces[i] = ~0u;
  open[0].bound = HUGE_VAL;
  node.pivots = 0;
  while (count > 0) {
    struct branch branch = open[--count];
    if (found && branch.bound <= best->margin * (1 + 2 * tolerance)) {
      bound = fmax(bound, branch.bound);
      continue;
    }
    if (best->nodes == REACH_NODES) {
      bound = fmax(bound, branch.bound);
      best->end = REACH_BRACKET;
      continue;
    }
    best->nodes++;
    enum reach_end end = reach_relaxed(reach, &branch.choice, fixed, load, tolerance, &node);
    best->pivots += node.pivots;
    node.pivots = 0;
    if (end == REACH_FAILED) {
      best->end = REACH_FAILED;
      return;
    }
    if (end == REACH_NOT_HELD)
      continue;
    unsigned groups[2];
    int unit = found && node.bound <= best->margin * (1 + 2 * tolerance)
                   ? -1
                   : unit_outside(reach, &branch.choice, node.force_n, groups);
    if (unit < 0) {
      bound = fmax(bound, node.bound);
      if (!found || node.margin > best->margin) {
        best->margin = node.margin;
        memcpy(best->force_n, node.force_n, sizeof node.force_n);
      }
      found = 1;
      continue;
    }
    for (int g = 0; g < 2; g++) {
      open[count] = (struct branch){branch.choice, fmin(branch.bound, node.bound)};
      open[count++].choice.pieces[unit] = groups[g];
    }
  }
  best->bound = bound;
  if (!found && best->end == REACH_FOUND)
    best->end = REACH_NOT_HELD;
}

static int is_zero(const double w[3]) {
  return w[0] == 0 && w[1] == 0 && w[2] == 0;
}

void reach_solve(const struct reach *reach, const double fixed[3], const double load[3], double tolerance,
                 struct reach_answer *answer) {
  memset(answer, 0, sizeof *answer);
  const double *shift = fixed && !is_zero(fixed) ? fixed : NULL;
  for (int i = 0; i < 3; i++)
    if (!isfinite(load[i]) || (shift && !isfinite(shift[i]))) {
      answer->end = REACH_FAILED;
      return;
    }
  if (shift) { // the fixed forces must be held by themselves
    search(reach, NULL, shift, tolerance, answer);
    if (answer->end == REACH_FAILED)
      return;
    int pivots = answer->pivots, nodes = answer->nodes, held = answer->margin >= 1 - tolerance;
    if (held && is_zero(load)) {
      answer->end = REACH_WITHOUT_LOAD;
      answer->margin = answer->bound = HUGE_VAL;
      return;
    }
    memset(answer, 0, sizeof *answer);
    answer->pivots = pivots, answer->nodes = held ? 0 : nodes;
    if (!held) {
      answer->end = REACH_NOT_HELD;
      return;
    }
  } else if (is_zero(load)) {
    answer->end = REACH_WITHOUT_LOAD;
    answer->margin = answer->bound = HUGE_VAL;
    return;
  }
  search(reach, shift, load, tolerance, answer);
  if (answer->end == REACH_FAILED)
    answer->margin = 0, answer->bound = HUGE_VAL;
}
