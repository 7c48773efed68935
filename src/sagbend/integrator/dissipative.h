// D: the dissipative part of a step. It changes velocities only, with positions frozen: drag, damping, and
// the energy ports of control, loads, wind, waves, current and thrusters. docs/model.md, section 5.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/integrator/integrator.h"
#include "sagbend/model/model.h"

// What acts in one D. The ports are sampled at time_s.
struct half_step {
  double duration_s, time_s;
  int second; // 1: the pipe's parts act in reverse order, which makes this D the adjoint of the first
  double control_b[6];                    // in: latched command; out: mean wrench of the control port, N, N m
  int pid_on;                             // 1: the continuous controller acts instead of the command
  const struct radiation_step *radiation; // for this duration; not used by a vessel without memory
  int impulses_apart; // 1: forces that do not depend on the velocity (command, loads, waves) act elsewhere
};

// Advances the velocities in s and adds the flow's work and losses to the ledger's step. STATUS_SINGULAR: the
// vessel's velocities could not be found, for instance because the forces are not finite; they do not change.
enum status dissipative_flow(const struct model *m, struct model_state *s, struct half_step *half,
                             struct ledger *ledger) NONBLOCKING;
