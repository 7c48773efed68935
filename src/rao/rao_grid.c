#include "rao/rao_grid.h"

#include <math.h>
#include <stdlib.h>

struct range {
  const char *option, *expected;
  double least, most;
  int limit; // of values
};

static enum status refuse(const struct range *range, const char *text, struct reason *why) {
  return fail(why, STATUS_BAD_INPUT,
              "--%s: FIRST:LAST:STEP or a number expected, %s, at most %d values, got '%.60s'", range->option,
              range->expected, range->limit, text ? text : "nothing");
}

static enum status read_range(const struct range *range, const char *text, double *value, int *count,
                              struct reason *why) {
  double part[3] = {0, 0, 1};
  int parts = 0;
  for (const char *at = text; at; at++) {
    char *end;
    part[parts] = strtod(at, &end);
    int is_number = end != at && isfinite(part[parts]);
    parts++;
    if (!is_number || (*end && *end != ':') || (*end && parts == 3))
      return refuse(range, text, why);
    at = end;
    if (!*at)
      break;
  }
  if (parts == 1)
    part[1] = part[0];
  double steps = floor((part[1] - part[0]) / part[2] + 1e-9);
  if ((parts != 1 && parts != 3) || !(part[2] > 0) || !(part[0] >= range->least) || !(steps >= 0) ||
      !(steps < range->limit) || !(part[1] <= range->most))
    return refuse(range, text, why);
  *count = (int)steps + 1;
  for (int i = 0; i < *count; i++)
    value[i] = part[0] + i * part[2];
  return STATUS_OK;
}

enum status rao_grid_read(const char *frequencies, const char *headings, struct rao_grid *out,
                          struct reason *why) {
  static const struct range frequency = {"frequencies", "in rad/s from 0.01 to 10", 0.01, 10,
                                         RAO_MAX_FREQUENCIES},
                            heading = {"headings", "in degrees from 0 to 360", 0, 360, RAO_MAX_HEADINGS};
  enum status status = read_range(&frequency, frequencies, out->omega_radps, &out->frequencies, why);
  return status == STATUS_OK ? read_range(&heading, headings, out->heading_deg, &out->headings, why) : status;
}
