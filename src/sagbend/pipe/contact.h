// For the other files of this room: normal springs and dampers of the seabed under the nodes.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/pipe/pipe.h"

// Fills w->penetration_m at the start of a step.
void pipe_contact_begin(const struct pipe_mesh *p, const struct pipe_state *s,
                        struct pipe_work *w) NONBLOCKING;

// Adds the forces of springs and, in a step, dampers to the residual; fills normal_force_n, damper_force_n,
// end_normal_force_n, contact_share and penetration_gradient of w. inverse_h: 0 in statics.
void pipe_contact_forces(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                         double inverse_h) NONBLOCKING;

// Energy of the seabed's spring or soil below a metre of pipe at node i, J.
double pipe_contact_energy(const struct pipe_mesh *p, const struct pipe_state *s, int i,
                           double penetration_m) NONBLOCKING;

// Half the stiffness of the reaction at rest at node i, N/m2, as in the tangent of the statics.
double pipe_contact_rest_stiffness(const struct pipe_mesh *p, const struct pipe_state *s, int i,
                                   double penetration_m) NONBLOCKING;

// Derivatives with respect to dr of a node, for the friction.
struct contact_rates {
  vec3 share, end_force; // of w->contact_share and w->end_normal_force_n
  mat3 turn;             // of w->penetration_gradient
};

// Adds the derivative of the forces with respect to dr to the diagonal block of node i, after
// pipe_contact_forces for the same dr.
struct contact_rates pipe_contact_tangent(const struct pipe_mesh *p, const struct pipe_state *s,
                                          const struct pipe_work *w, int i, double inverse_h,
                                          double block[36]) NONBLOCKING;

// End of a step, when poses and velocities are known: corrects the velocities for the moments at which the
// dampers' impulses act. Fills w->seabed_loss_j, and w->unresolved if a spring or damper is too fast for the
// step.
void pipe_contact_correct_velocities(const struct pipe_mesh *p, struct pipe_state *s, struct pipe_work *w,
                                     double step_s) NONBLOCKING;
