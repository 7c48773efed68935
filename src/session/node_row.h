// A node of the pipe as a row of CSV: its place, then its section's forces.
#pragma once

#include "core/sim/sim.h"

#include <stdio.h>

#define NODE_ROW_HEADER                                                                                      \
  "s_m,north_m,east_m,down_m,effective_tension_n,wall_tension_n,shear_2_n,shear_3_n,torsion_nm,"             \
  "bending_2_nm,bending_3_nm,curvature_1pm"

void node_row(FILE *out, double arc_m, const struct sim_node *node); // no line end
