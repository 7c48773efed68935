// Within the room: the parts of a step, for the ways of composing them.
#pragma once

#include "core/base/nonblocking.h"
#include "core/integrator/dissipative.h"
#include "core/integrator/step.h"

struct attempt {
  const struct model *m;
  struct model_state *s;
  struct model_work *w;
  int max_iterations;
  struct ledger *ledger;
  struct stage_clock *clock;
  struct step_report report;
};

// C(h), or, where Newton finds no solution, C(h/4) four times. h may be negative without a pipe.
void conservative_flow(struct attempt *a, double time_s, double step_s) NONBLOCKING;

// A whole step of order 4: fourth_order.c. control_b, pid_on as in integrator_step.
void fourth_order_step(struct attempt *a, const struct integrator_plan *plan, double time_s, double step_s,
                       double control_b[6], int pid_on) NONBLOCKING;

// A whole step by the exact splitting: split.c.
struct step_report split_step(const struct integrator_plan *plan, const struct model *m,
                              struct model_state *s, double time_s, double step_s, double control_b[6],
                              int pid_on, struct ledger *ledger) NONBLOCKING;
