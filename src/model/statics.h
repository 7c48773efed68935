// Statics: the equilibrium of pipe and vessel, of the very equations of the dynamics (all increments zero, no inertia).
#pragma once

#include "base/status.h"
#include "model/model.h"

enum ballast_kind { BALLAST_NONE, BALLAST_PIPE };
enum statics_kind { STATICS_HORIZONTAL_FORCE, STATICS_HANGOFF_POSITION };

struct statics_def {
  enum statics_kind kind;
  double horizontal_force_n;    // H, pulling the vessel along the lay azimuth
  double hangoff_position_m[2]; // x, y of the hang-off
  enum ballast_kind ballast;    // BALLAST_PIPE: a dead load at the hang-off carries the pipe's static vertical force
};

struct statics_report {
  int iterations;
  double residual_n;         // largest unbalanced nodal force (moments over the element length)
  double tolerance_n;        // what it had to fall below
  double horizontal_force_n; // along the lay azimuth, found or given
  double ballast_n;
  double hold_wrench_b[6];   // body wrench that holds the vessel
};

// Finds the equilibrium and leaves it in s (velocities as given); sets the model's ballast, clamped angle and, through
// model_attach_top, its inertia. On failure the state is not an equilibrium and why says what happened.
enum status statics_solve(struct model *m, const struct pipe_def *pipe, const struct statics_def *def,
                          struct model_state *s, struct model_work *w, struct statics_report *report,
                          struct reason *why);
