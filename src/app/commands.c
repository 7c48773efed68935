// The list of the commands.
#include "app/commands.h"

#include "cli/lab_commands.h"

static const struct command_entry COMMANDS[] = {
    {&run_command, cmd_run},
    {&start_command, cmd_start},
    {&statics_command, cmd_statics},
    {&check_command, cmd_check},
    {&replay_command, cmd_replay},
    {&log_command, cmd_log},
    {&keygen_command, cmd_keygen},
    {&ctl_command, cmd_ctl},
    {&serve_command, cmd_serve},
    {&schema_command, cmd_schema},
    {&outputs_command, cmd_outputs},
    {&fmu_command, cmd_fmu},
    {&modbus_map_command, cmd_modbus_map},
#define VERIFY_COMMAND(word, what)                                                                           \
  {&(const struct cli_command){.name = #word, .purpose = what}, cmd_of_verify},
    VERIFY_COMMAND_TABLE(VERIFY_COMMAND)
#undef VERIFY_COMMAND
#define LAB_COMMAND(word, what) {&(const struct cli_command){.name = #word, .purpose = what}, cmd_of_lab},
        LAB_COMMAND_TABLE(LAB_COMMAND)
#undef LAB_COMMAND
            {NULL, NULL},
};

const struct cli_program sagbend_program = {
    .name = "sagbend",
    .purpose = "Simulator of a pipelay vessel and its pipe, for a DP controller in the loop.",
    .statuses = "0 success; 1 the run failed or a difference was found; 2 wrong usage or input; 3 (replay "
                "--verify) equal as far as the log goes, but the log is incomplete",
    .example = "sagbend run configs/jlay-900m.yaml --duration 120 --summary summary.json",
    .commands = COMMANDS,
};
