// The plots of the cases, made by gnuplot.
#pragma once

#include "verification/report/report.h"

// A plot in pixels of its SVG, its frame in parts of that, from below and from the left.
#define PLOT_WIDTH  640.0
#define PLOT_HEIGHT 420.0
#define PLOT_LEFT   0.14
#define PLOT_RIGHT  0.97
#define PLOT_BOTTOM 0.13
#define PLOT_TOP    0.90

struct plot_range {
  double low, high;
  int is_log;
};

// Where the name of a curve stands, halfway up its letters, in parts of the frame; with is_led also the line
// that leads from it to its curve. end: what stands at x, -1 the left end, 1 the right, 0 the middle of it,
// so that a narrower font leaves the name beside its curve.
struct curve_name {
  double x, y;
  int end;
  int is_led;
  double from_x, from_y, to_x, to_y;
};

struct curve_names {
  struct plot_range x, y; // of the axes
  double right;           // of the frame, in parts of the plot
  struct curve_name at[VERIFY_SERIES];
};

// The first curve of the same name, whose colour and name a curve shares; itself, if there is none.
int curve_leader(const struct verify_plot *p, int series);

// Returns 0 if a name has no place: curves are too close or too many, and a legend has the names.
int curve_names_place(const struct verify_plot *p, struct curve_names *n);

// Writes CASE-K.svg and CASE-K.png for each plot. Returns 1 if they are written, 0 if gnuplot
// is missing, -1 on failure; both after a line on stderr.
int verify_plots_write(const char *folder, const struct verify_outcome *outcomes, int count);
