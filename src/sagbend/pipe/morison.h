// For the other files of this room: Morison's form of the added mass, for nodes whose mass along the axis
// differs (Kirchhoff's form: inertia.c).
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/math/lanes.h"
#include "sagbend/pipe/pipe.h"

// Adds to the residual the excess mass along the axis times the acceleration along it.
void pipe_morison_inertia(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                          const struct pipe_step *k) NONBLOCKING;

// Adds its derivative to the diagonal blocks of LANES nodes from first on.
void pipe_morison_tangents(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                           const struct pipe_step *k, int first, double *const to[LANES]) NONBLOCKING;
