// For core/model: the top element while pipe is paid out or recovered. Its length changes within a step;
// between steps it is split, or merged with its neighbour.
#pragma once

#include "core/base/nonblocking.h"
#include "core/pipe/growing_element.h"
#include "core/pipe/pipe.h"

// Sets the length of the top element, and what its two nodes take from it: masses, weight, drag and contact
// of a top element of lumped_m. Within a conservative step lumped_m is the mean of start and end.
void pipe_set_top_length(struct pipe *p, double element_m, double lumped_m) NONBLOCKING;

// Sets the number of elements, elements_min to elements_max. All of the feed have the nominal length but the
// top element, which has top_m.
void pipe_set_elements(struct pipe *p, int elements, double top_m) NONBLOCKING;

// Lets the pipe begin with the element `first` above the lower end at the start, where the arc length is
// arc_m, and have so many elements, all of their whole length.
void pipe_set_window(struct pipe *p, int first, double arc_m, int elements) NONBLOCKING;

// Clears the scratch of slots that no longer belong to the pipe, and of the top.
void pipe_work_clear_above(const struct pipe *p, struct pipe_work *w) NONBLOCKING;

// State: a new node before the last, with everything 0; and the removal of the node below the last.
void pipe_state_insert_below_top(const struct pipe *p, struct pipe_state *s) NONBLOCKING;
void pipe_state_remove_below_top(const struct pipe *p, struct pipe_state *s) NONBLOCKING;

// State: the removal of node 0, and a new node 0 with everything 0.
void pipe_state_drop_lowest(const struct pipe *p, struct pipe_state *s) NONBLOCKING;
void pipe_state_add_lowest(const struct pipe *p, struct pipe_state *s) NONBLOCKING;

// The element between nodes i and j of the state, of this length and with the stiffness of the top element,
// at rest.
struct growing_element pipe_still_element(const struct pipe *p, const struct pipe_state *s, int i, int j,
                                          double length_m) NONBLOCKING;

// Derivatives of the top element within a step whose length at the end is an unknown.
struct growing_length_tangent pipe_growing_length_tangent(const struct pipe *p, const struct pipe_state *s,
                                                          const struct pipe_work *w,
                                                          double damping_over_h) NONBLOCKING;

// The same element as it balances while its length changes by grown_m a step: within such a step the mean
// stress is C mean(g) mean(1/l), which exceeds the mean of C g/l at its ends by the share (grown_m /
// length_m)^2 / 4.
void pipe_stiffen_for_growth(struct growing_element *x, double grown_m) NONBLOCKING;

// Energy of a metre that belongs to node i: weight, contact, friction springs, rotation; and of its mass with
// the added mass along the axis, moving with the node.
double pipe_metre_potential(const struct pipe *p, const struct pipe_state *s, int i) NONBLOCKING;
double pipe_metre_rotary(const struct pipe *p, const struct pipe_state *s, int i) NONBLOCKING;
double pipe_metre_kinetic(const struct pipe *p, vec3 axis, vec3 velocity) NONBLOCKING;
