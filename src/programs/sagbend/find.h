// Solves the inverse problem of the statics (thesis, section 4.3.2, the map F): the horizontal force at which
// the equilibrium has a wanted lay-back, touchdown, tension, angle or curvature. Used by sagbend statics
// --find.
#pragma once

#include "run/setup/setup_setup.h"

// wanted: "quantity=value" or "touchdown_point_m=X,Y". Leaves the force in the session's configuration, and
// creates its simulator with it. STATUS_BAD_INPUT: wanted is not understood, or the statics are not given by
// a force; STATUS_NOT_CONVERGED: no equilibrium has that value.
enum status find_equilibrium(struct loaded *loaded, const char *wanted, struct reason *why);
