// C: the conservative part of a step, one energy-momentum step of vessel, pipe, hydrostatics, weight and
// seabed, solved by Newton's method. docs/model.md, section 5.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/base/stages.h"
#include "sagbend/model/model.h"

// Losses inside C, J, all >= 0.
struct conservative_loss {
  double structural_j, friction_j, plastic_j;
};

// Losses of the increments in w. Call after model_residual.
struct conservative_loss conservative_losses(const struct model *m, const struct model_state *s,
                                             const struct model_work *w) NONBLOCKING;

struct newton_report {
  int iterations;
  int tangents;      // computed and factored; the other iterations have kept one
  int converged;     // 1: to the tolerance, or to rounding
  double residual_n; // largest unbalanced nodal force
  struct conservative_loss loss;
};

// Solves for the increments of one step of length step_s from s and leaves them in w; s does not change.
// with_history: the iteration starts from a prediction that continues the steps before, of the same length.
// If Newton's method does not converge within max_iterations, w holds the last iterate: the caller restores
// passivity.
struct newton_report conservative_solve(const struct model *m, const struct model_state *s,
                                        struct model_work *w, double step_s, int with_history,
                                        int max_iterations, struct stage_clock *clock) NONBLOCKING;
