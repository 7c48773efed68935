// The list of the commands.
#include "programs/lab/lab_program.h"

#include "os/cli/lab_commands.h"

static const struct command_entry COMMANDS[] = {
#define LAB_COMMAND(word, what) {&word##_command, cmd_##word},
    LAB_COMMAND_TABLE(LAB_COMMAND)
#undef LAB_COMMAND
        {NULL, NULL},
};

const struct cli_program lab_program = {
    .name = LAB_PROGRAM,
    .purpose = "Sweeps, trials and import of hydrodynamic data for sagbend, which hands these commands over.",
    .statuses =
        "0 success; 1 a case or a point failed, or a file could not be written; 2 wrong usage or input",
    .example = "sagbend-lab sweep plan.yaml --out results",
    .commands = COMMANDS,
};
