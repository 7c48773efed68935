// Repeating runs of trials, in the folder "again" below that of the results: those with a finding A or B,
// with a log as evidence, and a random choice. What is not equal bit by bit is a finding: such a controller
// reads its clock.
#pragma once

#include "lab/judge/judge.h"

#define TRIALS_AGAIN "again"

struct again_options {
  int choice; // --twice: so many runs, chosen at random and always the same; 0: none
  int jobs;   // runs at a time; 0: one for each processor
};

// Repeats what is to be repeated and has not been yet. Nothing while runs are missing. *count: runs that are
// repeated now or were before.
enum status again_run(const struct judgement *j, struct plan *plan, const struct sweep_folder *folder,
                      const struct again_options *options, int *count, struct reason *why);
