// Iteration to a static equilibrium, for the files of the statics and verification.
#pragma once

#include "sagbend/model/statics.h"

// The equilibrium in search: the state s of model m moves towards it; w is the workspace.
struct equilibrium {
  struct model *m;
  struct model_state *s;
  struct model_work *w;
  struct statics_report *report;
};

// Largest unbalanced nodal force that counts as an equilibrium, N: the rounding of the strains of a pipe of
// this size.
double relax_tolerance(const struct model *m, const struct pipe_mesh *p);

// Iterates from the state in eq to an equilibrium. mu (1/s2) is the initial damping of the iteration; stage
// names the stage of the statics in error messages. STATUS_NOT_CONVERGED: no equilibrium found, or a folded
// pipe.
enum status relax(const struct equilibrium *eq, double mu, const char *stage, struct reason *why);

// The same with smaller rotations in each iteration, for a soft pipe that swings sideways.
enum status relax_with_small_turns(const struct equilibrium *eq, double mu, const char *stage,
                                   struct reason *why);

// The same, and where it fails again from the same start with more damping: friction that slips and a vessel
// that is soft in roll and pitch can keep the iteration in circles. w->saved is that start.
enum status relax_or_stiffen(const struct equilibrium *eq, double mu, const char *stage, struct reason *why);

// The same with a potential energy that falls in every iteration: it cannot end in an unstable equilibrium,
// but needs more iterations. The damping does not fall below least.
enum status relax_downhill(const struct equilibrium *eq, double mu, double least, const char *stage,
                           struct reason *why);

// Computes half the stiffness at the state, of terms with a potential only, minus sigma times half a lumped
// mass, in w->matrix. w->rhs is minus the balance there.
void relax_stiffness(const struct equilibrium *eq, double sigma);

// That lumped mass for an unknown of w->rhs, kg; for rotations kg m2, with the element length as lever arm.
double relax_mass(const struct equilibrium *eq, int unknown);
