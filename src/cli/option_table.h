// The options and commands of sagbend with their help texts, as tables.
#pragma once

#include "cli/help_page.h"
#include "cli/options.h"
#include "io/files/file_claims.h"

#include <stddef.h>

enum option_action {
  SET_OVERRIDE, // KEY=VALUE
  SET_KEY,      // an override of the row's configuration key
  SET_TEXT,
  SET_NUMBER, // seconds above 0
  SET_FACTOR, // above 0
  SET_COUNT,  // whole number
  SET_TIME,   // simulated time from 0
  SET_FLAG,
  ADD_CASE,
  SHOW_HELP
};

struct option_spec {
  const char *name;
  const char *value; // name of its value in the help; NULL: the option takes no value
  int commands;      // bits of the commands that have it
  enum option_action action;
  const char *key;   // SET_KEY: the configuration key
  size_t offset;     // other actions: member of struct options
  enum file_use use; // of the file that a SET_TEXT names
  const char *help;
};

extern const struct option_spec OPTION_SPECS[];
extern const int OPTION_COUNT;

struct command_text {
  enum command_id id;
  const char *name, *arguments, *purpose, *example;
  const char *statuses; // meanings of the exit statuses
};

const struct command_text *command_text(enum command_id id);

// All commands, in the order of the help.
int command_count(void);
const struct command_text *command_text_at(int index);

// The description of a command that reads its options from OPTION_SPECS, and the list of all commands.
void describe_command(struct help *h, const struct command_text *command);
void describe_commands(struct help *h);
