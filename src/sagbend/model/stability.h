// Stability of a static equilibrium. Only for the files of the statics.
#pragma once

#include "sagbend/model/relax.h"

// Checks whether the equilibrium in x is stable and fills the report: stability_checked, stable, softest,
// unstable_left, left, slipping_m. From an unstable equilibrium it continues downhill to a stable one nearby.
// Fails with STATUS_NOT_CONVERGED if there is none, or if def refuses unstable equilibria.
//
// Does nothing for a pipe that nothing holds, and for one whose free top carries a moment: a constant moment
// has no potential.
enum status stability_check(const struct equilibrium *eq, const struct statics_def *def, struct reason *why);
