// The options of sagbend replay.
#pragma once

#include "log/log/log.h"
#include "os/cli/cli.h"
#include "run/setup/setup.h"
#include "sagbend/engine/engine.h"
#include "sagbend/v1/log.pb-c.h"

#include <cjson/cJSON.h>

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

// ------------------------------------------------------------
// A session's log, opened to be replayed: everything that determines the simulation is read and checked
// before anything runs. Called by programs/sagbend/ctl.c.

struct logged_command {
  uint64_t step; // steps done when the command was latched
  struct command command;
  struct dp_alarm_list *alarms; // alarms that came with the command; owned, NULL: none
};

struct logged_order {
  uint64_t step; // steps done when the order took effect
  struct order order;
};

// A value in the log that is not the expected one. Texts, for reports.
struct difference {
  int found; // 0: none, and the rest is not valid
  uint64_t step;
  enum log_topic topic;
  char field[256], logged[256], replayed[256];
};

// The states at a step of which another session began with one: after the step, and after each order that
// took effect then.
enum { REPLAY_CAPTURED = 32 };
struct replay_capture {
  uint64_t step;
  int taken;    // states
  int too_many; // nonzero: there were more
  struct log_digest state[REPLAY_CAPTURED];
};

enum { REPLAY_GAPS = 12 };

struct replay {
  const struct replay_options *options;
  const char *path;
  struct console console;
  Sagbend__V1__SessionRecord *record;
  struct engine engine; // for --verify only
  struct setup setup;   // loaded from the record's configuration

  struct logged_command *commands; // commands that a step used, in order
  size_t command_count, command_capacity;
  Sagbend__V1__OrderUsed **used_orders; // as logged, in order; decoded once the configuration is loaded
  struct logged_order *orders;
  size_t order_count, order_capacity;
  uint64_t command_number; // number of the last command in commands
  uint64_t newest_number;  // of the last command in the log, those after a gap included
  uint64_t last_step;      // of the log's end; without an end the newest step with a state hash
  uint64_t message_count;
  uint64_t topic_messages[LOG_TOPIC_COUNT]; // of each topic, before the session's end
  uint64_t replayable_to;   // steps; commands are missing after it. UINT64_MAX: none is missing
  Sagbend__V1__LogEnd *end; // NULL: the log does not contain the session's end
  int same_build;           // nonzero: this program wrote the log, and computes the same bits
  struct bytes metadata;    // content of the session's metadata record; empty: none
  struct log_check_report chain;

  struct difference
      contradiction; // first value in the log that cannot be right, whatever the simulation gives
  int gap_count;     // gaps of the log; 0: complete
  struct reason gaps[REPLAY_GAPS];

  // By replay_verify, for logs that belong together.
  uint64_t steps_replayed;
  struct log_digest first_state, last_state; // complete states, without what only the running session knows
  int has_last_state;                        // the replay reached the log's end
  struct replay_capture *captures;           // borrowed
  size_t capture_count;
  int in_series;          // the report is kept instead of printed
  int is_first_in_series; // notices that concern all logs are printed once
  struct cJSON *report;   // then
};

// Reads the log once. Errors in its configuration are lines on errors. STATUS_BAD_INPUT: it cannot be
// replayed; STATUS_NO_MEMORY. Release with replay_close in every case.
enum status replay_open(struct replay *replay, const struct replay_options *options, const char *path,
                        FILE *errors, struct reason *why);
void replay_close(struct replay *replay);

// Fills why with "FILE: not usable: text". Returns STATUS_NO_MEMORY if that is the cause, else
// STATUS_BAD_INPUT.
enum status replay_unusable(const struct replay *replay, struct reason *why, enum status cause,
                            const char *text);

// Records a contradiction in the log. Only the first is kept.
void replay_contradicts(struct replay *replay, uint64_t step, enum log_topic topic, const char *field,
                        const char *logged, const char *expected);
void replay_contradicts_number(struct replay *replay, uint64_t step, enum log_topic topic, const char *field,
                               uint64_t logged, uint64_t expected);

// Records something that is missing in the log. Beyond REPLAY_GAPS they are dropped.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void replay_add_gap(struct replay *replay, const char *format, ...);

enum replay_result {
  REPLAY_EQUAL,
  REPLAY_DIFFERENT,
  REPLAY_INCOMPLETE // equal as far as the log goes
};

// sagbend replay --verify: computes the session again, compares it with the log and prints the report.
// STATUS_BAD_INPUT: the log cannot be compared.
enum status replay_verify(struct replay *replay, enum replay_result *result, struct reason *why);

// sagbend replay --publish: publishes the logged telemetry on the sockets, at the pace of its simulated time.
// A stop by a signal is STATUS_OK.
enum status replay_publish(struct replay *replay, struct reason *why);

// ------------------------------------------------------------
// Several logs that belong together: the parts of a session's log (docs/logs.md), and sessions that begin
// with a state of another one. Each log is verified, then the joints between them.

// Whether the arguments of sagbend replay are more than one log: several paths, or a folder.
int series_is_asked_for(const struct replay_options *options);

// sagbend replay --verify LOG... prints the report. A folder stands for the logs in it. STATUS_BAD_INPUT: a
// log cannot be read or replayed; the others have been verified and reported. *steps: that were replayed.
enum status series_verify(const struct replay_options *options, enum replay_result *result, uint64_t *steps,
                          struct reason *why);
