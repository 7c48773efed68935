// sagbend sweep: runs the points of a plan as processes of their own, some at a time, and collects their
// results.
#pragma once

#include "lab/sweep/sweep.h"
#include "lab/sweep/point_folder.h"

// The name of a folder after a file: "case-rao" for "plans/case.yaml" and "-rao". The caller frees it; NULL:
// out of memory.
char *sweep_folder_name(const char *path, const char *suffix);

enum sweep_action {
  SWEEP_RUN,    // all points that have no result yet, then collect
  SWEEP_LIST,   // check all points and print them
  SWEEP_POINT,  // one point
  SWEEP_COLLECT // write the results of what has run
};

struct sweep_options {
  const char *plan;
  const char *const *overrides; // of every point (plan_override)
  int override_count;
  const char *folder; // of the results; NULL: the name of the plan without its extension
  enum sweep_action action;
  int point;        // SWEEP_POINT: from 1
  int jobs;         // SWEEP_RUN: points at a time; 0: one for each processor
  const int *order; // SWEEP_RUN: the points to run, in this order; NULL: all, by their numbers
  int order_count;
  const int *needs; // SWEEP_RUN: of each point, from number 1 at needs[1], the point that must have passed,
                    // or it is not run; 0: none. NULL: none of all
  // Takes the place of the table of results. It is called when points have run, some of which may be missing.
  enum status (*collect)(const struct plan *plan, const struct sweep_folder *folder, void *context,
                         struct reason *why); // NULL: table and plots
  void *context;
};

// A collect for a plan whose results its command reads itself.
enum status sweep_collect_nothing(const struct plan *plan, const struct sweep_folder *folder, void *context,
                                  struct reason *why);

// STATUS_BAD_INPUT: the plan, one of its points or the folder cannot be used; STATUS_IO: a point has not
// passed, or a file cannot be written; errors that were printed leave why empty.
enum status sweep(const struct sweep_options *options, struct reason *why);
// The same for a plan that a command has made. options->plan is not read.
enum status sweep_plan(const struct plan *plan, const struct sweep_options *options, struct reason *why);
