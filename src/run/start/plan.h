// What a station starts: the command lines of its processes, checked before any of them begins.
#pragma once

#include "run/start/start.h"
#include "run/start/start_internal.h"

enum { MOST_ARGUMENTS = 2 * MAX_OVERRIDES + 16 };

struct start_plan {
  int has_controller; // a process of its own; otherwise the case has it inside, or none
  char dp_file[512];  // of sagbend-dp; "": the command of the options
  char duration[64];  // "simulation.duration_s=..."
  char *simulator[MOST_ARGUMENTS];
};

// Reads the case and checks what the plan needs. STATUS_BAD_INPUT: not valid; an empty reason was reported.
enum status start_plan_make(const struct start_options *options, struct start_plan *out, struct reason *why);
