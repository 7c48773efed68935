// A command line as words, without a shell.
#pragma once

#include "sagbend/base/status.h"
#include "os/files/ready.h"

enum { COMMAND_WORDS = 64, COMMAND_TEXT = 4096 };

struct command_words {
  char *word[COMMAND_WORDS + 1]; // the last is NULL
  char text[COMMAND_TEXT];       // of the words
};

// Splits text at blanks; '...' and "..." keep blanks. Each mark such as {endpoint} (ready_mark_at) becomes
// its place; ready NULL: nothing, to check the form. STATUS_BAD_INPUT: no word, a quote without its end, more
// than COMMAND_WORDS words or COMMAND_TEXT characters, a place that the session does not have.
enum status command_split(const char *text, const struct ready *ready, struct command_words *out,
                          struct reason *why);

// Whether a program of this name can be run: a path, or a name that PATH leads to.
int command_is_found(const char *program);
