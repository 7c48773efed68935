// Statics: the equilibrium of pipe and vessel, of the very equations of the dynamics (all increments zero, no
// inertia).
#pragma once

#include "core/base/status.h"
#include "core/model/model.h"

enum weight_compensation { COMPENSATE_NONE, COMPENSATE_PIPE };
enum statics_current { CURRENT_INITIAL, CURRENT_NONE }; // that of the time 0 acts; none does
enum statics_friction {
  FRICTION_LAID,
  FRICTION_NONE
}; // the ground holds the pipe as it was laid; it is smooth
enum statics_unstable { UNSTABLE_REFUSE, UNSTABLE_LEAVE }; // an unstable equilibrium: fail; go on downhill
enum statics_kind { STATICS_HORIZONTAL_FORCE, STATICS_HANGOFF_POSITION };

struct statics_def {
  enum statics_kind kind;
  double horizontal_force_n;    // H, pulling the vessel along the lay azimuth
  double hangoff_position_m[2]; // x, y of the hang-off
  enum weight_compensation weight_compensation;
  enum statics_current current;
  enum statics_friction friction;
  enum statics_unstable unstable;
};

// A mode of small motions about an equilibrium, by its generalised eigenvalue: stiffness over mass.
struct statics_mode {
  double least_1ps2; // negative: it grows as exp(sqrt(-least) t)
  double s_m;        // where it moves most
  enum { MODE_AXIAL, MODE_LATERAL, MODE_VERTICAL, MODE_VESSEL } kind;
  double tension_n;                          // effective, there
  double least_tension_n, least_tension_s_m; // of the whole pipe
};

struct statics_report {
  int iterations;
  double residual_n;         // largest unbalanced nodal force (moments over the element length)
  double tolerance_n;        // what it had to fall below
  double horizontal_force_n; // along the lay azimuth, found or given
  double weight_compensation_n;
  double hold_wrench_b[6]; // body wrench that holds the vessel
  int stability_checked;   // its stability was: 0 for a pipe that nothing holds or that a moment on its free
                           // top bends
  int stable;              // to small disturbances, in space; friction that has not slipped holds
  struct statics_mode softest;     // judged: the mode that resists least
  int unstable_left;               // unstable equilibria found on the way, and left
  struct statics_mode left;        // the first of them
  int with_friction, with_current; // taken into account
  double slipping_m;               // length of pipe on the ground that friction does not hold
};

// Finds the equilibrium and leaves it in s (velocities as given); sets the model's ballast, clamped angle
// and, through model_attach_top, its inertia. On failure the state is not an equilibrium and why says what
// happened.
enum status statics_solve(struct model *m, const struct pipe_def *pipe, const struct statics_def *def,
                          struct model_state *s, struct model_work *w, struct statics_report *report,
                          struct reason *why);
