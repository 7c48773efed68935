// What the trials of the plan's wrong controllers found, from their folders below that of the good one.
#pragma once

#include "lab/judge/judge.h"

enum { SHARPNESS_SHOWN = 320 };

struct sharp_controller {
  const struct trial_wrong *wrong;
  int is_tried;                // its results are there
  int criteria, runs;          // that fail with it and hold with the good one; in how many runs
  int measures;                // runs in which a measure is worse (measures.h)
  char first[SHARPNESS_SHOWN]; // one of them: "gnss-1/bias@S1: added offset"
};
struct sharpness {
  struct sharp_controller item[TRIAL_WRONG];
  int count, tried, found;
};

// A criterion fails that holds with the good one, or a measure is worse.
int sharp_is_found(const struct sharp_controller *c);

// The folder of a wrong controller's trials.
void sharpness_folder(const struct sweep_folder *good, const struct trial_wrong *wrong, char *out,
                      size_t size);
void sharpness_read(const struct judgement *good, const struct sweep_folder *folder, struct sharpness *out);
