// Opens files that others name: a regular file of bounded size, or the reason at once. A FIFO without a
// writer would hang, a device may never end.
#pragma once

#include "core/base/status.h"

#include <stdint.h>

struct regular_file {
  int descriptor; // read only; close it. -1: not opened
  uint64_t size;
  int others_may_read; // its mode says so
};

// STATUS_BAD_INPUT: why says what it is instead, without the path.
enum status regular_file_open(const char *path, uint64_t largest, struct regular_file *out,
                              struct reason *why);
