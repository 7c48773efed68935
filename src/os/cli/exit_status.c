#include "os/cli/exit_status.h"

#include "os/process/journal.h"

#include <stdio.h>

int exit_status_of(enum status status) {
  return status == STATUS_OK ? EXIT_DONE : status == STATUS_BAD_INPUT ? EXIT_USAGE : EXIT_FAILED;
}

int exit_with_reason(const char *who, enum status status, const struct reason *why) {
  if (status != STATUS_OK && *why->text)
    fprintf(stderr, "%s%s: %s\n", journal_is_stderr() ? "<3>" : "", who, why->text); // its prefix of an error
  return exit_status_of(status);
}
