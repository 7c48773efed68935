// A station: simulator, controller and view as three processes that begin and end together.
#pragma once

#include "run/start/start.h"

// Runs until the session ends, one of the processes ends, or a signal comes. Returns the exit status of the
// program; what is wrong has been printed.
int start(const struct start_options *options);
