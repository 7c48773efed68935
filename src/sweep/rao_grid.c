#include "sweep/rao_grid.h"

#include "core/base/number_range.h"

struct limits {
  const char *option, *expected;
  double least, most;
  int count;
};

static enum status read_range(const struct limits *limits, const char *text, double *value, int *count,
                              struct reason *why) {
  struct number_range range;
  if (!text || !number_range_read(text, limits->count, &range) || !(range.first >= limits->least) ||
      !(range.last <= limits->most))
    return fail(why, STATUS_BAD_INPUT,
                "--%s: FIRST:LAST:STEP or a number expected, %s, at most %d values, got '%.60s'",
                limits->option, limits->expected, limits->count, text ? text : "nothing");
  *count = range.count;
  for (int i = 0; i < range.count; i++)
    value[i] = number_range_at(&range, i);
  return STATUS_OK;
}

enum status rao_grid_read(const char *frequencies, const char *headings, struct rao_grid *out,
                          struct reason *why) {
  static const struct limits frequency = {"frequencies", "in rad/s from 0.01 to 10", 0.01, 10,
                                          RAO_MAX_FREQUENCIES},
                             heading = {"headings", "in degrees from 0 to 360", 0, 360, RAO_MAX_HEADINGS};
  enum status status = read_range(&frequency, frequencies, out->omega_radps, &out->frequencies, why);
  return status == STATUS_OK ? read_range(&heading, headings, out->heading_deg, &out->headings, why) : status;
}
