// Branch and bound over the pieces of the units.
//
// The hull of several pieces gives a bound that may be too high: a force of its solution may lie between the
// pieces, in a forbidden sector. Then the pieces of that unit fall into two groups, and each group is tried.
// A branch whose bound is not above the best answer ends. Every unit has finitely many pieces, and a single
// piece is convex, so the search ends with the answer of the set itself.
#include "sagbend/dp/reach_parts.h"

#include <math.h>
#include <string.h>

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
