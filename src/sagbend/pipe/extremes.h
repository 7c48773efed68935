// Largest and smallest forces, curvature and strain of the whole pipe, over the middles of all elements, all
// nodes, both sides of every node where two types meet, and both ends.
#pragma once

#include "sagbend/base/nonblocking.h"

struct pipe_extreme {
  double value;
  double s_m; // arc length S at which it occurs
};

struct pipe_extremes {
  struct pipe_extreme max_tension_n, min_tension_n; // effective tension; negative: compression
  struct pipe_extreme max_wall_tension_n, min_wall_tension_n;
  struct pipe_extreme max_shear_n;            // magnitude
  struct pipe_extreme max_torsion_nm;         // magnitude
  struct pipe_extreme max_moment_nm;          // magnitude of the bending moment
  struct pipe_extreme max_curvature_1pm;      // magnitude, of the shape
  struct pipe_extreme max_strain, min_strain; // of the steel's outer fibre, T_e/EA + curvature by bending
                                              // moment times outer radius of the steel (elastic, round pipe):
                                              // largest magnitude; smallest value, negative in compression
};

struct pipe_mesh;
struct pipe_state;
struct pipe_work;

// For the state of the last pipe_begin or pipe_energy_of, after w->top_force_n has been set.
void pipe_extremes_of(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                      struct pipe_extremes *extremes) NONBLOCKING;
