// Steps of a sweep.
#pragma once

#include "lab/sweep/point_folder.h"
#include "lab/sweep/sweep_sweep.h"

// Runs the points of a list, jobs at a time; needs as in struct sweep_options. STATUS_IO: a point could not
// be started or recorded. *stopped: a signal ended it early.
enum status sweep_run_points(const struct plan *plan, const struct sweep_folder *folder, const int *points,
                             int count, const int *needs, int jobs, int *stopped, struct reason *why);

// Checks the configurations of points first to last and prints every error. STATUS_BAD_INPUT: there was one.
// With a folder (NULL: none) also whether the files are those with which its finished points ran. with_plots:
// also whether the results of these points will have the columns of the plots. jobs: points at a time, of
// which none may need a port that another has.
enum status sweep_check_points(const struct plan *plan, int first, int last, int with_plots, int jobs,
                               const struct sweep_folder *folder, struct reason *why);

// Sets done[point - 1] for each point that has a result.
enum status sweep_find_done(const struct plan *plan, const struct sweep_folder *folder, char *done,
                            struct reason *why);
