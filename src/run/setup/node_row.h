// CSV of the pipe's nodes: arc length from the lower end, then the columns of sagbend/rig/node_columns.inc.
#pragma once

#include "sagbend/sim/sim.h"

#include <stdio.h>

// Both write no line end.
void node_row_header(FILE *out);
void node_row(FILE *out, const struct sim_node *node);
