// For the other files of this room: kernels of the element (pipe_element.c, element.c).
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/math/lanes.h"
#include "sagbend/pipe/pipe.h"
#include "sagbend/pipe/growing_element.h"

// Strains of all elements for the positions in s and the directors w->d0: fills slope0 and strain0.
void pipe_element_strains(const struct pipe_mesh *p, const struct pipe_state *s,
                          struct pipe_work *w) NONBLOCKING;

// Internal forces of all elements from d0, dd and dr_n: fills strain_step, stress, force_n, moment_lower and
// moment_upper. damping_over_h: eta/h.
void pipe_element_forces(const struct pipe_mesh *p, struct pipe_work *w, double damping_over_h) NONBLOCKING;

// Derivative of an element's contribution to the residual (minus the internal forces) with respect to (dr,
// phi) of its nodes; 6x6 blocks column by column. AA: rows and columns of the lower node; AB: rows of the
// lower, columns of the upper; ...
enum { AA, AB, BA, BB, ELEMENT_BLOCKS };

// Blocks of LANES elements from first on, with the stresses of the last pipe_element_forces. to[block][k]:
// where that block of element first + k goes; AA is added to what BB of the element below has stored.
void pipe_element_tangents(const struct pipe_mesh *p, const struct pipe_work *w, double damping_over_h,
                           int first, double *const (*to)[LANES]) NONBLOCKING;

// The top element of a step in which its length changes (feed.c): overwrites what pipe_element_forces has
// computed for it, and fills its blocks in place of pipe_element_tangents.
void pipe_growing_forces(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                         double damping_over_h) NONBLOCKING;
void pipe_growing_tangent(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                          double damping_over_h, double *const to[ELEMENT_BLOCKS]) NONBLOCKING;

// Wires (wire.c): overwrite what the functions above have computed for them, which take them for beams.
void pipe_wire_strains(const struct pipe_mesh *p, const struct pipe_state *s,
                       struct pipe_work *w) NONBLOCKING;
void pipe_wire_forces(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                      double damping_over_h) NONBLOCKING;

// Blocks of LANES wires from first on, as pipe_element_tangents; of what is no wire they have no meaning.
// is_static: the nodes get some stiffness against twist, which they have not; no moment about the axis acts
// on them.
void pipe_wire_tangents(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                        double damping_over_h, int first, int is_static,
                        double *const (*to)[LANES]) NONBLOCKING;

// Gives the nodes of a wire at rest a stiffness against twist in the tangent. Nothing else may hold them, nor
// the beam that the wire meets, and no moment about their axes acts on them.
void pipe_wire_hold_twist(const struct pipe_mesh *p, int e, struct growing_element *x) NONBLOCKING;

// What a growing element of this number has of a wire.
void pipe_wire_kind(const struct pipe_mesh *p, int e, struct growing_element *x) NONBLOCKING;
