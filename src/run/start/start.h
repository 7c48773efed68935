// The options of sagbend start.
#pragma once

#include "os/cli/cli.h"

struct start_options {
  struct case_options given;
  const char *controller; // command line; NULL: sagbend-dp with the DP file of the case
  const char *duration;   // simulated seconds, as text; NULL: until stopped
  const char *log, *log_folder;
  int has_view;
  int operates;       // an operator may enter the page
  const char *listen; // of the view; NULL: its own default
};

extern const struct cli_command start_command;

// ------------------------------------------------------------
// A station: simulator, controller and view as three processes that begin and end together.

// Runs until the session ends, one of the processes ends, or a signal comes. Returns the exit status of the
// program; what is wrong has been printed.
int start(const struct start_options *options);
