// What a user should know about a valid configuration: keys without an effect, damping that is counted
// twice.
#pragma once

#include "sagbend/case/config.h"

// Calls say for each notice, a line without a line end.
void setup_notices(const struct config *config, void (*say)(void *context, const char *text), void *context);

// The key of the section that defines a type of pipe, by its number (pipe_type_of).
struct pipe_key {
  char text[32];
};
struct pipe_key setup_pipe_key(int type);

// Whether bending beyond yield has no hardening somewhere in the pipe, and what that means for its results.
int setup_is_perfectly_plastic(const struct config *config);
const char *setup_localisation_text(void);
