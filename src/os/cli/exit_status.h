// Exit statuses of the programs, and the one place where the status of a function becomes one.
//
// Convention of the rooms session, run, replay, app and dp: a function that can fail returns an enum status
// and fills a struct reason; only the command prints it and returns the exit status. A failure with an empty
// reason has already been reported, as the list of errors in a configuration has.
#pragma once

#include "sagbend/base/status.h"

enum {
  EXIT_DONE = 0,
  EXIT_FAILED = 1, // the run failed, or a comparison found a difference
  EXIT_USAGE = 2,  // wrong usage or input
  EXIT_INCOMPLETE =
      3 // replay --verify: no difference, trials: no open finding; but the log, the trials are not complete
};

// STATUS_OK: EXIT_DONE; STATUS_BAD_INPUT: EXIT_USAGE; any other status: EXIT_FAILED.
int exit_status_of(enum status status);

// Prints "who: why" on stderr, unless status is STATUS_OK or the reason is empty. Returns the exit status.
int exit_with_reason(const char *who, enum status status, const struct reason *why);
