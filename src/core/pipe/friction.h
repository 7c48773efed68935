// Coulomb friction on the seabed, for the pipe's other files only: an elastic spring that slips, axial and
// lateral apart.
#pragma once

#include "core/base/nonblocking.h"
#include "core/pipe/contact.h"

// Adds the friction's forces to the balance for the increments in w (dynamics only); fills
// w->end_friction_elongation_m. After pipe_contact_forces.
void pipe_friction_forces(const struct pipe *p, const struct pipe_state *s, struct pipe_work *w) NONBLOCKING;

// Adds its derivative to a node's diagonal block; rates are those of the normal force.
void pipe_friction_tangent(const struct pipe *p, const struct pipe_state *s, const struct pipe_work *w,
                           int node, const struct contact_rates *rates, double block[36]) NONBLOCKING;

// Takes the stretches at the end of the step into the state.
void pipe_friction_commit(const struct pipe *p, struct pipe_state *s, const struct pipe_work *w) NONBLOCKING;
