// The results of a sweep as a table: a row for each point. Columns: point, those of the plan, outcome, four
// for each verdict (NAME, NAME.worst, NAME.mean, NAME.rms: its result, and worst value, mean and root mean
// square of its quantity while it judged), the quantities of the plan, state_hash; with a bisecting axis
// limit.KEY for each of its keys: only in the row of the limit of each group, 0 where no row holds.
#pragma once

#include "lab/sweep/limits.h"
#include "lab/sweep/point_folder.h"

enum { RESULTS_OF_VERDICT = 4 }; // columns

struct results_row {
  enum point_outcome outcome;
  char *reason;
  char state_hash[20];
  struct verdict_cell {
    char result[12];
    double value[RESULTS_OF_VERDICT - 1]; // NaN: none
  } *verdict;
  int verdict_count;
  int is_unneeded; // it has not run, and its limit is found without it
  char **quantity; // text of each
};

struct results {
  const struct plan *plan;
  const struct sweep_folder *folder;
  char **verdict; // names, in the order in which they are met
  int verdict_count;
  struct results_row *row; // of each point
  int passed, failed, broken, missing, unneeded;
  struct limit *limit; // of each group of a bisecting axis; NULL: none
  int limit_count, open_limits;
};

// Reads the records and summaries of all points. STATUS_IO: one of them cannot be read. Release with
// results_free in every case.
enum status results_read(struct results *r, const struct plan *plan, const struct sweep_folder *folder,
                         struct reason *why);
void results_free(struct results *r);

// Prints the points of a plan as CSV: number and columns.
enum status results_list(const struct plan *plan, FILE *out);

// Writes results.csv, and failures.csv with a row for each point that has not passed.
enum status results_write(const struct results *r, struct reason *why);

// Writes limits.csv: for each group the columns of the other axes, the rows held, the values of the last of
// them, and for each verdict its worst value there and in the first row that is lost. results_write calls it.
enum status results_write_limits(const struct results *r, FILE *out);

// Whether a column is one of the limits, of which a plot shows the least instead of the mean.
int results_is_limit(const struct results *r, int column);

// Whether a point with a verdict of this name (NULL: none) gives the table this column.
int results_has_column(const struct plan *plan, const char *verdict, const char *name);

// The columns and their names.
struct results_cell {
  char text[512];
};
int results_column_count(const struct results *r);
struct results_cell results_column(const struct results *r, int column);
// Index of a column, -1 if there is none. The text of a cell.
int results_find_column(const struct results *r, const char *name);
struct results_cell results_cell(const struct results *r, const struct plan_point *point, int column);

// Writes the plots of the plan with gnuplot, and their scripts. Prints a notice for what cannot be plotted.
enum status results_plot(const struct results *r, struct reason *why);
