// The seabed's normal springs under the pipe's nodes, for the pipe's other files only.
#pragma once

#include "pipe/pipe.h"

// Penetrations at the start of a step, into w->sunk_m.
void pipe_contact_begin(const struct pipe *p, const struct pipe_state *s, struct pipe_work *w);

// Adds the springs' forces to the balance; fills w->press_n.
void pipe_contact_forces(const struct pipe *p, const struct pipe_state *s, struct pipe_work *w);

// Adds their derivative with respect to dr to the node's block, and gives that of the node's mean normal force.
vec3 pipe_contact_tangent(const struct pipe *p, const struct pipe_state *s, const struct pipe_work *w, int i,
                          double block[36]);
