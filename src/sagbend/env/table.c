#include "sagbend/env/table.h"

// The second derivative is continuous at row i, with widths a before and b after it, if the slopes m obey
//   m_-/a + 2 (1/a + 1/b) m + m_+/b = 3 (d_-/a + d_+/b),   d the slopes of the chords.
// Tridiagonal elimination between the zero slopes at both ends; the matrix is diagonally dominant.
void table_prepare(struct table_row *rows, int count) {
  double above[TABLE_ROWS_MAX] = {0};
  for (int c = 0; c < TABLE_COLUMNS && count > 0; c++)
    rows[0].slope[c] = rows[count - 1].slope[c] = 0;

  for (int i = 1; i < count - 1; i++) {
    double a = rows[i].time_s - rows[i - 1].time_s, b = rows[i + 1].time_s - rows[i].time_s;
    double pivot = 2 * (1 / a + 1 / b) - above[i - 1] / a;
    above[i] = 1 / b / pivot;
    for (int c = 0; c < TABLE_COLUMNS; c++) {
      double before = (rows[i].value[c] - rows[i - 1].value[c]) / a,
             after = (rows[i + 1].value[c] - rows[i].value[c]) / b;
      rows[i].slope[c] = (3 * (before / a + after / b) - rows[i - 1].slope[c] / a) / pivot;
    }
  }

  for (int i = count - 2; i > 0; i--)
    for (int c = 0; c < TABLE_COLUMNS; c++)
      rows[i].slope[c] -= above[i] * rows[i + 1].slope[c];
}

// The last row with a time <= time_s, at most the last but one.
static int row_before(const struct table_row *rows, int count, double time_s) {
  int low = 0, high = count - 1;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (rows[middle].time_s <= time_s)
      low = middle;
    else
      high = middle;
  }

  return low;
}

static void copy_values(const struct table_row *row, double value[TABLE_COLUMNS]) {
  for (int c = 0; c < TABLE_COLUMNS; c++)
    value[c] = row->value[c];
}

void table_at(const struct table_row *rows, int count, enum table_kind kind, double time_s,
              double value[TABLE_COLUMNS]) {
  if (time_s <= rows[0].time_s || time_s >= rows[count - 1].time_s) {
    copy_values(&rows[time_s <= rows[0].time_s ? 0 : count - 1], value);
    return;
  }

  const struct table_row *p = &rows[row_before(rows, count, time_s)], *q = p + 1;
  double width = q->time_s - p->time_s, x = (time_s - p->time_s) / width, y = 1 - x;

  for (int c = 0; c < TABLE_COLUMNS; c++) {
    double chord = q->value[c] - p->value[c];
    value[c] = p->value[c] + x * chord;
    if (kind == TABLE_SPLINE) // what the Hermite cubic adds to the chord
      value[c] += x * y * (y * (width * p->slope[c] - chord) - x * (width * q->slope[c] - chord));
  }
}
