// What a plan judges by the time series of a run: what it expects, and circles on a mean. Taken from its
// record.
#pragma once

#include "lab/sweep/point_folder.h"
#include "lab/judge/trial_plan.h"

// One value for each expectation of the plan, and the largest mean of each limit whose circle is judged on
// one (the others keep theirs); NaN: no value. The quantities that these name, those of the limits, position,
// heading, thrust and power stay in series.csv beside the record, which goes if the run passes. STATUS_IO:
// that cannot be written.
enum status series_take(const struct trial_plan *plan, const struct sweep_folder *folder, int point,
                        double expected[TRIAL_EXPECTATIONS], double circled[TRIAL_LIMITS],
                        struct reason *why);
