// The process of a session: sagbend run, started by the manager. What it prints is kept for people; what it
// says about itself comes as lines of JSON (os/files/ready.h).
#pragma once

#include "net/messages/messages.h"

#include "os/files/ready.h"
#include "os/process/rt_process.h"

struct child {
  struct process process;
  int output; // its standard output and error; -1: closed
  uint64_t started_ns;
  int line_count;
  char line[WIRE_LINES][WIRE_MAX_TEXT + 1]; // the newest lines, oldest first
  char rest[WIRE_MAX_TEXT + 1];             // the beginning of a line
  size_t rest_size;
  struct ready ready; // its endpoints and its present session; "": it has not said them yet
};

// Starts this program with these arguments, the last of them NULL; --ready-fd is one of them. STATUS_IO: the
// system refuses.
enum status child_start(struct child *child, char *const *arguments, struct reason *why);

// Reads what has come, and prints each line on stderr. Never waits.
void child_read(struct child *child);

// Whether it has ended; then its output is read to the end and it is gone. *wait_status: as of waitpid.
int child_has_ended(struct child *child, int *wait_status);

void child_signal(const struct child *child, int number);
