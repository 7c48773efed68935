// Voting among instruments of one kind.
#pragma once

#include "core/base/nonblocking.h"

enum { VOTE_MOST = 32 };

// Excludes outliers: sets used[i] = 0 where a used value differs by more than limit from the median of all
// used values. Needs three used values; otherwise, and with limit 0, excludes none. Returns the number of
// values excluded.
int vote_exclude(const double *value, int *used, int count, double limit) NONBLOCKING;

// Median of the used values; 0 if none is used.
double vote_median(const double *value, const int *used, int count) NONBLOCKING;
