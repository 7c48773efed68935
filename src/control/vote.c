#include "control/vote.h"

#include <math.h>

double vote_median(const double *value, const int *used, int count) {
  double sorted[VOTE_MOST];
  int n = 0;
  for (int i = 0; i < count; i++) {
    if (!used[i])
      continue;
    int at = n++;
    for (; at > 0 && sorted[at - 1] > value[i]; at--)
      sorted[at] = sorted[at - 1];
    sorted[at] = value[i];
  }
  if (n == 0)
    return 0;
  return 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
}

int vote(const double *value, int *used, int count, double limit) {
  int n = 0, out = 0;
  for (int i = 0; i < count; i++)
    n += used[i] != 0;
  if (n < 3 || limit <= 0)
    return 0;
  double middle = vote_median(value, used, count);
  for (int i = 0; i < count; i++)
    if (used[i] && fabs(value[i] - middle) > limit) {
      used[i] = 0;
      out++;
    }
  return out;
}
