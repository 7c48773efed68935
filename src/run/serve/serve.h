// The options of sagbend serve.
#pragma once

#include "os/cli/cli.h"

struct serve_options {
  const char *folder, *log_folder; // log_folder NULL: "logs" in folder
  const char *endpoint;            // of the manager
  // Of the sessions, by network; NULL: as in their cases.
  const char *command_endpoint, *telemetry_endpoint, *command_endpoint_b, *telemetry_endpoint_b;
  // Files: the server's secret key, the list of admitted keys, and the operator's key by which the manager
  // asks its sessions. NULL: none; the first two go together, the third needs them.
  const char *server_key, *admitted_keys, *own_key;
  double grace_s;      // until a session that is to end is killed
  double hang_limit_s; // a session that is silent for longer is killed; 0: never
};

extern const struct cli_command serve_command;

// ------------------------------------------------------------
// sagbend serve: a session manager for a laboratory. It offers the cases of a folder, runs one at a time in a
// process of its own, and hands out the logs.

// Returns when a signal ends the manager. STATUS_BAD_INPUT: a folder or endpoint cannot be used; STATUS_IO:
// the socket failed, or the last session had to be killed.
enum status serve(const struct serve_options *options, struct reason *why);
