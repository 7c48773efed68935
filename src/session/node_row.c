#include "session/node_row.h"

#include <math.h>

void node_row(FILE *out, double arc_m, const struct sim_node *n) {
  const struct section_forces *f = &n->section;
  const double values[] = {arc_m,
                           n->position_n_m[0],
                           n->position_n_m[1],
                           n->position_n_m[2],
                           f->effective_tension_n,
                           f->wall_tension_n,
                           f->shear_n[0],
                           f->shear_n[1],
                           f->torsion_nm,
                           f->bending_nm[0],
                           f->bending_nm[1],
                           hypot(f->curvature_1pm[0], f->curvature_1pm[1])};
  for (size_t k = 0; k < sizeof values / sizeof *values; k++)
    fprintf(out, "%s%.12g", k ? "," : "", values[k]);
}
