// The process of a session: sagbend run, started by the manager. What it prints is read as it comes.
#pragma once

#include "io/codec/codec.h"

#include <sys/types.h>

struct child {
  pid_t process; // 0: none runs
  int output;    // its standard output and error; -1: closed
  uint64_t started_ns;
  int line_count;
  char line[WIRE_LINES][WIRE_MAX_TEXT + 1]; // the newest lines, oldest first
  char rest[WIRE_MAX_TEXT + 1];             // the beginning of a line
  size_t rest_size;
  char command_endpoint[WIRE_FILE_NAME], telemetry_endpoint[WIRE_FILE_NAME];
  char session[WIRE_NAME]; // the present one; "": it has not printed it yet
};

// Starts this program with these arguments, the last of them NULL. STATUS_IO: the system refuses.
enum status child_start(struct child *child, char *const *arguments, struct reason *why);

// Reads what has come, and prints each line on stderr. Never waits.
void child_read(struct child *child);

// Whether it has ended; then its output is read to the end and it is gone. *wait_status: as of waitpid.
int child_has_ended(struct child *child, int *wait_status);

void child_signal(const struct child *child, int number);
