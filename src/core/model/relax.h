// The iteration of the statics, for the files of the statics only.
#pragma once

#include "core/model/statics.h"

struct relaxation {
  struct model *m;
  struct model_state *s;
  struct model_work *w;
  struct statics_report *report;
};

double relax_tolerance(const struct model *m);

// Iterates from the state to an equilibrium, beginning with steps that mu (1/s2) damps; what: the stage, for
// the reason.
enum status relax(const struct relaxation *x, double mu, const char *what, struct reason *why);

// The same in small turns and slower: where a soft pipe swings aside.
enum status relax_with_small_turns(const struct relaxation *x, double mu, const char *what,
                                   struct reason *why);

// The same, but every step goes downhill: it cannot end in an unstable equilibrium, and takes its time.
// least: mu does not fall below it.
enum status relax_downhill(const struct relaxation *x, double mu, double least, const char *what,
                           struct reason *why);

// Half the stiffness at the state, of what has a potential, less sigma times half a lumped mass, into
// w->matrix. w->rhs: the balance there.
void relax_stiffness(const struct relaxation *x, double sigma);
// That lumped mass, of an unknown of w->rhs (rotations: with the element's length as arm).
double relax_mass(const struct relaxation *x, int unknown);
