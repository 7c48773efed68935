// A section of a configuration or of a DP file. Each is a file that holds its keys, its checks and its
// resolving step side by side.
#pragma once

#include "sagbend/case/config_check.h"

struct loading;

struct config_section {
  const struct key_group *groups; // rows of its keys
  int group_count;
  void (*check)(const struct check *c); // checks between keys; NULL: none
  // Writes what the draft does not contain as such: radians, indices, dependent defaults. out is a copy of
  // the draft's definition; called after all checks, without errors. NULL: nothing to resolve.
  void (*resolve)(const struct check *c, struct config *out);
  // Reads or checks what the section refers to outside its text: paths and sockets. NULL: nothing.
  void (*take_references)(struct loading *l, struct config *out);
};

// Sections of a program: what it reads of a case beside what the simulator needs. No step depends on their
// keys. Their rows may fill a record of their own: offsets from MORE_DRAFT on (config_draft.h).
struct config_sections {
  const struct config_section *const *section;
  int count;
  size_t draft_bytes;  // of that record
  size_t record_bytes; // from its start on, what config.more keeps of it
};

struct dp_section {
  const struct key_group *groups;
  int group_count;
  void (*check)(const struct check *c);
  void (*resolve)(const struct check *c, struct dp_config *out);
};

// Rows that several sections contain: of struct time_profile, struct pid_def.
extern const struct key_rows PROFILE_ROWS, PID_ROWS;
