// Notices about what mesh and step resolve, for setup_notices.
#pragma once

#include "io/config/config.h"

void notices_mesh(const struct config *c, void (*say)(void *context, const char *text), void *context);
