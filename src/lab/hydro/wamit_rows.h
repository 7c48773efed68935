// Lists of numbers, all of one length, as WAMIT's numeric files are. Within the reader of WAMIT only.
#pragma once

#include "sagbend/hydro/hydro_raw.h"
#include "sagbend/hydro/hydro.h"

enum { WAMIT_COLUMNS = 9 };

struct wamit_row {
  double number[WAMIT_COLUMNS];
  int count, line;
};

struct wamit_rows {
  struct text_file file; // open until wamit_rows_free, for messages
  struct wamit_row *row; // owned
  int count;
};

static const double WAMIT_SIGN[6] = {1, -1, -1, 1, -1, -1}; // of our axes in WAMIT's

// Reads a file whose lines have fewest to most numbers; a first line that is no number is a title.
enum status wamit_rows_read(struct wamit_rows *rows, const char *path, int fewest, int most, const char *what,
                            struct reason *why);
// report: for notices about the file; NULL: none.
void wamit_rows_free(struct wamit_rows *rows, struct hydro_report *report);

// Fails with the line of a row.
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
enum status wamit_fail(const struct wamit_rows *rows, int row, struct reason *why, const char *expected, ...);

// Fails unless the column is a whole number from 1 to 6.
enum status wamit_check_index(const struct wamit_rows *rows, int row, int column, struct reason *why);
