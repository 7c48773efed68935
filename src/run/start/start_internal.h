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

// ------------------------------------------------------------
// What a station starts: the command lines of its processes, checked before any of them begins.

enum { MOST_ARGUMENTS = 2 * MAX_OVERRIDES + 16 };

struct start_plan {
  int has_controller; // a process of its own; otherwise the case has it inside, or none
  char dp_file[512];  // of sagbend-dp; "": the command of the options
  char duration[64];  // "simulation.duration_s=..."
  char *simulator[MOST_ARGUMENTS];
};
