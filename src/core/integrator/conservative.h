// C(h): the conservative part of a step, one energy-momentum step of vessel, pipe, hydrostatics, weight and
// seabed, solved by Newton. docs/model.md, section 5.
#pragma once

#include "core/base/nonblocking.h"
#include "core/base/stages.h"
#include "core/model/model.h"

// Of the increments in w, once model_residual has seen them.
struct conservative_loss {
  double structural_j, friction_j;
};
struct conservative_loss conservative_losses(const struct model *m, const struct model_work *w) NONBLOCKING;

struct newton_report {
  int iterations;
  int converged;     // to the tolerance, or stagnated at rounding
  double residual_n; // largest nodal force left
  struct conservative_loss loss;
};

// Solves for the increments of one step from s (left in w; nothing is committed).
// At the cap the increments are whatever Newton had: the caller restores passivity.
struct newton_report conservative_solve(const struct model *m, const struct model_state *s,
                                        struct model_work *w, double step_s, int max_iterations,
                                        struct stage_clock *clock) NONBLOCKING;
