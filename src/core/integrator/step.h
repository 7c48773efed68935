// One step of the coupled system and its ledger: D(h/2) o C(h) o D(h/2), or as the plan says. The thrusters'
// drives move on by themselves, h/4 before the first D, h/2 between, h/4 after the second: their thrust is
// sampled symmetrically.
#pragma once

#include "core/base/nonblocking.h"
#include "core/base/stages.h"
#include "core/integrator/ledger.h"
#include "core/integrator/plan.h"
#include "core/model/model.h"

struct step_report {
  int iterations;     // of Newton, all parts together
  int divided;        // not converged at once: four quarter steps
  int at_cap;         // not even so: passivity was restored by force; such a step is not solved
  int unresolved;     // a spring or damper of the seabed in contact is too fast for the step
  int damping_gained; // an exact splitting with parts that run backwards: the damping gave energy on the
                      // whole
  int ports_failed;   // the velocities could not be found for the ports' forces (not finite): they stayed
  double residual_n;  // largest nodal force left, of the last part
};

// Advances s by step_s from time_s with the latched command control_b; pid_on: the continuous controller acts
// in its stead. control_b is then the wrench that acted last.
struct step_report integrator_step(const struct integrator_plan *plan, const struct model *m,
                                   struct model_state *s, struct model_work *w, double time_s, double step_s,
                                   int max_iterations, double control_b[6], int pid_on, struct ledger *ledger,
                                   struct stage_clock *clock) NONBLOCKING;
