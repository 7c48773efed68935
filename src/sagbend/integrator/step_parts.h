// Inside of a step: its parts, for the files that compose them.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/integrator/conservative.h"
#include "sagbend/integrator/dissipative.h"
#include "sagbend/integrator/step.h"
#include "sagbend/pipe/stations.h"

// A step in progress.
struct step_run {
  const struct model *m;
  struct model_state *s;
  struct model_work *w;
  int with_history; // 1: one C a step, of constant length, so that its prediction may continue the last ones
  const struct step_input *input;
  struct ledger *ledger;
  struct stage_clock *clock;
  struct step_report report;
};

// C(h), or, if Newton's method does not solve it, C(h/4) four times, each of them likewise divided, down to
// h/64. Without a pipe step_s may be negative.
void conservative_flow(struct step_run *run, double time_s, double step_s) NONBLOCKING;

// A whole step of order 4 (fourth_order.c).
void fourth_order_step(struct step_run *run, const struct integrator_plan *plan) NONBLOCKING;

// A whole step of the exact splitting (split.c).
struct step_report split_step(const struct integrator_plan *plan, const struct model *m,
                              struct model_state *s, const struct step_input *input,
                              struct ledger *ledger) NONBLOCKING;

// Energy terms of one C for the ledger, J (conservative_flow.c); 0 for ports and losses that C does not have.
// Those of the tensioner, the feed and the seabed follow from the commit.
struct conservative_terms {
  double work_j[PORT_COUNT];
  double loss_j[LOSS_COUNT];
  double feed_moving_j; // part of work_j[PORT_FEED]: what the velocities of the fed material bring
};

// Applies the increments in w to the state and sets in terms what follows from it.
void conservative_commit(const struct model *m, struct model_state *s, struct model_work *w, double step_s,
                         struct conservative_terms *terms) NONBLOCKING;

// Terms of the increments in w with the losses given; without what follows from the commit.
struct conservative_terms conservative_terms_of(const struct model *m, const struct model_state *s,
                                                const struct model_work *w,
                                                const struct conservative_loss *loss) NONBLOCKING;
void conservative_book(const struct conservative_terms *terms, struct ledger *ledger) NONBLOCKING;

// Commits increments that Newton's method did not solve, without making energy (ledger.c).
void passivity_commit(const struct model *m, struct model_state *s, struct model_work *w, double step_s,
                      struct conservative_terms *terms, struct ledger *ledger) NONBLOCKING;
