#include "sagbend/rig/node_columns.h"

#include <math.h>

const struct node_column node_columns[NODE_COLUMN_COUNT] = {
#define NODE_COLUMN(name, unit, in_csv, value, meaning) {#name, unit, in_csv, meaning},
#include "sagbend/rig/node_columns.inc"
};

static double node_curvature_1pm(const struct section_forces *f) {
  return sqrt(f->curvature_1pm[0] * f->curvature_1pm[0] + f->curvature_1pm[1] * f->curvature_1pm[1]);
}

void node_values(const struct sim_node *n, double values[NODE_COLUMN_COUNT]) {
  const struct section_forces *f = &n->section;
  int column = 0;
#define NODE_COLUMN(name, unit, in_csv, value, meaning) values[column++] = value;
#include "sagbend/rig/node_columns.inc"
}
