// How a run can end.
#pragma once

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
