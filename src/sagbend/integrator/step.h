// One step of the coupled system with its ledger: D(h/2) C(h) D(h/2), or as the plan states. The thruster
// drives advance by h/4 before the first D, by h/2 before the second and by h/4 after it, so that the step
// samples their thrust symmetrically.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/base/stages.h"
#include "sagbend/integrator/integrator.h"
#include "sagbend/integrator/plan.h"
#include "sagbend/model/model.h"

struct step_report {
  int iterations;     // Newton iterations of all parts
  int tangents;       // of them those with a tangent of their own, computed and factored
  int divided;        // 1: not solved as a whole; solved in parts
  int unsolved;       // 1: a part of 1/64 was not solved either; passivity was enforced
  int unresolved;     // 1: a spring or damper of the seabed in contact is too fast for the step
  int damping_gained; // 1: the damping of an exact splitting, which has parts that run backwards, made energy
  int ports_failed;   // 1: the forces of the ports were not finite; velocities kept their values
  double residual_n;  // largest unbalanced nodal force of the last part
};

// What a step is given beside the state.
struct step_input {
  double time_s, step_s; // from when, how long
  int max_iterations;    // of Newton's method
  int pid_on;            // 1: the continuous controller acts instead of the command
  double *control_b;     // [6], N and N m about the reference point, b: in: the latched command; out: the
                         // wrench that acted last
};

// Advances s by one step.
struct step_report integrator_step(const struct integrator_plan *plan, const struct model *m,
                                   struct model_state *s, struct model_work *w,
                                   const struct step_input *input, struct ledger *ledger,
                                   struct stage_clock *clock) NONBLOCKING;
