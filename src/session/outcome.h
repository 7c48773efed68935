// How a run ended, and whether it succeeded. Exit status, summary, JUnit, End message and log take both from
// here. A test is a run with verdicts, or one that writes JUnit; only a test fails for not reaching its end.
#pragma once

#include "setup/run_end.h"

#include <stddef.h>
#include <stdint.h>

struct session;
struct pauses;

enum { OUTCOME_REASONS = 10 };

struct outcome {
  enum run_end end;
  int is_test;      // nonzero: the run has verdicts or writes JUnit
  int broke_off;    // nonzero: the run has an end and did not reach it
  int reason_count; // reasons of failure; 0: success
  struct outcome_reason {
    char text[256];
  } reason[OUTCOME_REASONS];
  int session_reasons; // the first of them are about the session, the others about its verdicts
};

// Determines the end and the reasons of failure, once the last step is done. halts: of all sessions of the
// process.
void outcome_find(struct session *session, const struct pauses *pauses, uint64_t halts);

// Writes the names of the events of the simulator that fail the run, and returns their number.
int outcome_events(const struct session *session, char *names, size_t size);

// Whether the run reached its end; without one, whether nothing but an operator or a signal ended it.
int outcome_is_complete(const struct outcome *outcome);

// Adds the failed verdicts, after every other reason.
void outcome_add_verdicts(struct session *session);

// Adds a reason of failure that concerns the session. Beyond OUTCOME_REASONS reasons are dropped.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void outcome_fail(struct session *session, const char *format, ...);

// Prints each reason as a line on the console.
void outcome_print(struct session *session);
