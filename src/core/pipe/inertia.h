// Inertia of the nodes, for the pipe's other files only: the tangent, and the mass that differs along the
// axis.
#pragma once

#include "core/base/nonblocking.h"
#include "core/pipe/pipe.h"

// Adds the inertia's part to a node's diagonal block of the tangent.
void pipe_inertia_tangent(const struct pipe *p, const struct pipe_state *s, const struct pipe_work *w,
                          const struct pipe_step *k, int node, double block[36]) NONBLOCKING;

// Replaces the isotropic inertia in the balance of nodes whose mass along the axis differs, and adds its
// moment.
void pipe_axial_inertia(const struct pipe *p, const struct pipe_state *s, struct pipe_work *w,
                        const struct pipe_step *k) NONBLOCKING;

// Velocity of such a node after the step.
vec3 pipe_axial_velocity(const struct pipe *p, const struct pipe_state *s, const struct pipe_work *w,
                         double inverse_h, int node) NONBLOCKING;
