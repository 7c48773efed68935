// The command line of sagbend-dp.
#pragma once

// Exit status of the program.
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };
enum { DP_MAX_OVERRIDES = 64 };

struct dp_options {
  const char *config, *connect, *name;
  const char *overrides[DP_MAX_OVERRIDES];
  int override_count;
  int quiet;
};

// Returns -1 to go on, otherwise the exit status, after the help on stdout or a line on stderr.
int dp_options_read(int argc, char **argv, struct dp_options *o);

int dp_usage_error(const char *what, const char *found); // prints a line on stderr; EXIT_USAGE
