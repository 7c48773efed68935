// What acts on a pipe at rest beside the forces of a step without dissipation: friction with its history, the
// steady drag of a current. For statics only, with all increments zero.
#pragma once

#include "core/base/nonblocking.h"
#include "core/pipe/pipe.h"

// smooth: the ground pushes along its normal alone. carries: its reaction is vertical, so that it bears the
// weight of a pipe that is being laid, and no force runs along the ground. grips: friction, with the
// stretches in the state.
enum pipe_ground { GROUND_SMOOTH, GROUND_BEARING, GROUND_FRICTION };

struct pipe_static_loads {
  enum pipe_ground ground;
  const struct current *current; // NULL: still water
  struct current_turn turn;      // of the current
};

// Adds the forces to the balance in w; fills w->end_friction_elongation_m of a ground that grips. After
// pipe_residual.
void pipe_static_forces(const struct pipe *p, const struct pipe_state *s, struct pipe_work *w,
                        const struct pipe_static_loads *still) NONBLOCKING;

// Adds half their derivative, as a step's tangent has it. symmetric: only that of the springs that stick, for
// a judgement of stability: what slips does not resist, drag has no potential.
void pipe_static_tangent(const struct pipe *p, const struct pipe_state *s, const struct pipe_work *w,
                         const struct pipe_static_loads *still, int symmetric, int node,
                         double block[36]) NONBLOCKING;

// Before a correction in w is committed: the springs of a ground that grips stretch with it, beyond where
// they slip, so that the forces follow from the way since the last pipe_static_commit_slip and not from how
// an iteration went.
void pipe_static_elongate_friction(const struct pipe *p, struct pipe_state *s, const struct pipe_work *w);

// What has slipped by then has slipped: the stretches become those at the end of the increments in w.
void pipe_static_commit_slip(const struct pipe *p, struct pipe_state *s, const struct pipe_work *w);

// What a ground that carries takes along itself becomes the stretch of its springs, as far as they hold it.
void pipe_static_start_friction(const struct pipe *p, struct pipe_state *s, const struct pipe_work *w);

// Length of pipe on the ground whose springs slip, m.
double pipe_static_slipping_length(const struct pipe *p, const struct pipe_state *s,
                                   const struct pipe_work *w);
