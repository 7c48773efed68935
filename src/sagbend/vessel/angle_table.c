#include "sagbend/vessel/angle_table.h"

#include "sagbend/math/trig.h"

void angle_table_add(struct angle_table *table, double angle_rad, const double c[ANGLE_COLUMNS],
                     double mirror) {
  int i = table->count++;
  table->angle_rad[i] = angle_rad;
  for (int k = 0; k < ANGLE_COLUMNS; k++)
    table->c[i][k] = k == 0 ? c[k] : mirror * c[k];
}

static void set_slopes(struct angle_table *table) {
  int n = table->count - 1; // rows of one turn
  for (int i = 0; i <= n; i++) {
    int before = i > 0 ? i - 1 : n - 1, after = i < n ? i + 1 : 1, at = i < n ? i : 0;
    double left = table->angle_rad[i] - table->angle_rad[before] + (i > 0 ? 0 : 2 * TRIG_PI);
    double right = table->angle_rad[after] - table->angle_rad[i] + (i < n ? 0 : 2 * TRIG_PI);
    for (int k = 0; k < ANGLE_COLUMNS; k++) {
      double rise = (table->c[at][k] - table->c[before][k]) / left,
             fall = (table->c[after][k] - table->c[at][k]) / right;
      table->slope[i][k] = (right * rise + left * fall) / (left + right);
    }
  }
}

void angle_table_complete(struct angle_table *table) {
  int count = table->count;
  if (table->angle_rad[count - 1] <= TRIG_PI + 1e-9)
    for (int i = count - 2; i > 0; i--)
      angle_table_add(table, 2 * TRIG_PI - table->angle_rad[i], table->c[i], -1);
  angle_table_add(table, 2 * TRIG_PI, table->c[0], 1);
  set_slopes(table);
}

void angle_table_at(const struct angle_table *table, double angle_rad, double c[ANGLE_COLUMNS]) {
  double angle = angle_rad < 0 ? angle_rad + 2 * TRIG_PI : angle_rad;
  int low = 0, high = table->count - 1;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (table->angle_rad[middle] <= angle)
      low = middle;
    else
      high = middle;
  }
  double width = table->angle_rad[high] - table->angle_rad[low], x = (angle - table->angle_rad[low]) / width;
  double y = 1 - x;
  for (int k = 0; k < ANGLE_COLUMNS; k++)
    c[k] = y * y * ((1 + 2 * x) * table->c[low][k] + x * width * table->slope[low][k]) +
           x * x * ((1 + 2 * y) * table->c[high][k] - y * width * table->slope[high][k]);
}
