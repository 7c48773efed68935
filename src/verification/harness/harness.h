// Verification cases: named, each against a reference that does not come from this code. A case runs the core
// in this process, deterministically, and fills a result: rows to judge, series to plot, meshes and steps.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum verify_error { VERIFY_ABSOLUTE, VERIFY_RELATIVE };

// A row: one quantity. The reference is a number (low = high) or a range; the error is the distance to it, in
// the unit or relative to its larger magnitude. A limit of INFINITY: the row is shown beside the reference
// and not judged.
struct verify_row {
  char quantity[112];
  char unit[16];
  double value, low, high;
  enum verify_error kind;
  double error, limit;
  int ok; // error <= limit; not finite: 0
};

enum verify_style { VERIFY_LINE, VERIFY_POINTS, VERIFY_DASHED };
struct verify_series {
  char label[80];
  enum verify_style style;
  int count, room;
  double *x, *y; // y NaN: a gap
};

enum { VERIFY_SERIES = 24, VERIFY_PLOTS = 8 };
struct verify_plot {
  char title[112], x_label[64], y_label[64];
  int log_axes;
  int flip_y; // depths: down is down
  int series_count;
  struct verify_series series[VERIFY_SERIES];
};

struct verify_result {
  int row_count, row_room;
  struct verify_row *rows;
  int plot_count;
  struct verify_plot plots[VERIFY_PLOTS];
  char run_with[256]; // meshes and step sizes
  char failure[320];  // why the case could not run to its end; empty: it did
  double wall_s;      // wall-clock time, filled by the caller
};

struct verify_setup {
  const char *configs;      // folder of the shipped configurations
  int attacks;              // number of random cases of passivity; 0: the short version
  int extended;             // nonzero: the long versions of the cases that have one
  uint64_t (*now_ns)(void); // clock for plots of cost, which are not judged; NULL: none
};

typedef void verify_case_run(const struct verify_setup *setup, struct verify_result *r);

struct verify_case {
  const char *name, *title;
  const char *text;   // what is computed
  const char *source; // where the reference comes from
  void (*run)(const struct verify_setup *setup, struct verify_result *result);
};

void verify_run(const struct verify_case *c, const struct verify_setup *setup, struct verify_result *result);
int verify_ok(
    const struct verify_result *r); // the case ran to its end, judged at least one row, and all rows hold
void verify_free(struct verify_result *r);

// Fills error and ok of a row from its other members.
void verify_judge(struct verify_row *row);
