// The map from what a pipelayer wants to the vessel's set-point (seed 000, 4.3.2, F): the horizontal force at
// which the equilibrium has a wanted lay-back, touchdown, tension, angle or curvature.
#pragma once

#include "session/session.h"

// wanted: "quantity=value". The session's configuration is left with the force found and its simulator made
// with it. Returns -1 to go on, otherwise the exit status with a line on stderr.
int find_equilibrium(struct session *s, const char *wanted);
