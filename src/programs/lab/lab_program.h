// The commands of sagbend-lab: many runs of the simulator, beside a simulator that serves a
// vessel.
#pragma once

#include "os/cli/cli.h"

extern const struct cli_command sweep_command;
extern const struct cli_command hydro_command;
extern const struct cli_command rao_command;
extern const struct cli_command trials_command;
extern const struct cli_command capability_command;

extern const struct cli_program lab_program; // all commands
