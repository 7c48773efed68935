// sagbend: finds the command and runs it.
#include "app/commands.h"
#include "cli/exit_status.h"
#include "cli/version.h"

#include "core/base/shown_text.h"
#include "rt/os.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  os_survive_closed_streams();
  os_name_thread("sagbend"); // serve and sweep start it as /proc/self/exe, and ps would show "exe"
  const char *name = argc > 1 ? argv[1] : NULL;
  if (!name) {
    fprintf(stderr, "sagbend: a command is missing; see 'sagbend --help'\n");
    return EXIT_USAGE;
  }
  if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
    commands_describe(&(struct help){.out = stdout});
    return EXIT_DONE;
  }
  if (!strcmp(name, "--version")) {
    printf("sagbend %s, build %s\n", program_version(), program_build().text);
    return EXIT_DONE;
  }

  for (const struct command_entry *entry = COMMANDS; entry->run; entry++)
    if (!strcmp(name, entry->command->name))
      return entry->run(argc - 1, argv + 1);
  fprintf(stderr, "sagbend: unknown command '%s'; see 'sagbend --help'\n", shown(name).text);
  return EXIT_USAGE;
}
