// Opens a file whose path comes from outside (a configuration, the command line): a regular file of bounded
// size only. A FIFO without a writer would block, and reading a device may never end.
#pragma once

#include "sagbend/base/status.h"

#include <stdint.h>

struct regular_file {
  int descriptor;      // read only; the caller closes it. -1: not open
  uint64_t size;       // bytes
  int others_may_read; // the file's mode lets every user read it
};

// Opens path without blocking. STATUS_BAD_INPUT: it is missing, not a regular file, or larger than
// largest_bytes; why states which, without the path.
enum status regular_file_open(const char *path, uint64_t largest_bytes, struct regular_file *out,
                              struct reason *why);
