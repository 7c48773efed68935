// The places of a plot and what stands there, from the table of results.
#pragma once

#include "lab/sweep/sweep_internal.h"

// One place of a plot.
struct mark {
  int series;
  double x, y, value;
};

struct marks {
  struct mark *item;
  int count;
  char **series, **x_word, **y_word; // names in the order in which they are met; words: NULL if numbers
  int series_count, x_count, y_count;
  int x_is_word, y_is_word;
};

// Takes the rows of the table that have all values which the plot shows. Where several have the same place it
// keeps their mean. column: of x, y, by and value, -1: none. STATUS_NO_MEMORY is the only failure. Release
// with plot_marks_free in every case.
enum status plot_marks_take(struct marks *m, const struct results *r, const struct plan_plot *plot,
                            const int column[4]);
void plot_marks_free(struct marks *m);
