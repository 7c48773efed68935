// The program sagbend-verify and its one command.
#pragma once

#include "os/cli/cli.h"

extern const struct cli_program verify_program;

// Build id of the sagbend that was linked from the same archives as this program; main sets it.
extern const char *verify_made_with;
