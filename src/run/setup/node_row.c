#include "run/setup/node_row.h"

#include "sagbend/rig/node_columns.h"

#include <math.h>

void node_row_header(FILE *out) {
  fputs("s_m", out);
  for (int i = 0; i < NODE_COLUMN_COUNT; i++)
    if (node_columns[i].in_csv)
      fprintf(out, ",%s", node_columns[i].name);
}

void node_row(FILE *out, const struct sim_node *node) {
  double values[NODE_COLUMN_COUNT];
  node_values(node, values);
  fprintf(out, "%.12g", node->arc_length_m);
  for (int i = 0; i < NODE_COLUMN_COUNT; i++)
    if (node_columns[i].in_csv)
      fprintf(out, ",%.12g", isnan(values[i]) ? 0 : values[i]);
}
