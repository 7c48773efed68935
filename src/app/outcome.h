// How a run ended, and whether that is a success: the one place that exit status, summary, JUnit, messages
// and log take it from. A test is a run with verdicts, or one that is to write JUnit; only a test fails for
// not reaching its end.
#pragma once

struct run;

// Enumerator, word in the summary, text of the End message and of the log.
#define RUN_END_TABLE(X)                                                                                     \
  X(END_REACHED, "duration", "duration reached")                                                             \
  X(END_OPERATOR, "operator", "stopped")                                                                     \
  X(END_SIGNAL, "signal", "stopped")                                                                         \
  X(END_FAULT, "fault", "fault")                                                                             \
  X(END_LOG, "log", "log failed")                                                                            \
  X(END_SOCKETS, "sockets", "sockets failed")                                                                \
  X(END_LOCKSTEP_TIMEOUT, "lockstep_timeout", "lockstep time-out")                                           \
  X(END_THREAD, "thread", "a thread could not be started")
#define X(name, word, text) name,
enum run_end { RUN_END_TABLE(X) RUN_END_COUNT };
#undef X
const char *run_end_word(enum run_end e);
const char *run_end_text(enum run_end e);

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
