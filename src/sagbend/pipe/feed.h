// For core/model: the top element while pipe is paid out or recovered. Its length changes within a step;
// between steps it is split, or merged with its neighbour.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/pipe/pipe.h"
#include "sagbend/pipe/growing_element.h"

// What the nodes of an element carry that is of a kind up to the length of an element of this kind, and of
// the next kind above; NULL: nothing follows. Two kinds keep their centre of gravity.
struct pipe_top_load pipe_load_between(const struct pipe_stretch *own, const struct pipe_stretch *next,
                                       double length_m) NONBLOCKING;

// The same for a length of the top element.
struct pipe_top_load pipe_load_of(const struct pipe_mesh *p, double length_m) NONBLOCKING;

// Submerged weight at the upper node over the length of the element, N/m.
double pipe_hanging_weight(const struct pipe_mesh *p, const struct pipe_top_load *load) NONBLOCKING;

// Tension at the grip between steps, without inertia and the force of the water, of a top element whose
// length changes by grown_m in a step, N.
double pipe_still_grip_n(const struct pipe_mesh *p, const struct pipe_state *s, double grown_m) NONBLOCKING;

// Sets the length of the top element, and what its two nodes take from it: masses, weight, drag and contact
// of these lengths. Within a conservative step they are the means of start and end.
void pipe_set_top_length(struct pipe_mesh *p, double element_m,
                         const struct pipe_top_load *lumped) NONBLOCKING;

// Sets the number of elements, elements_min to elements_max. Each has its length and kind in the plan but the
// top element, which has top_m.
void pipe_set_elements(struct pipe_mesh *p, int elements, double top_m) NONBLOCKING;

// Lets the pipe begin with the element `first` above the lower end at the start, where the arc length is
// arc_m, and have so many elements, all of their whole length.
void pipe_set_window(struct pipe_mesh *p, int first, double arc_m, int elements) NONBLOCKING;

// The stretch of an element of the plan; the last one where the plan has ended.
const struct pipe_stretch *pipe_stretch_of_place(const struct pipe *p, int place) NONBLOCKING;

// Clears the scratch of slots that no longer belong to the pipe, and of the top.
void pipe_work_clear_above(const struct pipe_mesh *p, struct pipe_work *w) NONBLOCKING;

// State: a new node before the last, with everything 0; and the removal of the node below the last.
void pipe_state_insert_below_top(const struct pipe_mesh *p, struct pipe_state *s) NONBLOCKING;
void pipe_state_remove_below_top(const struct pipe_mesh *p, struct pipe_state *s) NONBLOCKING;

// State: the removal of node 0, and a new node 0 with everything 0.
void pipe_state_drop_lowest(const struct pipe_mesh *p, struct pipe_state *s) NONBLOCKING;
void pipe_state_add_lowest(const struct pipe_mesh *p, struct pipe_state *s) NONBLOCKING;

// Element e of the state, at rest.
struct growing_element pipe_still_element(const struct pipe_mesh *p, const struct pipe_state *s,
                                          int e) NONBLOCKING;

// Derivatives of the top element within a step whose length at the end is an unknown.
struct growing_length_tangent pipe_growing_length_tangent(const struct pipe_mesh *p,
                                                          const struct pipe_state *s,
                                                          const struct pipe_work *w,
                                                          double damping_over_h) NONBLOCKING;

// The same element as it balances while its length changes by grown_m a step: within such a step the mean
// stress is C mean(g) mean(1/l), which exceeds the mean of C g/l at its ends by the share (grown_m /
// length_m)^2 / 4.
void pipe_stiffen_for_growth(struct growing_element *x, double grown_m) NONBLOCKING;

// Energy of a metre of a kind that belongs to node i: weight, contact, friction springs, rotation; and of its
// mass with the added mass along the axis, moving with the node.
double pipe_metre_potential(const struct pipe_mesh *p, const struct pipe_metre *metre,
                            const struct pipe_state *s, int i) NONBLOCKING;
double pipe_metre_rotary(const struct pipe_metre *metre, const struct pipe_state *s, int i) NONBLOCKING;
double pipe_metre_kinetic(const struct pipe_metre *metre, vec3 axis, vec3 velocity) NONBLOCKING;

// Mass of a metre that moves along its axis, with the added mass, kg/m.
static inline double pipe_axial_mass(const struct pipe_metre *metre) {
  return metre->mass_kg + metre->added_axial * metre->water_kg;
}
