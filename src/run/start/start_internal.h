// A command line as words, without a shell.
#pragma once

#include "run/start/start.h"

#include "os/files/files.h"
#include "sagbend/base/base.h"

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

// Whether the word names an FMU, which sagbend-fmu runs as the controller.
int command_is_fmu(const char *word);

// Whether the word names an FMU, which sagbend-fmu runs as the controller.
int command_is_fmu(const char *word);

// Whether a program of this name can be run: a path, or a name that PATH leads to.
int command_is_found(const char *program);

// ------------------------------------------------------------
// What a station starts: the command lines of its processes, checked before any of them begins.

enum { MOST_ARGUMENTS = 2 * MAX_OVERRIDES + 16 };

struct start_plan {
  int has_controller; // a process of its own; otherwise the case has it inside, or none
  char dp_file[512];  // of sagbend-dp; "": the command of the options
  char duration[64];  // "simulation.duration_s=..."
  char *simulator[MOST_ARGUMENTS];
};

// Reads the case and checks what the plan needs. STATUS_BAD_INPUT: not valid; an empty reason was reported.
enum status start_plan_make(const struct start_options *options, struct start_plan *out, struct reason *why);
