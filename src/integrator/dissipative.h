// D(h/2): everything that only changes velocities and is not conservative, with positions frozen: drag, damping, and the
// ports of control, loads and current. docs/model.md, section 5.
#pragma once

#include "integrator/ledger.h"
#include "model/model.h"

// Advances the velocities by duration_s with the ports sampled at time_s; control_b is the latched command.
// pid_on: the continuous controller acts instead. Terms are added to the ledger's step.
// Returns 0 if the vessel's velocities could not be found (forces that are not finite): then they stay as they were.
int dissipative_flow(const struct model *m, struct model_state *s, double duration_s, double time_s,
                      const double control_b[6], int pid_on, struct ledger *ledger);
