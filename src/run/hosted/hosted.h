// The logs of what a host ran: the steps of its journals (sagbend_journal) are computed again, compared with
// the hashes that the host had, and written as session logs. Several journals of one host go together where a
// state that one simulation saved was restored in another.
#pragma once

#include "os/files/files.h"
#include "sagbend/base/base.h"

#include <stdint.h>
#include <stdio.h>

struct hosted_order {
  const char *const *journals;
  size_t journal_count;
  const char *log_path; // of the first session; a state restored or a reset begins another: FILE-2.mcap, ...
  const char *key_path; // secret key that signs the logs; NULL: none
  int overwrites;       // logs that exist
};

enum hosted_result {
  HOSTED_EQUAL,      // whole journals, and every hash is that of the host
  HOSTED_INCOMPLETE, // the same as far as they go: one breaks off, or goes on from a state that none has
  HOSTED_DIFFERENT,  // another hash; the last log contains the one of the host, and ends there
};

struct hosted_report {
  enum hosted_result result;
  struct reason because; // if it is not equal
  uint64_t steps, logs;  // of all journals
  char library[128];     // version and build of the host's library, of the first
};

// The logs are files of claims. Errors of the case are lines on errors. STATUS_BAD_INPUT: a file is no
// journal, or damaged, and no log has been written. STATUS_IO: a file cannot be read or written.
enum status hosted_log(const struct hosted_order *order, struct file_claims *claims, FILE *errors,
                       struct hosted_report *out, struct reason *why);
