// Forces and moments in the pipe's sections, for people: what the part above S puts on the part below, in the
// section frame (t1 along the axis, towards the hang-off).
#pragma once

#include "core/base/nonblocking.h"

struct section_forces {
  double effective_tension_n; // the axial force of the model: balances the submerged weight
  double wall_tension_n;      // in the steel: T_w = T_e - p_o A_o + p_i A_i
  double shear_n[2];          // along t2, t3
  double torsion_nm;
  double bending_nm[2];    // about t2, t3
  double curvature_1pm[2]; // about t2, t3: of the shape, with that of the unstressed pipe
  double max_strain,
      min_strain; // of the steel's outer fibre: largest magnitude; smallest (negative: compression)
};

struct pipe;
struct pipe_state;
struct pipe_work;

// Of the state that pipe_begin (or pipe_energy_of) was last called with. The elastic part: what structural
// damping adds while the strain changes is not in it.
struct section_forces pipe_element_section_forces(const struct pipe *p, const struct pipe_state *s,
                                                  const struct pipe_work *w, int element); // at its middle
// Recovered at a node, of order 2 in the element length (see section_forces.c). Where two different sections
// meet, the wall tension is the mean of both sides, curvature and strain those of the side that bends or
// strains more. At the hang-off the force is w->top_force_n, the one between the pipe and what holds it.
struct section_forces pipe_node_section_forces(const struct pipe *p, const struct pipe_state *s,
                                               const struct pipe_work *w, int node) NONBLOCKING;
// The same with the wall tension, curvature and strain of the element below (upper = 0) or above the node.
struct section_forces pipe_node_side_forces(const struct pipe *p, const struct pipe_state *s,
                                            const struct pipe_work *w, int node, int upper) NONBLOCKING;
// Force in the middle of an element, world frame.
struct vec3 pipe_element_force(const struct pipe *p, const struct pipe_work *w, int element) NONBLOCKING;
