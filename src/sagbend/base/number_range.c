#include "sagbend/base/number_range.h"

#include <math.h>
#include <stdlib.h>

int number_range_read(const char *text, int most, struct number_range *out) {
  double part[3] = {0, 0, 1};
  int parts = 0;
  for (const char *at = text;; at++) {
    char *end;
    part[parts] = strtod(at, &end);
    if (end == at || !isfinite(part[parts]))
      return 0;
    parts++;
    if (*end && (*end != ':' || parts == 3))
      return 0;
    at = end;
    if (!*at)
      break;
  }
  double last = parts == 1 ? part[0] : part[1], steps = floor((last - part[0]) / part[2] + 1e-9);
  if (parts == 2 || !(part[2] > 0) || !(steps >= 0) || !(steps < most))
    return 0;
  *out = (struct number_range){part[0], last, part[2], (int)steps + 1};
  return 1;
}
