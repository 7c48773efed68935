// D(h/2): everything that only changes velocities and is not conservative, with positions frozen: drag,
// damping, and the ports of control, loads and current. docs/model.md, section 5.
#pragma once

#include "core/base/nonblocking.h"
#include "core/integrator/ledger.h"
#include "core/model/model.h"

// What drives a half step: ports sampled at time_s, the latched command or, pid_on, the continuous
// controller.
struct half_step {
  double duration_s, time_s;
  int second;          // of the two: its parts in reverse order, the adjoint of the first
  double control_b[6]; // in: the latched command; out: the mean wrench that acted
  int pid_on;
  int impulses_apart; // what does not depend on the velocity (the latched command, loads, waves) acts
                      // elsewhere
};

// Advances the velocities. Terms are added to the ledger's step. Returns 0 if the vessel's velocities could
// not be found (forces that are not finite): then they stay as they were.
int dissipative_flow(const struct model *m, struct model_state *s, struct half_step *half,
                     struct ledger *ledger) NONBLOCKING;
