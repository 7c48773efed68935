// A session's log, opened to be replayed: what the simulation follows from, read and checked before anything
// runs.
#pragma once

#include "cli/console.h"
#include "session/session.h"

#include "io/log/log_check.h"
#include "io/log/log_messages.h"

#include "sagbend/v1/log.pb-c.h"

struct logged_command {
  uint64_t step; // steps done when it was latched
  struct command command;
};

struct logged_order {
  uint64_t step;
  struct order order;
};

struct difference {
  int found;
  uint64_t step;
  enum log_topic topic;
  char field[256], logged[256], replayed[256];
};

enum { REPLAY_REASONS = 12 };

struct replay {
  const struct options *options;
  const char *path;
  struct console console;
  Sagbend__V1__SessionRecord *record;
  struct session session; // configuration of the record; sim only where asked for

  struct logged_command *commands; // those that a step used, in order
  size_t command_count, command_capacity;
  Sagbend__V1__OrderUsed **used_orders; // as logged, in order; read when the configuration is there
  struct logged_order *orders;
  size_t order_count, order_capacity;
  uint64_t command_number; // of the last one
  uint64_t newest_number;  // of those behind a gap too
  uint64_t last_step;      // of the end; without it the newest step that a state hash tells of
  uint64_t message_count;
  uint64_t replayable_to;   // steps; beyond it commands are missing. UINT64_MAX: they are all there
  Sagbend__V1__LogEnd *end; // NULL: the session's end is not in the log
  int same_build;           // this program's bits are comparable with the log's
  struct bytes metadata;    // content of the session's metadata record; empty: none
  struct log_check_report chain;

  struct difference claim; // the first thing that the log says and that cannot be
  int reason_count;        // why it is not complete; 0: it is
  struct reason reasons[REPLAY_REASONS];
};

// Reads the log through once. Returns -1 to go on, otherwise the exit status after a line on stderr. Release
// with replay_close in either case.
int replay_open(struct replay *r, const struct options *o);
void replay_close(struct replay *r);
int replay_scan(struct replay *r); // the part of it that reads

int replay_unusable(struct replay *r, const char *why); // says so; EXIT_USAGE

// What the log says and cannot be; the first counts. Why it is not complete.
void replay_differs(struct replay *r, uint64_t step, enum log_topic topic, const char *field,
                    const char *logged, const char *expected);
void replay_differs_in_number(struct replay *r, uint64_t step, enum log_topic topic, const char *field,
                              uint64_t logged, uint64_t expected);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void replay_misses(struct replay *r, const char *format, ...);

// The two ways of replaying; each returns the exit status.
int replay_verify(struct replay *r);
int replay_publish(struct replay *r);
