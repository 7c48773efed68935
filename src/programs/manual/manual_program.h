// What the tables of commands and keys give besides the help: pages of section 5 of the manual, for the files
// that the programs read, and the completion of command lines.
#pragma once

#include "os/cli/cli.h"

#include <stdio.h>

// Every key of a case, or of a DP file, as a page for troff (man(7)). release: date of the version.
void manual_case_page(FILE *out, const char *release);
void manual_dp_page(FILE *out, const char *release);

// Completion of sagbend's commands and options in bash, zsh and fish. Return 0, or -1 if it cannot be
// written.
int manual_completion(FILE *out);
int manual_completion_zsh(FILE *out);
int manual_completion_fish(FILE *out);

// The command with its options, which sagbend does not know of a command that it hands over to another
// program.
const struct cli_command *manual_command(const struct command_entry *entry);
