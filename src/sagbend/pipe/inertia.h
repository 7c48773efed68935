// For the other files of this room: inertia of the nodes, with a mass along the axis that differs from the
// mass across it.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/math/lanes.h"
#include "sagbend/pipe/pipe.h"

// Adds the derivative of the inertia of LANES nodes from first on to their diagonal blocks. Not for statics,
// and without what Morison's form of the added mass adds.
void pipe_inertia_tangents(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                           const struct pipe_step *k, int first, double *const to[LANES]) NONBLOCKING;

// Kirchhoff's form: in the residual of nodes whose mass along the axis differs, replaces the isotropic
// inertia and adds the moment.
void pipe_axial_inertia(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                        const struct pipe_step *k) NONBLOCKING;

// Sets the velocities of the state to those at the end of the step.
void pipe_commit_velocities(const struct pipe_mesh *p, struct pipe_state *s, const struct pipe_work *w,
                            double step_s) NONBLOCKING;
