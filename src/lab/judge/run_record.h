// The time series of a run, from the record.csv in its folder.
#pragma once

#include "lab/judge/trial_plan.h"

enum { RUN_SERIES = TRIAL_SERIES + TRIAL_LIMITS + 6 };
struct run_record {
  int rows, series;
  int quantity[RUN_SERIES];  // enum quantity
  double *time_s;            // owned
  double *value[RUN_SERIES]; // of each quantity, as people read it; owned; NaN: no value
};

// Of a value as people read it over that in a record.
double run_record_factor(int quantity);

// Reads these quantities. Without a file there are no rows. STATUS_NO_MEMORY is the only failure. Release
// with run_record_free in every case.
enum status run_record_read(const int *quantities, int count, const char *path, struct run_record *out);
void run_record_free(struct run_record *r);
