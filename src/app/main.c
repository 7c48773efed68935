// sagbend: the program. Each command has a file of its own.
#include "app/commands.h"
#include "cli/options.h"
#include "cli/version.h"

#include "rt/os.h"

#include <stdio.h>
#include <string.h>

static const struct {
  const char *name;
  int (*run)(int argc, char **argv);
} COMMANDS[] = {{"run", cmd_run},        {"statics", cmd_statics}, {"replay", cmd_replay},
                {"log", cmd_log},        {"keygen", cmd_keygen},   {"ctl", cmd_ctl},
                {"verify", cmd_verify},  {"check", cmd_check},     {"schema", cmd_schema},
                {"outputs", cmd_outputs}};

int main(int argc, char **argv) {
  os_survive_closed_streams();
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
  for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++)
    if (!strcmp(name, COMMANDS[i].name))
      return COMMANDS[i].run(argc - 1, argv + 1);
  fprintf(stderr, "sagbend: unknown command '%s'; see 'sagbend --help'\n", name);
  return EXIT_USAGE;
}
