#include "lab/judge/measures.h"

#include "os/files/json_read.h"

#include <math.h>
#include <stdio.h>

static const struct {
  const char *key, *text;
  double share, floor;
} TABLE[MEASURE_COUNT] = {
#define MEASURE(id, key, text, share, floor) {key, text, share, floor},
#include "lab/judge/measures.inc"
#undef MEASURE
};

const char *measure_key(enum measure m) {
  return TABLE[m].key;
}

void measures_read(const cJSON *run, double out[MEASURE_COUNT]) {
  const cJSON *metrics = json_item(run, "metrics");
  for (int m = 0; m < MEASURE_COUNT; m++)
    out[m] = json_number(metrics, TABLE[m].key);
}

enum measure measures_worse(const double now[MEASURE_COUNT], const double then[MEASURE_COUNT], int from) {
  for (int m = from; m < MEASURE_COUNT; m++) {
    int is_silent = m == MEASURE_DETECTED && isnan(now[m]) && !isnan(then[m]);
    if (is_silent || now[m] > TABLE[m].share * then[m] + TABLE[m].floor)
      return (enum measure)m;
  }
  return MEASURE_COUNT;
}

struct measure_text measures_text(enum measure m, const double now[MEASURE_COUNT],
                                  const double then[MEASURE_COUNT]) {
  struct measure_text out;
  if (isnan(now[m]))
    snprintf(out.text, sizeof out.text, "%s: none, there %.4g", TABLE[m].text, then[m]);
  else
    snprintf(out.text, sizeof out.text, "%s: %.4g, there %.4g", TABLE[m].text, now[m], then[m]);
  return out;
}
