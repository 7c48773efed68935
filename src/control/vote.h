// Voting among instruments of a kind.
#pragma once

#include "core/base/nonblocking.h"

enum { VOTE_MOST = 32 };

// Leaves out (used[i] = 0) what lies further than limit from the median of three or more of one channel (with
// the used ones only); limit 0: nothing. Returns how many it left out.
int vote(const double *value, int *used, int count, double limit) NONBLOCKING;
double vote_median(const double *value, const int *used, int count); // 0 where none is used
