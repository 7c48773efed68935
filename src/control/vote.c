#include "control/vote.h"

#include <math.h>

double vote_median(const double *value, const int *used, int count) {
  double sorted[VOTE_MOST];
  int used_count = 0;
  for (int i = 0; i < count; i++) {
    if (!used[i])
      continue;
    int at = used_count++;
    for (; at > 0 && sorted[at - 1] > value[i]; at--)
      sorted[at] = sorted[at - 1];
    sorted[at] = value[i];
  }
  if (used_count == 0)
    return 0;
  return 0.5 * (sorted[(used_count - 1) / 2] + sorted[used_count / 2]);
}

int vote_exclude(const double *value, int *used, int count, double limit) {
  int used_count = 0, excluded = 0;
  for (int i = 0; i < count; i++)
    used_count += used[i] != 0;
  if (used_count < 3 || limit <= 0)
    return 0;
  double middle = vote_median(value, used, count);
  for (int i = 0; i < count; i++)
    if (used[i] && fabs(value[i] - middle) > limit) {
      used[i] = 0;
      excluded++;
    }
  return excluded;
}
