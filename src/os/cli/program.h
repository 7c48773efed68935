// A program whose first word is a command: sagbend, sagbend-lab and sagbend-verify.
#pragma once

#include "os/cli/cli.h"

struct command_entry {
  const struct cli_command *command;
  int (*run)(int argc, char **argv); // argv begins with the command's name; NULL: beyond the last entry
};

struct cli_program {
  const char *name, *purpose;
  const char *statuses; // meanings of the exit statuses
  const char *example;
  const struct command_entry *commands; // in the order of the help
};

// Finds the command that the first word names and runs it. Returns the exit status of the program.
int program_main(const struct cli_program *program, int argc, char **argv);

void program_describe(struct help *h, const struct cli_program *program); // for --help and for the manual
