// For the other files of this room: Coulomb friction on the seabed, an elastic spring that slips at its
// bound, along and across the pipe independently.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/pipe/contact.h"

// Adds the friction forces for the increments in w to the residual (steps only) and fills
// w->end_friction_elongation_m and w->friction_loss_j. Call after pipe_contact_forces.
void pipe_friction_forces(const struct pipe_mesh *p, const struct pipe_state *s,
                          struct pipe_work *w) NONBLOCKING;

// Adds their derivative to the diagonal block of a node. rates: from pipe_contact_tangent.
void pipe_friction_tangent(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                           int node, const struct contact_rates *rates, double block[36]) NONBLOCKING;

// Takes the elongations at the end of the step into the state.
void pipe_friction_commit(const struct pipe_mesh *p, struct pipe_state *s,
                          const struct pipe_work *w) NONBLOCKING;
