// The options of sagbend replay.
#pragma once

#include "os/cli/cli.h"

struct replay_options {
  struct option_files logs; // and folders
  int verify, publish, json;
  int allow_incomplete;                              // of --verify
  const char *key_path;                              // public key by which the logs must be signed; NULL: any
  double rate;                                       // of publishing; 0: the default
  const char *command_endpoint, *telemetry_endpoint; // NULL: as logged
  const char *server_key, *admitted_keys;            // NULL: none
};

extern const struct cli_command replay_command;
