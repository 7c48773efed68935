// Up to three values given at times, joined by straight lines or a cubic spline, constant before the first
// row and after the last.
#pragma once

#include "sagbend/base/nonblocking.h"

enum { TABLE_COLUMNS = 3, TABLE_ROWS_MAX = 1024 };
enum table_kind { TABLE_LINEAR, TABLE_SPLINE };

struct table_row {
  double time_s; // increases from row to row
  double value[TABLE_COLUMNS];
  double slope[TABLE_COLUMNS]; // of the spline, per s; filled by table_prepare
};

// Fills the slopes of the spline that is twice continuously differentiable between the first and the last row
// and has zero slope in both, so that it joins the constants outside with a continuous slope. count <=
// TABLE_ROWS_MAX.
void table_prepare(struct table_row *rows, int count);

// All columns at a time; count >= 1.
void table_at(const struct table_row *rows, int count, enum table_kind kind, double time_s,
              double value[TABLE_COLUMNS]) NONBLOCKING;
