// The operator's stop of a thruster that runs wild: the emergency stop, so long after the alarm that names
// it. When that alarm comes is known from the run without a stop. It is made again with the stop at its time,
// in the folder "intervention" below that of the results, and judged so; both are reported. Without an alarm
// nobody stops it.
#pragma once

#include "lab/judge/judge.h"

#define TRIALS_INTERVENTION "intervention"

// When the operator stops what has failed in a run that is judged, s; NaN: never.
double intervention_time_s(const struct trial_plan *plan, const struct judged_run *run);

// Makes the runs with a stop that have not been made. plan: that of the runs without. *count: all of them.
enum status intervention_run(const struct judgement *j, const struct plan *plan,
                             const struct sweep_folder *folder, int jobs, int *count, struct reason *why);

// Makes the run with a stop of one point that has run alone, in a folder of its own: the number of the point
// behind the name of the folder above. Nothing where nobody would stop it.
enum status intervention_run_alone(const struct judgement *j, const struct plan *plan,
                                   const struct sweep_folder *folder, int point, struct reason *why);

// Reads them: the observation with the stop takes the place of that without. They are to be judged again.
enum status intervention_read(struct judgement *j, const struct sweep_folder *folder, struct reason *why);
