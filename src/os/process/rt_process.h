// Processes that this one starts: one way to start, hear, signal and reap them. posix_spawn, because a fork
// would copy the locks of other threads. No shell reads the arguments.
#pragma once

#include "sagbend/base/status.h"

#include <sys/types.h>

// The descriptor at which a process that is heard writes lines, such as that it is ready.
enum { PROCESS_VOICE = 3, PROCESS_LINE = 4096 };
#define PROCESS_VOICE_TEXT "3" // for its arguments

// Zeros: none runs.
struct process {
  pid_t id;  // 0: none runs
  int voice; // a descriptor, where it is heard; 0: it is not, or says nothing more
  int is_kept;
  size_t size;
  char said[PROCESS_LINE]; // the beginning of a line
};

struct process_start {
  const char *program;    // a path, or a name that PATH leads to; NULL: the program that runs here
  char *const *arguments; // the last is NULL
  const char *folder;     // in which it runs; NULL: where this process does
  int output;             // takes its standard output and error; 0: they are those of this process
  int is_apart;           // nonzero: has a process group of its own and no input, so that Ctrl-C reaches this
                          // process only, which ends the other in order
  int is_heard;           // nonzero: has PROCESS_VOICE open
  int is_overheard;       // with is_heard: what it prints, on both streams, is heard as well
  int is_kept; // nonzero: all that it starts ends with it, and all of it with this process (os/process/keeper.h);
               // the running program must know KEEPER_WORD. It does not have PROCESS_VOICE open
  int held;    // a descriptor that it, or its keeper, has open as well, for a lock; 0: none
};

// Starts it with no signal blocked, and with no descriptor but 0, 1, 2, PROCESS_VOICE and what is held.
// STATUS_IO: the system refuses, and errno says why; then none runs.
enum status process_start(struct process *process, const struct process_start *start, struct reason *why);

// The next whole line that it has said, without its end; valid until the next call. NULL: none has come.
// Never waits. A line of PROCESS_LINE characters and more is cut.
const char *process_hear(struct process *process);

// SIGKILL ends one that is kept, and all that it has started.
void process_signal(const struct process *process, int number);

// Whether it has ended. Then it is reaped, and *wait_status is as of waitpid. What it said can still be
// heard.
int process_has_ended(struct process *process, int *wait_status);
int process_wait(struct process *process);    // waits for the end, and returns that status
void process_forget(struct process *process); // nothing more is heard

// Runs a program to its end and returns its exit status; negative: it cannot be started, or a signal ended
// it.
int process_run(const struct process_start *start);
