// The list of the commands.
#include "app/commands.h"

const struct command_entry COMMANDS[] = {
    {&run_command, cmd_run},
    {&statics_command, cmd_statics},
    {&check_command, cmd_check},
    {&replay_command, cmd_replay},
    {&log_command, cmd_log},
    {&verify_command, cmd_verify},
    {&keygen_command, cmd_keygen},
    {&ctl_command, cmd_ctl},
    {&serve_command, cmd_serve},
    {&schema_command, cmd_schema},
    {&outputs_command, cmd_outputs},
    {&sweep_command, cmd_sweep},
    {&hydro_command, cmd_hydro},
    {&rao_command, cmd_rao},
    {&modbus_map_command, cmd_modbus_map},
    {NULL, NULL},
};

void commands_describe(struct help *h) {
  static const char *const usages[] = {"COMMAND [options]", "--help", "--version", NULL},
                           *const examples[] = {
                               "sagbend run configs/jlay-900m.yaml --duration 120 --summary summary.json",
                               NULL};
  help_begin(h, "sagbend", "Simulator of a pipelay vessel and its pipe, for a DP controller in the loop.",
             usages);
  help_text(h, "'sagbend COMMAND --help' shows the options, the exit statuses and an example of a command. "
               "'sagbend --version' prints the version.");
  help_heading(h, "commands", 11);
  for (const struct command_entry *entry = COMMANDS; entry->run; entry++)
    help_row(h, entry->command->name, entry->command->purpose);
  help_statuses(h, "0 success; 1 the run failed or a difference was found; 2 wrong usage or input; 3 (replay "
                   "--verify) equal as far as the log goes, but the log is incomplete");
  help_examples(h, examples);
}
