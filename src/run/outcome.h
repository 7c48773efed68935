// How a run ended, and whether that is a success: the one place that exit status, summary, JUnit, messages
// and log take it from. A test is a run with verdicts, or one that is to write JUnit; only a test fails for
// not reaching its end.
#pragma once

#include "session/run_end.h"

struct run;

enum { OUTCOME_REASONS = 8 };

struct outcome {
  enum run_end end;
  int is_test;
  int broke_off;    // it has an end and did not reach it
  int reason_count; // 0: success
  struct outcome_reason {
    char text[256];
  } reason[OUTCOME_REASONS]; // why it failed
  int session_reasons;       // the first of them; those behind are of the verdicts
};

void outcome_find(struct run *r);         // when the last step is done
void outcome_add_verdicts(struct run *r); // when everything else is known
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void outcome_fail(struct run *r, const char *format, ...); // one reason more, before those of the verdicts
void outcome_tell(struct run *r);                          // each reason, on the console
