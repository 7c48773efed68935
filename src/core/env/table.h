// Values given at times, up to three side by side: straight lines between the rows, or a cubic spline.
// Constant before the first row and after the last.
#pragma once

#include "core/base/nonblocking.h"

enum { TABLE_COLUMNS = 3, TABLE_ROWS_MAX = 1024 };
enum table_kind { TABLE_LINEAR, TABLE_SPLINE };

struct table_row {
  double time_s; // grows from row to row
  double value[TABLE_COLUMNS];
  double slope[TABLE_COLUMNS]; // per s, of the spline: filled by table_prepare
};

// The slopes of the spline that is C2 between the first and the last row and at rest in both, so that it
// joins the constants beyond them with C1. At most TABLE_ROWS_MAX rows.
void table_prepare(struct table_row *rows, int count);

// All columns at a time; count >= 1.
void table_at(const struct table_row *rows, int count, enum table_kind kind, double time_s,
              double value[TABLE_COLUMNS]) NONBLOCKING;
