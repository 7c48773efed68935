// Notices about what mesh and step resolve, for setup_notices.
#pragma once

#include "sagbend/case/config.h"

void notices_mesh(const struct config *c, void (*say)(void *context, const char *text), void *context);
