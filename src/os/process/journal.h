// The systemd journal, if it reads the standard error stream (as it does for a service): lines with fields.
#pragma once

#include <stdint.h>

enum journal_priority { JOURNAL_ERROR = 3, JOURNAL_WARNING = 4, JOURNAL_NOTICE = 5, JOURNAL_INFO = 6 };

struct journal_entry {
  enum journal_priority priority;
  const char *text;    // one line
  const char *session; // SAGBEND_SESSION; "": none
  const char *event;   // SAGBEND_EVENT, with SAGBEND_STEP; NULL: not an event
  uint64_t step;
};

int journal_is_stderr(void);

// Returns 1 if the journal has taken the entry, else 0: the caller then writes the line to stderr.
int journal_write(const struct journal_entry *entry);
