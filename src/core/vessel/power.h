// The load limit of a bus: all set-points on it scaled down together so that their power is within what it
// has.
#pragma once

#include "core/vessel/plant.h"

void power_limit(const struct plant_def *def, struct plant_state *s, int bus);
