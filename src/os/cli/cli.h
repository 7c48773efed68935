// Command lines by tables. Each command has a struct of its own for its options, and one table whose rows
// name an option, its value, its help and the member that it sets. Reading, --help, the pages of the manual
// and the completion of the shell follow the table. An option that names a configuration key becomes an
// override, so that the session's record contains it.
#pragma once

#include "os/cli/case_options.h"
#include "os/cli/help_page.h"
#include "sagbend/base/status.h"
#include "os/files/file_claims.h"

#include <stddef.h>

enum option_action {
  SHOW_HELP,
  SET_FLAG,    // int
  SET_TEXT,    // const char *
  ADD_TEXT,    // struct option_texts: the option may be repeated
  SET_SECONDS, // double above 0
  SET_FACTOR,  // double above 0
  SET_TIME,    // double: a simulated time from 0
  SET_COUNT,   // int from 1
  ADD_SETTING, // struct case_options: KEY=VALUE
  ADD_KEY      // struct case_options: a value for the row's key
};

struct option_row {
  const char *name;
  const char *value; // its name in the help; NULL: the option takes none
  const char *help;
  enum option_action action;
  size_t member;     // of the struct of the command
  const char *key;   // ADD_KEY: the configuration key
  enum file_use use; // of the file that a SET_TEXT names
  char letter;       // of the short form; 0: none
};

enum { MAX_OPTION_TEXTS = 64 };

struct option_texts {
  const char *text[MAX_OPTION_TEXTS]; // in the order given
  int count;
};

struct option_files {
  char *const *path;
  int count;
};

// The words of a command line that are not options, in their order.
enum word_kind {
  NO_WORD,
  ACTION_WORD,   // the first word, if it is not an option; NULL: missing
  FILE_WORD,     // a file
  OPTIONAL_FILE, // a file, or NULL
  FILE_WORDS     // struct option_files: at least one
};

struct word_row {
  enum word_kind kind;
  size_t member;
};
enum { MAX_WORDS = 3 };

struct cli_command {
  const char *name, *arguments, *purpose, *example;
  const char *statuses;             // meanings of the exit statuses
  const struct option_row *options; // NULL: the command reads and describes its own
  size_t size;                      // of its struct
  struct word_row words[MAX_WORDS];
};

// Reads argv, which begins with the command's name, into options, a struct of the command that it clears
// first. 0: the command is not to run; *exit_status: after an error on stderr, or after the help.
int command_begin(const struct cli_command *command, int argc, char **argv, void *options, int *exit_status);

// Adds the files that the command line names to claims. STATUS_BAD_INPUT: two of them are the same file.
enum status command_claim(const struct cli_command *command, const void *options, struct file_claims *claims,
                          struct reason *why);

void command_describe(struct help *h, const struct cli_command *command); // for --help and for the manual
