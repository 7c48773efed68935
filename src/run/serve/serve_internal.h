// The cases of a folder.
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
// The process of a session: sagbend run, started by the manager. What it prints is kept for people; what it
// reports about itself comes as lines of JSON (os/files/files.h).

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
// The session manager without its socket: what it does with orders, and how it watches the session's process.

struct manager {
  const struct serve_options *options;
  char settings[2][4200];              // overrides of a session: the keys by absolute path
  struct server_keys *keys;            // NULL: peers need none
  struct client_keys *own;             // for asking the sessions; NULL: they cannot be asked
  char folder[4096], log_folder[4096]; // real paths
  char loaded[WIRE_FILE_NAME];         // name of the case; "": none
  char path[4096];                     // of its file
  int has_sockets;                     // the mode of the case opens some
  uint64_t started;

  struct child child;
  const char *stopped_by; // why the session is to end: "an operator", ...; NULL: it is not
  uint64_t stopped_ns;    // when that began
  int is_killed;          // 1: the child has received SIGKILL
  int is_hung;            // 1: killed because it did not answer

  struct operator_line *probe; // to the session; NULL: none
  int is_asked;                // an answer is awaited
  uint64_t asked_ns, answered_ns;

  struct wire_session_end last;
  int has_last;
  uint64_t last_ns;
};

// STATUS_BAD_INPUT: a folder is missing.
enum status manager_open(struct manager *manager, const struct serve_options *options, struct reason *why);
// Reads the files of the options. STATUS_BAD_INPUT: one is missing or not valid.
enum status manager_read_keys(struct manager *manager, struct reason *why);
// Kills a session that still runs. Does not report it.
void manager_close(struct manager *manager);

// As take_wire_order (net/server/server.h); context is the manager.
enum status manager_take_order(void *context, const struct order *order, struct wire_receipt *receipt,
                               struct reason *why);

// Once in a while: reads what the session prints, asks whether it lives, notices its end, kills it when its
// time is over.
void manager_watch(struct manager *manager);

// Begins to end the session, if one runs. who: for people. Again: kills it.
void manager_stop(struct manager *manager, const char *who);
