// Forces, moments and strains in the cross-sections of the pipe, and their extremes: outputs.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"
#include "sagbend/pipe/pipe.h"

// Forces and moments in the cross-sections of the pipe, as outputs: what the part above S exerts on the part
// below, in the section frame t (t1 along the axis, towards the hang-off).

struct section_forces {
  double effective_tension_n; // axial force of the model, which balances the submerged weight; positive in
                              // tension
  double wall_tension_n;      // axial force in the steel: T_w = T_e - p_o A_o + p_i A_i
  double shear_n[2];          // along t2, t3
  double torsion_nm;          // about t1
  double bending_nm[2];       // about t2, t3
  double curvature_1pm[2];    // about t2, t3: of the shape, including the curvature of the unstressed pipe
  double residual_1pm[2];     // part of curvature_1pm that bending beyond yield has left: what remains of it
                              // without bending_nm/EI and the curvature of the unstressed pipe
  double max_strain, min_strain; // longitudinal, of the steel's outer fibre: largest magnitude; smallest
                                 // value, negative in compression
};

// The functions below refer to the state of the last pipe_begin or pipe_energy_of. They give the elastic
// part: the stress of structural damping is not included.

// In the middle of an element.
struct section_forces pipe_element_section_forces(const struct pipe_mesh *p, const struct pipe_state *s,
                                                  const struct pipe_work *w, int element) NONBLOCKING;

// At a node, with an error of order 2 in the element length (sections.c). Where two types meet, the
// wall tension is the mean of both sides; curvature, with its residual part, and strain are those of the side
// where they are larger. At the upper end the force is w->top_force_n, between the pipe and what holds it.
struct section_forces pipe_node_section_forces(const struct pipe_mesh *p, const struct pipe_state *s,
                                               const struct pipe_work *w, int node) NONBLOCKING;

// The same with wall tension, curvature and strain of the element below (upper = 0) or above (upper = 1) the
// node.
struct section_forces pipe_node_side_forces(const struct pipe_mesh *p, const struct pipe_state *s,
                                            const struct pipe_work *w, int node, int upper) NONBLOCKING;

// Force in the middle of an element, N in n.
struct vec3 pipe_element_force(const struct pipe_mesh *p, const struct pipe_work *w, int element) NONBLOCKING;

// ------------------------------------------------------------
// Largest and smallest forces, curvature and strain of the whole pipe, over the middles of all elements, all
// nodes, both sides of every node where two types meet, and both ends.

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

// For the state of the last pipe_begin or pipe_energy_of, after w->top_force_n has been set.
void pipe_extremes_of(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                      struct pipe_extremes *extremes) NONBLOCKING;
