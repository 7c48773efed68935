// sagbend trials: every failure of a DP system in every condition of a plan, judged, with a report. The runs
// are the points of a sweep (src/lab/sweep), so that they go on after a stop, run on a cluster, and repeat
// bit for bit. docs/trials.md
#pragma once

#include "lab/sweep/sweep.h"

struct trials_options {
  const char *plan;
  const char *const *overrides; // of every run
  int override_count;
  const char *folder; // of the results; NULL: the name of the plan without its extension, and -trials
  enum sweep_action action;
  int point;           // SWEEP_POINT: from 1
  int seeded_faults;   // also the plan's controllers with a seeded fault, each of which must be found
  int twice;           // so many runs are repeated and compared
  const char *against; // folder of other trials to compare with; NULL: none
  int no_pdf;          // no report.pdf
  const char *run;     // only this one: "gnss-1/drift@S1"; NULL: not given
  const char *hash;    // hash that the last state of this run must have; NULL: not given
  const char *seeded;  // with this one of the plan's controllers with a seeded fault; NULL: with its own
  int jobs;            // SWEEP_RUN: runs at a time; 0: one for each processor
};

// STATUS_BAD_INPUT: plan or folder cannot be used; STATUS_IO: a finding A or B that is not accepted, or a
// file cannot be written. Errors that were printed leave why empty. *is_incomplete: not every run of the plan
// was made and judged.
enum status trials(const struct trials_options *options, int *is_incomplete, struct reason *why);
