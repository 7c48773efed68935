// Power limitation of a bus.
#pragma once

#include "core/base/nonblocking.h"
#include "core/vessel/plant.h"

// Scales all set-points of the running thrusters on this bus down by one factor such that their power does
// not exceed the bus's available power. Updates limited and limited_count of the bus.
void power_limit(const struct plant_def *def, struct plant_state *state, int bus) NONBLOCKING;
