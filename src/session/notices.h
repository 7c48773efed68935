// What a user should know about a valid configuration: keys without an effect, damping that is counted
// twice.
#pragma once

#include "io/config/config.h"

// Calls say for each notice, a line without a line end.
void session_notices(const struct config *config, void (*say)(void *context, const char *text),
                     void *context);

// Whether bending beyond yield has no hardening somewhere in the pipe, and what that means for its results.
int session_is_perfectly_plastic(const struct config *config);
const char *session_localisation_text(void);
