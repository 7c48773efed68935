// Coefficients by the angle of a flow around the hull, for wind and current: periodic, with a continuous
// derivative. A cubic joins the rows, whose slopes there are those of parabolas through three rows.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/vessel/vessel.h"

enum { ANGLE_COLUMNS = 4, ANGLE_ROWS = 2 * MAX_ANGLE_ROWS + 1 }; // both sides, and the first row once more

// Constant during a run.
struct angle_table {
  int count; // rows; the last one repeats the first one, 2 pi later
  double angle_rad[ANGLE_ROWS], c[ANGLE_ROWS][ANGLE_COLUMNS], slope[ANGLE_ROWS][ANGLE_COLUMNS];
};

// Adds a row; angles increase. mirror: factor on all columns but the first, 1 or -1.
void angle_table_add(struct angle_table *table, double angle_rad, const double c[ANGLE_COLUMNS],
                     double mirror);

// Completes the table from its rows, which begin at 0: the mirror image of the other side, if they end at pi,
// the row after a full turn, and the slopes.
void angle_table_complete(struct angle_table *table);

// All columns at an angle in (-2 pi, 2 pi].
void angle_table_at(const struct angle_table *table, double angle_rad, double c[ANGLE_COLUMNS]) NONBLOCKING;
