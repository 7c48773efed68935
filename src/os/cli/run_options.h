// The options of sagbend run.
#pragma once

#include "os/cli/cli.h"

struct run_options {
  struct case_options given;

  // Of the process.
  const char *summary_path, *junit_path; // NULL: not asked for
  int ends_with_parent;
  int ready_descriptor; // takes a line as soon as the run is ready; 0: none

  // Of each of its sessions. NULL and 0: not asked for, or the default.
  const char *record_path, *shapes_path, *laid_route_path, *hashes_path;
  double record_every_s, shapes_every_s;
  const char *log_path, *log_folder;
  const char *log_key_path; // secret key that signs the log
  int overwrites;           // a log that exists
  const char *checkpoint_path, *resume_path;
  double checkpoint_every_s;
  int resumes_if_present;      // from checkpoint_path, if there is one
  const char *snapshot_folder; // NULL: beside the log or the checkpoint
};

extern const struct cli_command run_command;
