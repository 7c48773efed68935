// The checks of the section vessel.power, and what its names resolve to.
#pragma once

#include "sagbend/case/config_sections.h"

void power_check(const struct check *c);

// Buses by their names, and what they have at the beginning.
void power_resolve(const struct check *c, struct config *out);
