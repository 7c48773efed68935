// A command line as words, without a shell.
#pragma once

#include "core/base/status.h"

enum { COMMAND_WORDS = 64, COMMAND_TEXT = 4096 };

struct command_words {
  char *word[COMMAND_WORDS + 1]; // the last is NULL
  char text[COMMAND_TEXT];       // of the words
};

// Splits text at blanks; '...' and "..." keep blanks. Each {endpoint} becomes the endpoint. STATUS_BAD_INPUT:
// no word, a quote without its end, more than COMMAND_WORDS words or COMMAND_TEXT characters.
enum status command_split(const char *text, const char *endpoint, struct command_words *out,
                          struct reason *why);

// Whether a program of this name can be run: a path, or a name that PATH leads to.
int command_is_found(const char *program);
