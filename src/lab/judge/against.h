// Two trials of the same failures beside each other: which criteria fail here that held there. Grades would
// hide them: a run that failed before can fail for more reasons now.
#pragma once

#include "lab/judge/judge.h"

struct against {
  int criteria;       // that fail here and held there
  int unjudged;       // of them: of conditions whose run without a failure has no result here
  int measures;       // that are worse
  int without_result; // runs without a result here, which are there
};

// Prints the criteria that fail in j and hold in the results.json of the other folder, the measures that are
// worse, and the runs that one of them lacks. STATUS_BAD_INPUT: the other folder has no such file.
enum status against_print(const struct judgement *j, const char *other_folder, struct against *out,
                          struct reason *why);
