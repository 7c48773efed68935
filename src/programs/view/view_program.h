// The command line of sagbend-view.
#pragma once

#include "os/cli/cli.h"
#include "sagbend/base/base.h"

enum { VIEW_MAX_ALLOWED = 32, VIEW_MAX_OVERRIDES = 256 };

struct view_options {
  int help, version;
  const char *connect; // telemetry endpoint; NULL: a log
  char *const *logs;   // NULL: live
  int log_count;
  const char *listen;
  const char *key, *server_key; // NULL: none
  const char *operate;          // endpoint of the commands; NULL: it observes only
  const char *config;           // of the session, for the capability plot; NULL: not given
  char *overrides[VIEW_MAX_OVERRIDES];
  int override_count;
  const char *hosts[VIEW_MAX_ALLOWED], *origins[VIEW_MAX_ALLOWED];
  int host_count, origin_count;
};

enum status view_options_read(int argc, char **argv, struct view_options *out, struct reason *why);
void view_describe(struct help *h); // for --help and for the manual
void view_print_help(void);
void view_print_version(void);
