// What plant.c and plant.c share.
#pragma once

#include "sagbend/vessel/vessel.h"

// With the set-points of this step, before they are limited: tells the power plant what they ask for, and
// sets the power that each bus may use.
void plant_share_power(const struct plant_def *def, struct plant_state *state, const struct bus_switches *bus,
                       struct power_state *power) NONBLOCKING;
