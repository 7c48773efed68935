// The commands of sagbend: each has a file of its own with its options, its table and what it does.
#pragma once

#include "os/cli/cli.h"
#include "run/replay/replay.h"
#include "run/serve/serve.h"
#include "run/start/start.h"

extern const struct cli_command statics_command;
extern const struct cli_command check_command;
extern const struct cli_command log_command;
extern const struct cli_command keygen_command;
extern const struct cli_command ctl_command;
extern const struct cli_command schema_command;
extern const struct cli_command outputs_command;
extern const struct cli_command modbus_map_command;
extern const struct cli_command fmu_command;
extern const struct cli_command fmu_command;

// argv begins with the command's name. Each returns the exit status (os/cli/cli.h), after printing its
// errors on stderr.
int cmd_statics(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_log(int argc, char **argv);
int cmd_ctl(int argc, char **argv);
int cmd_schema(int argc, char **argv);
int cmd_outputs(int argc, char **argv);
int cmd_modbus_map(int argc, char **argv);
int cmd_fmu(int argc, char **argv);
int cmd_fmu(int argc, char **argv);

void ctl_describe(struct help *h); // the help of sagbend ctl

extern const struct cli_program sagbend_program; // all commands
