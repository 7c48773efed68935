// The command line of sagbend-dp.
#pragma once

#include "os/cli/cli.h"

#include "sagbend/base/base.h"

enum { DP_MAX_OVERRIDES = 64 };

struct dp_options {
  const char *config;            // path of the DP file
  const char *connect[NETWORKS]; // networks A and B; both NULL: as in the DP file
  const char *name;              // NULL: as in the DP file
  const char *key, *server_key;  // both NULL: none
  const char *overrides[DP_MAX_OVERRIDES];
  int override_count;
  int quiet;
  int help, version; // print that and do nothing else
};

// --help and --version end the reading.
enum status dp_options_read(int argc, char **argv, struct dp_options *o, struct reason *why);

void dp_describe(struct help *h); // the help
void dp_print_help(void);
void dp_print_version(void);
