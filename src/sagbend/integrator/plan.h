// How a session is advanced: by the ordinary step of order 2, for every system; by its parts composed to
// order 4, for a vessel without a pipe; or by the exact splitting of Celledoni, Hoiseth and Ramzina (2018),
// for vessels whose equations it solves.
#pragma once

#include "sagbend/integrator/integrator_def.h"
#include "sagbend/math/vessel_splitting.h"
#include "sagbend/model/model.h"

// Share w of the inner dissipative flows of order 4: 1/(12 y (1 - y)) with y = 1/(4 - 4^(1/3)).
#define FOURTH_ORDER_W 0.34337616326241220

// Constant during a run.
struct integrator_plan {
  int order;                          // of the ordinary step: 2 or 4
  double inertia_factor[6][6];        // Cholesky factor of the vessel's inertia, for the impulses of order 4
  const struct scheme *splitting;     // NULL: the ordinary step
  enum rigid_attitude how;            // attitude update of the splitting
  struct radiation_step radiation[2]; // of the dissipative flows: of h/2; of order 4 (1/2 - w) h and w h
  struct split_vessel vessel;
  struct split_pid pid;
};

// Checks whether def can advance this session. STATUS_BAD_INPUT: *key is the configuration key at fault and
// why the reason; otherwise STATUS_OK and *key is undefined.
enum status integrator_check(const struct integrator_def *def, const struct vessel_def *vessel,
                             const struct pipe_def *pipe, const struct env_def *env,
                             const struct pid_def *pid, const char **key, struct reason *why);

// The plan of a definition that integrator_check has accepted, for steps of step_s. The inertia of m is
// positive definite.
struct integrator_plan integrator_plan_of(const struct integrator_def *def, const struct model *m,
                                          double step_s);
