// The multi-symplectic conservation law of the rod, as rows of the case rod-multisymplectic.
#pragma once

#include "verification/harness/result.h"

void rod_law(const struct verify_setup *setup, struct verify_result *r);
