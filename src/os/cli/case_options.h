// The configuration file of a command and the keys that its command line overrides.
#pragma once

enum { MAX_OVERRIDES = 256 };

struct case_options {
  const char *config_path;
  char *overrides[MAX_OVERRIDES]; // "key.path=value", in the order given
  int override_count;
  int binds_sockets; // one of them is an endpoint to bind
};
void case_options_free(struct case_options *o);
