// Morison's form of the added mass: the other reading of a node's mass that differs along the axis (inertia.c
// has Kirchhoff's). For the pipe's other files.
#pragma once

#include "core/base/nonblocking.h"
#include "core/pipe/pipe.h"

// Adds what the mass along the axis is more to the balance of nodes, on their acceleration.
void pipe_morison_inertia(const struct pipe *p, const struct pipe_state *s, struct pipe_work *w,
                          const struct pipe_step *k) NONBLOCKING;

// Adds its derivative to a node's diagonal block of the tangent.
void pipe_morison_tangent(const struct pipe *p, const struct pipe_state *s, const struct pipe_work *w,
                          const struct pipe_step *k, int node, double block[36]) NONBLOCKING;
