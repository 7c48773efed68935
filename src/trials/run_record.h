// The time series of a run, from the record.csv in its folder.
#pragma once

#include "trials/trial_plan.h"

struct run_record {
  int rows, series;
  double *time_s;              // owned
  double *value[TRIAL_LIMITS]; // of the quantity of each limit, as people read it; owned; NaN: no value
};

// Reads the quantities of the plan's limits. Without a file there are no rows. STATUS_NO_MEMORY is the only
// failure. Release with run_record_free in every case.
enum status run_record_read(const struct trial_plan *plan, const char *path, struct run_record *out);
void run_record_free(struct run_record *r);
