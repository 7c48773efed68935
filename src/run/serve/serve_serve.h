// sagbend serve: a session manager for a laboratory. It offers the cases of a folder, runs one at a time in a
// process of its own, and hands out the logs.
#pragma once

#include "run/serve/serve.h"

// Returns when a signal ends the manager. STATUS_BAD_INPUT: a folder or endpoint cannot be used; STATUS_IO:
// the socket failed, or the last session had to be killed.
enum status serve(const struct serve_options *options, struct reason *why);
