// Statics: the equilibrium of pipe and vessel, found on the equations of the dynamics with all increments
// zero and without inertia.
#pragma once

#include "sagbend/base/status.h"
#include "sagbend/model/model.h"

// What the equilibrium is found for.
enum statics_kind {
  STATICS_HORIZONTAL_FORCE, // a given horizontal force on the vessel
  STATICS_HANGOFF_POSITION  // a given horizontal position of the hang-off
};

// COMPENSATE_PIPE: a constant upward force at the hang-off carries the pipe's static vertical force, so that
// the vessel floats level.
enum weight_compensation { COMPENSATE_NONE, COMPENSATE_PIPE };

enum statics_current { CURRENT_INITIAL, CURRENT_NONE }; // the current of time 0, or still water
enum statics_friction { FRICTION_LAID, FRICTION_NONE }; // seabed friction holds the pipe as laid, or none

// An unstable equilibrium: the statics fail, or continue downhill to a stable one.
enum statics_unstable { UNSTABLE_REFUSE, UNSTABLE_LEAVE };

struct statics_def {
  enum statics_kind kind;
  double horizontal_force_n;    // on the vessel, along the lay azimuth
  double hangoff_position_m[2]; // x, y, n
  enum weight_compensation weight_compensation;
  enum statics_current current;
  enum statics_friction friction;
  enum statics_unstable unstable;
};

// A mode of small motions about an equilibrium.
struct statics_mode {
  double least_1ps2; // generalised eigenvalue, stiffness over mass; negative: grows as exp(sqrt(-least) t)
  double s_m;        // arc length where it moves most
  enum { MODE_AXIAL, MODE_LATERAL, MODE_VERTICAL, MODE_VESSEL } kind;
  double tension_n;                          // effective tension at s_m
  double least_tension_n, least_tension_s_m; // least effective tension of the pipe, and its arc length
};

struct statics_report {
  int iterations;
  double residual_n;            // largest unbalanced nodal force; moments are divided by the element length
  double tolerance_n;           // largest allowed value of residual_n
  double horizontal_force_n;    // on the vessel along the lay azimuth, given or found
  double weight_compensation_n; // upward force at the hang-off
  double hold_wrench_b[6];      // wrench that holds the vessel, N, N m about the reference point
  int stability_checked; // 0 for a pipe that nothing holds, or whose free top carries a moment (no potential)
  int stable;            // to small disturbances in space; friction that does not slip holds
  struct statics_mode softest;     // if stability_checked: the mode of least stiffness
  int unstable_left;               // number of unstable equilibria found and left
  struct statics_mode left;        // softest mode of the first of them
  int with_friction, with_current; // 1: taken into account
  double slipping_m;               // length of pipe on the seabed whose friction slips
  double dry_m;                    // length of pipe above the still water level
};

// Finds the equilibrium and leaves it in s with the velocities as given. Sets the model's weight
// compensation, clamped angle and, by model_attach_top, its inertia. On failure the state is not an
// equilibrium, and why gives the stage and the reason. A model without pipe is left as it is.
enum status statics_solve(struct model *m, const struct pipe_def *pipe, const struct statics_def *def,
                          struct model_state *s, struct model_work *w, struct statics_report *report,
                          struct reason *why);
