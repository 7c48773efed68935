// Comparison of two controllers by what their runs measured: a controller that meets every criterion can
// still be worse than another one.
#pragma once

#include <cjson/cJSON.h>

enum measure {
#define MEASURE(id, key, text, share, floor) MEASURE_##id,
#include "lab/judge/measures.inc"
#undef MEASURE
  MEASURE_COUNT
};

const char *measure_key(enum measure m);

// Those of a run of results.json; NaN: it has none.
void measures_read(const cJSON *run, double out[MEASURE_COUNT]);

// The first measure from a number on in which now is worse than then; MEASURE_COUNT: there is none. NaN is
// not compared, except that an alarm which named the failure then has to do so now.
enum measure measures_worse(const double now[MEASURE_COUNT], const double then[MEASURE_COUNT], int from);

// "largest offset, m: 3.2, there 1.1".
struct measure_text {
  char text[160];
};
struct measure_text measures_text(enum measure m, const double now[MEASURE_COUNT],
                                  const double then[MEASURE_COUNT]);
