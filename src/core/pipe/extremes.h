// Largest and smallest forces, curvature and strain of the whole pipe: over the middles of all elements, all
// nodes, both sides of every node where two kinds of pipe meet, and both ends.
#pragma once

#include "core/base/nonblocking.h"

struct pipe_extreme {
  double value, s_m; // and the arc length S where it is
};

struct pipe_extremes {
  struct pipe_extreme max_tension_n, min_tension_n; // effective; negative: compression
  struct pipe_extreme max_wall_tension_n, min_wall_tension_n;
  struct pipe_extreme max_shear_n, max_torsion_nm,
      max_moment_nm;                     // magnitudes; the moment is the bending moment
  struct pipe_extreme max_curvature_1pm; // magnitude, of the shape
  // Longitudinal strain of the steel's outer fibre, T_e/EA + (bending moment's curvature) * outer radius of
  // the steel: elastic, of a round pipe. The largest magnitude, and the smallest (the compressed side;
  // negative: compression).
  struct pipe_extreme max_strain, min_strain;
};

struct pipe;
struct pipe_state;
struct pipe_work;

// Of the state that pipe_begin (or pipe_energy_of) was last called with; w->top_force_n is to be set.
void pipe_extremes_of(const struct pipe *p, const struct pipe_state *s, const struct pipe_work *w,
                      struct pipe_extremes *x) NONBLOCKING;
