// The commands of sagbend-lab: many runs of the simulator, beside a simulator that serves a
// vessel.
#pragma once

#include "os/cli/cli.h"

extern const struct cli_command sweep_command;
extern const struct cli_command hydro_command;
extern const struct cli_command rao_command;
extern const struct cli_command trials_command;
extern const struct cli_command capability_command;

// argv begins with the command's name. Each returns the exit status (os/cli/cli.h), after printing its
// errors on stderr.
int cmd_sweep(int argc, char **argv);
int cmd_hydro(int argc, char **argv);
int cmd_rao(int argc, char **argv);
int cmd_trials(int argc, char **argv);
int cmd_capability(int argc, char **argv);

extern const struct cli_program lab_program; // all commands
