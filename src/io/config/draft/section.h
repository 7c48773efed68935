// A section of a configuration or of a DP file. Each is a file that holds its keys, its checks and its
// resolving step side by side.
#pragma once

#include "io/config/draft/config_check.h"

struct config_section {
  const struct key_group *groups; // rows of its keys
  int group_count;
  void (*check)(const struct check *c); // checks between keys; NULL: none
  // Writes what the draft does not contain as such: radians, indices, dependent defaults. out is a copy of
  // the draft's definition; called after all checks, without errors. NULL: nothing to resolve.
  void (*resolve)(const struct check *c, struct config *out);
};

struct dp_section {
  const struct key_group *groups;
  int group_count;
  void (*check)(const struct check *c);
  void (*resolve)(const struct check *c, struct dp_config *out);
};

// Rows that several sections contain: of struct time_profile, struct pid_def.
extern const struct key_rows PROFILE_ROWS, PID_ROWS;
