// sagbend: finds the command, reads its options, runs it. Each command has a file of its own.
#include "app/commands.h"
#include "cli/exit_status.h"
#include "cli/options.h"
#include "cli/version.h"

#include "core/base/shown_text.h"
#include "rt/os.h"

#include <stdio.h>
#include <string.h>

struct command {
  const char *name;
  enum command_id id;
  int (*run)(const struct options *options);
};

static const struct command COMMANDS[] = {
    {"run", COMMAND_RUN, cmd_run},
    {"statics", COMMAND_STATICS, cmd_statics},
    {"replay", COMMAND_REPLAY, cmd_replay},
    {"log", COMMAND_LOG, cmd_log},
    {"keygen", COMMAND_KEYGEN, cmd_keygen},
    {"verify", COMMAND_VERIFY, cmd_verify},
    {"check", COMMAND_CHECK, cmd_check},
    {"schema", COMMAND_SCHEMA, cmd_schema},
    {"outputs", COMMAND_OUTPUTS, cmd_outputs},
    {"serve", COMMAND_SERVE, cmd_serve},
    {"sweep", COMMAND_SWEEP, cmd_sweep},
    {"hydro", COMMAND_HYDRO, cmd_hydro},
    {"rao", COMMAND_RAO, cmd_rao},
    {"modbus-map", COMMAND_MODBUS_MAP, cmd_modbus_map},
};

static int run_command(const struct command *command, int argc, char **argv) {
  char who[32];
  struct options options;
  struct reason why = {""};
  snprintf(who, sizeof who, "sagbend %s", command->name);

  int exit_status = exit_with_reason(who, options_read(command->id, argc, argv, &options, &why), &why);
  if (exit_status == EXIT_DONE && options.help)
    options_print_help(command->id);
  else if (exit_status == EXIT_DONE)
    exit_status = command->run(&options);
  options_free(&options);
  return exit_status;
}

int main(int argc, char **argv) {
  os_survive_closed_streams();
  os_name_thread("sagbend"); // serve and sweep start it as /proc/self/exe, and ps would show "exe"
  const char *name = argc > 1 ? argv[1] : NULL;
  if (!name) {
    fprintf(stderr, "sagbend: a command is missing; see 'sagbend --help'\n");
    return EXIT_USAGE;
  }
  if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
    options_print_commands();
    return EXIT_DONE;
  }
  if (!strcmp(name, "--version")) {
    printf("sagbend %s, build %s\n", program_version(), program_build().text);
    return EXIT_DONE;
  }

  if (!strcmp(name, "ctl"))
    return cmd_ctl(argc - 1, argv + 1);
  for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++)
    if (!strcmp(name, COMMANDS[i].name))
      return run_command(&COMMANDS[i], argc - 1, argv + 1);
  fprintf(stderr, "sagbend: unknown command '%s'; see 'sagbend --help'\n", shown(name).text);
  return EXIT_USAGE;
}
