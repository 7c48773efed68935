// The order in which the runs of trials are made, and a run by its name.
#pragma once

#include "lab/judge/trial_plan.h"

// The points of all runs: those without a failure, with which all others are compared, then the declared
// worst case, then the rest. The caller frees them; NULL: out of memory.
int *run_order(const struct trial_plan *plan, const struct failures *failures, int *count);

// Of each point, from number 1, the run without a failure in its condition, with which it is compared; 0: it
// is that one. The caller frees them; NULL: out of memory.
int *run_needs(const struct trial_plan *plan, const struct failures *failures);

// The point of "gnss-1/drift@S1".
enum status run_named(const struct trial_plan *plan, const struct failures *failures, const char *id,
                      int *point, struct reason *why);
