#include "os/cli/program.h"

#include "os/cli/exit_status.h"
#include "os/cli/version.h"
#include "sagbend/base/shown_text.h"
#include "os/process/keeper.h"
#include "os/process/process.h"

#include <string.h>

void program_describe(struct help *h, const struct cli_program *program) {
  static const char *const usages[] = {"COMMAND [options]", "--help", "--version", NULL};
  const char *const examples[] = {program->example, NULL};
  char text[256];
  help_begin(h, program->name, program->purpose, usages);
  snprintf(text, sizeof text,
           "'%s COMMAND --help' shows the options, the exit statuses and an example of a command. '%s "
           "--version' prints the version.",
           program->name, program->name);
  help_text(h, text);
  help_heading(h, "commands", 11);
  for (const struct command_entry *entry = program->commands; entry->run; entry++)
    help_row(h, entry->command->name, entry->command->purpose);
  help_statuses(h, program->statuses);
  help_examples(h, examples);
}

int program_main(const struct cli_program *program, int argc, char **argv) {
  os_survive_closed_streams();
  os_name_thread(program->name); // serve starts sagbend as /proc/self/exe, and ps would show "exe"
  const char *name = argc > 1 ? argv[1] : NULL;
  if (name && !strcmp(name, KEEPER_WORD))
    return keeper_main(argc - 1, argv + 1);
  if (!name) {
    fprintf(stderr, "%s: a command is missing; see '%s --help'\n", program->name, program->name);
    return EXIT_USAGE;
  }
  if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
    program_describe(&(struct help){.out = stdout}, program);
    return EXIT_DONE;
  }
  if (!strcmp(name, "--version")) {
    printf("%s %s, build %s\n", program->name, program_version(), program_build().text);
    return EXIT_DONE;
  }

  for (const struct command_entry *entry = program->commands; entry->run; entry++)
    if (!strcmp(name, entry->command->name))
      return entry->run(argc - 1, argv + 1);
  fprintf(stderr, "%s: unknown command '%s'; see '%s --help'\n", program->name, shown(name).text,
          program->name);
  return EXIT_USAGE;
}
