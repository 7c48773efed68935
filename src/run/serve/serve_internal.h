// Of a session manager: its folders, which folder.c lists and reads, and the process of its session
// (child.c). serve.c answers with both.
#pragma once

#include "run/serve/serve.h"

#include "net/fields/fields.h"
#include "net/messages/messages.h"
#include "net/server/server.h"
#include "os/files/files.h"
#include "os/process/process.h"
#include "sagbend/base/base.h"

#include <stddef.h>

// Lists cases from index first on; DP files are left out. A case that cannot be loaded carries its first
// error.
enum status cases_list(const char *folder, uint32_t first, struct wire_manager *out, struct reason *why);

// Finds a case and checks its configuration. path: room for PATH_MAX characters. STATUS_BAD_INPUT: there is
// no such case, or why holds the first error in it. *has_sockets: its mode opens some.
enum status cases_find(const char *folder, const char *name, char *path, size_t size, int *has_sockets,
                       struct reason *why);

// ------------------------------------------------------------
// The logs of a folder.

// Lists logs from index first on, the newest first. session: the running one, whose newest log grows; "":
// none.
enum status logs_list(const char *folder, uint32_t first, const char *session, struct wire_manager *out,
                      struct reason *why);

// Reads a piece of a log or its digest. STATUS_BAD_INPUT: there is no such log.
enum status logs_piece(const char *folder, const struct manager_order *order, struct wire_manager *out,
                       struct reason *why);

// ------------------------------------------------------------
// The process of a session.

struct child {
  struct process process;
  int output; // standard output and error of the child; -1: closed
  uint64_t started_ns;
  int line_count;
  char line[WIRE_LINES][WIRE_MAX_TEXT + 1]; // the newest lines, oldest first
  char rest[WIRE_MAX_TEXT + 1];             // the beginning of a line
  size_t rest_size;
  struct ready ready; // its endpoints and its present session; "": it has not reported them yet
};

// Starts this program with these arguments, the last of them NULL; --ready-fd is one of them. STATUS_IO: the
// system refuses.
enum status child_start(struct child *child, char *const *arguments, struct reason *why);
// Reads what has come, and prints each line on stderr. Never waits.
void child_read(struct child *child);
// Whether it has ended; then its output is read to the end and it is gone. *wait_status: as of waitpid.
int child_has_ended(struct child *child, int *wait_status);
void child_signal(const struct child *child, int number);
