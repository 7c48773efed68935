// Forces on a pipe at rest beyond those of a conservative step: friction with its history, and the steady
// drag of a current. For statics only: all increments are 0.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/pipe/pipe.h"

enum pipe_ground {
  GROUND_SMOOTH,  // the reaction of the ground is along its normal
  GROUND_BEARING, // the reaction is vertical: the ground carries the weight of a pipe that is being laid, and
                  // no force acts along the pipe
  GROUND_FRICTION // friction, with the elongations in the state
};

struct pipe_static_loads {
  enum pipe_ground ground;
  const struct current *current; // NULL: still water
  struct current_turn turn;      // of the current
};

// Adds the loads to the residual; with GROUND_FRICTION fills w->end_friction_elongation_m. Call after
// pipe_residual.
void pipe_static_forces(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                        const struct pipe_static_loads *loads) NONBLOCKING;

// Adds half their derivative to the diagonal block of a node, as the tangent of a step contains it.
// symmetric: only the springs that stick, to judge stability: a spring that slips does not resist, and drag
// has no potential.
void pipe_static_tangent(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                         const struct pipe_static_loads *loads, int symmetric, int node,
                         double block[36]) NONBLOCKING;

// Before a correction in w is committed: elongates the friction springs by it, also beyond their bounds, so
// that the forces depend on the way since the last pipe_static_commit_slip and not on the course of the
// iteration.
void pipe_static_elongate_friction(const struct pipe_mesh *p, struct pipe_state *s,
                                   const struct pipe_work *w);

// Makes the slip up to now permanent: the elongations become those of the last pipe_static_forces.
void pipe_static_commit_slip(const struct pipe_mesh *p, struct pipe_state *s, const struct pipe_work *w);

// From GROUND_BEARING to GROUND_FRICTION: the component of the vertical reaction along the ground becomes the
// elongation of the friction springs, up to their bounds.
void pipe_static_start_friction(const struct pipe_mesh *p, struct pipe_state *s, const struct pipe_work *w);

// Length of pipe on the ground whose friction springs slip, m.
double pipe_static_slipping_length(const struct pipe_mesh *p, const struct pipe_state *s,
                                   const struct pipe_work *w);
