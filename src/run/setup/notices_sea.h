// Notices about the sea, for setup_notices.
#pragma once

#include "sagbend/case/config.h"

// A sea that is steeper than seas are, damping that pushes in it, waves on a pipe that is not there, and a
// mesh that is too coarse for waves on the pipe.
void notices_sea(const struct config *c, void (*say)(void *context, const char *text), void *context);
