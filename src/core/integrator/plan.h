// How a session is advanced: the ordinary step of order 2 for every system, the same parts composed to order
// 4 for a vessel without a pipe, or the exact splitting of Celledoni, Hoiseth, Ramzina (2018) for the vessels
// that it is exact for.
#pragma once

#include "core/integrator/integrator_def.h"
#include "core/model/model.h"
#include "core/rigid/vessel_splitting.h"

// Constant through a run.
struct integrator_plan {
  int order;
  double inertia_factor[6][6];    // order 4: of the vessel's inertia, for impulses
  const struct scheme *splitting; // NULL: the ordinary step
  enum rigid_attitude how;
  struct split_vessel vessel;
  struct split_pid pid;
};

// Checks whether def can advance this session. STATUS_BAD_INPUT: *key is the configuration key at fault and
// why the reason; otherwise STATUS_OK and *key is undefined.
enum status integrator_check(const struct integrator_def *def, const struct vessel_def *vessel,
                             const struct pipe_def *pipe, const struct env_def *env,
                             const struct pid_def *pid, const char **key, struct reason *why);

// Of a definition without objection.
struct integrator_plan integrator_plan_of(const struct integrator_def *def, const struct model *m);
