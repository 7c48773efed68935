// The session manager without its socket: what it does with orders, and how it watches the session's process.
#pragma once

#include "net/messages/messages.h"
#include "os/files/files.h"
#include "net/server/operator_line.h"
#include "run/serve/child.h"
#include "run/serve/serve.h"

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
  int is_killed;          // it has received SIGKILL
  int is_hung;            // that was because it did not answer

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

// As take_wire_order (net/server/order_server.h); context is the manager.
enum status manager_take_order(void *context, const struct order *order, struct wire_receipt *receipt,
                               struct reason *why);

// Once in a while: reads what the session prints, asks whether it lives, notices its end, kills it when its
// time is over.
void manager_watch(struct manager *manager);

// Begins to end the session, if one runs. who: for people. Again: kills it.
void manager_stop(struct manager *manager, const char *who);
