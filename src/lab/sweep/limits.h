// The limits of a plan with a bisecting axis. The points that differ in its position alone are a group; its
// limit is the last row whose verdicts hold, found by bisection: rows above one that is lost, and below one
// that holds, are not run.
#pragma once

#include "lab/sweep/point_folder.h"

// The bisecting axis; NULL: the plan has none.
const struct plan_axis *limits_axis(const struct plan *plan);

int limits_group_count(const struct plan *plan); // 0 without a bisecting axis
int limits_group_of(const struct plan *plan, int point);

struct limit {
  int held, lost; // rows: the last that holds, -1: none; the first that is lost, the number of rows: none
  int next;       // point that the bisection asks for; 0: the limit is found
};
int limits_point(const struct plan *plan, int group, int row);
// Follows the bisection as far as its points have results. STATUS_IO: a result cannot be read.
enum status limits_find(const struct plan *plan, const struct sweep_folder *folder, int group,
                        struct limit *out, struct reason *why);

// Runs the points that the bisection asks for until all limits are found; jobs and stopped as for
// sweep_run_points. A point that breaks ends the bisection of its group.
enum status limits_run(const struct plan *plan, const struct sweep_folder *folder, int jobs, int *stopped,
                       struct reason *why);

// Prints an error for each verdict of the axis that a point does not have. Returns their number.
int limits_check_verdicts(const struct plan *plan, const char (*verdict)[PLAN_NAME], int verdict_count,
                          FILE *errors);
