// sagbend rao: motions of a vessel in regular waves, computed in the time domain, beside the linear answer
// from its hydro file and the motions that the file has. A point is a frequency and a heading; the points are
// those of a sweep (lab/sweep/sweep_sweep.h), each a run of a weakly held vessel in small waves.
#pragma once

#include "lab/sweep/sweep_sweep.h"

struct rao_options {
  const char *case_path;
  char *const *overrides; // "key.path=value"
  int override_count;
  const char *frequencies, *headings; // FIRST:LAST:STEP, rad/s and degrees
  double tolerance;                   // largest difference from the linear answer, of the peak; 0: none
  const char *folder; // of the results; NULL: the name of the case without extension, and -rao
  enum sweep_action action;
  int point, jobs; // as sweep_options has them
  int json;        // print the results as JSON instead of a table
};

// STATUS_BAD_INPUT: options, case, hydro file or folder cannot be used; STATUS_IO: a point has not passed, a
// difference exceeds the tolerance, or a file cannot be written; errors that were printed leave why empty.
enum status rao(const struct rao_options *options, struct reason *why);
