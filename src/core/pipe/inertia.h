// For the other files of this room: inertia of the nodes, with a mass along the axis that differs from the
// mass across it.
#pragma once

#include "core/base/nonblocking.h"
#include "core/pipe/pipe.h"

// Adds the derivative of the inertia to the diagonal block of a node; nothing in statics.
void pipe_inertia_tangent(const struct pipe *p, const struct pipe_state *s, const struct pipe_work *w,
                          const struct pipe_step *k, int node, double block[36]) NONBLOCKING;

// Kirchhoff's form: in the residual of nodes whose mass along the axis differs, replaces the isotropic
// inertia and adds the moment.
void pipe_axial_inertia(const struct pipe *p, const struct pipe_state *s, struct pipe_work *w,
                        const struct pipe_step *k) NONBLOCKING;

// Velocity of such a node at the end of the step, m/s.
vec3 pipe_axial_velocity(const struct pipe *p, const struct pipe_state *s, const struct pipe_work *w,
                         double inverse_h, int node) NONBLOCKING;
