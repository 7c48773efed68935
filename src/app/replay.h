// A session's log, opened to be replayed: what the simulation follows from, read and checked before anything
// runs.
#pragma once

#include "console.h"
#include "session.h"

#include "io/log_messages.h"

#include "sagbend/v1/log.pb-c.h"

struct logged_command {
  uint64_t step; // steps done when it was latched
  struct command command;
};

struct logged_order {
  uint64_t step;
  struct order order;
};

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
  uint64_t last_step;      // newest step that any message tells of
  uint64_t message_count;
  uint64_t replayable_to; // steps; beyond it commands are missing. UINT64_MAX: they are all there
  int ended;              // the session's end is in the log
  struct reason cut;      // why the log is not complete; empty: it is
  int same_build;         // this program's bits are comparable with the log's
};

// Reads the log through once. Returns -1 to go on, otherwise the exit status after a line on stderr. Release
// with replay_close in either case.
int replay_open(struct replay *r, const struct options *o);
void replay_close(struct replay *r);

int replay_unusable(struct replay *r, const char *why); // says so; EXIT_USAGE

// The two ways of replaying; each returns the exit status.
int replay_verify(struct replay *r);
int replay_publish(struct replay *r);
