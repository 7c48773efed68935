// Several logs that belong together: the parts of a session's log (docs/logs.md), and sessions that begin
// with a state of another one. Each log is verified, then the joints between them. series.c: finds and
// verifies the logs; series_report.c: compares neighbours; replay_series_report.c: the report.
#pragma once

#include "run/replay/replay.h"

#include <cjson/cJSON.h>

struct series_log {
  char *path;
  struct reason unusable; // empty: it was read and replayed
  int is_unreadable;      // not even its record could be read
  char session[64], started_at[40];
  unsigned part; // 0: the log is one file
  uint64_t first_step;
  int has_origin;
  char origin_session[64], origin_how[16];
  uint64_t origin_step;
  struct replay_capture *captures; // states that other sessions began with
  size_t capture_count;

  // Once it is verified.
  enum replay_result result;
  int is_complete, has_end, has_last_state, has_chain;
  uint64_t last_step, initial_hash, end_hash, commands_before, last_command, config_hash;
  char build[64], continued_in[128], next_session[64];
  struct log_digest first_state, last_state, chain_end, link;
  int has_link;
  cJSON *report;
};

enum series_finding_kind { SERIES_MISSING, SERIES_CONTRADICTION };

struct series_finding {
  enum series_finding_kind kind;
  struct reason text;
};

struct series {
  const struct replay_options *options;
  struct series_log *logs; // by session in the order of their starts, then by part
  size_t count, capacity;
  struct series_finding *findings;
  size_t finding_count, finding_capacity;
  int has_lost_findings; // there was no memory for one
  size_t joints;         // compared
};

// Whether the arguments of sagbend replay are more than one log: several paths, or a folder.
int series_is_asked_for(const struct replay_options *options);

// sagbend replay --verify LOG... prints the report. A folder stands for the logs in it. STATUS_BAD_INPUT: a
// log cannot be read or replayed; the others have been verified and reported. *steps: that were replayed.
enum status series_verify(const struct replay_options *options, enum replay_result *result, uint64_t *steps,
                          struct reason *why);

// ---- inside ----

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void series_add(struct series *series, enum series_finding_kind kind, const char *format, ...);
void series_compare(struct series *series); // all neighbours
enum replay_result series_result(const struct series *series);
enum status series_report(const struct series *series, struct reason *why);
