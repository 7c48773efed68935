// What the system did to a thread: page faults and context switches, as Linux counts them.
#pragma once

#include "sagbend/base/status.h"

#include <stdint.h>

struct usage {
  uint64_t minor_faults; // a page was mapped at its first use: some microseconds
  uint64_t major_faults; // a page came from the disk: milliseconds
  uint64_t waits;        // the thread gave the processor up, to sleep or to wait
  uint64_t preemptions;  // the system gave the processor to another thread
};

struct usage usage_now(void); // of the calling thread since its start; a system call
struct usage usage_sum(const struct usage *a, const struct usage *b);
struct usage usage_since(const struct usage *now, const struct usage *then);

// Reads the usage of another thread of this process, so that the thread itself needs no system call.
struct usage_reader {
  int stat, status; // files in /proc; -1: not open
};
enum status usage_open(struct usage_reader *reader, int thread_number, struct reason *why);
int usage_read(const struct usage_reader *reader, struct usage *out); // 0: the system does not tell
void usage_close(struct usage_reader *reader);
