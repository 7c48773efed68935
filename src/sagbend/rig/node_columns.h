// Output of the pipe's nodes: the table of sagbend/rig/node_columns.inc, and the values of a node.
#pragma once

#include "sagbend/sim/sim.h"

enum {
  NODE_COLUMN_COUNT = 0
#define NODE_COLUMN(name, unit, in_csv, value, meaning) +1
#include "sagbend/rig/node_columns.inc"
};

struct node_column {
  const char *name, *unit; // SI; unit "": a component of a unit quaternion
  int in_csv;              // 0: in the message Nodes only
  const char *meaning;
};
extern const struct node_column node_columns[NODE_COLUMN_COUNT];

void node_values(const struct sim_node *node, double values[NODE_COLUMN_COUNT]);
