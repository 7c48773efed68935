// The seabed's normal springs and dampers under the pipe's nodes, for the pipe's other files only.
#pragma once

#include "core/base/nonblocking.h"
#include "core/pipe/pipe.h"

// Penetrations at the start of a step, into w->penetration_m.
void pipe_contact_begin(const struct pipe *p, const struct pipe_state *s, struct pipe_work *w) NONBLOCKING;

// Adds the forces of springs and, in a step, dampers to the balance; fills w->normal_force_n, damper_force_n,
// end_normal_force_n, contact_share, normal_n.
void pipe_contact_forces(const struct pipe *p, const struct pipe_state *s, struct pipe_work *w,
                         double inverse_h) NONBLOCKING;

// Derivatives with respect to dr of a node, for the friction.
struct contact_rates {
  vec3 share, hold; // of w->contact_share and w->end_normal_force_n
  mat3 turn;        // of the gradient
};

// Adds the derivative of the forces with respect to dr to the node's block.
struct contact_rates pipe_contact_tangent(const struct pipe *p, const struct pipe_state *s,
                                          const struct pipe_work *w, int i, double inverse_h,
                                          double block[36]) NONBLOCKING;

// After the poses and velocities at the end of the step are known: the dampers' impulses get their place in
// time. Sums the dampers' losses into w->seabed_loss_j, and notes what the step did not resolve in
// w->unresolved.
void pipe_contact_correct_velocities(const struct pipe *p, struct pipe_state *s, struct pipe_work *w,
                                     double step_s) NONBLOCKING;
