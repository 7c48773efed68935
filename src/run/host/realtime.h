// Private to mode realtime: realtime.c starts the step thread and serves beside it, realtime_links.c
// makes what connects the two and hands commands and orders over, realtime_privileges.c asks
// the system for priorities.
#pragma once

#include "run/host/host.h"
#include "run/host/host_internal.h"

// The main thread's eye on the step thread: reads page faults and context switches about once a second and
// passes them to the step thread, whose frames carry them.
struct usage_watch {
  struct usage_reader reader;
  uint64_t next_ns; // time of the next reading; 0: the thread has not been found yet
};

struct realtime {
  struct host *host;
  struct ring commands, orders, frames, nodes;
  struct slot newest; // of the commands that found their ring full
  uint64_t arrived;   // commands
  struct wake wake;   // rung by the step thread
  int awake_file;     // os_keep_cpus_awake; -1: not held
  struct reason no_awake, no_serving, no_serving_cpu;
  unsigned losses_reported; // of the priority of the thread of the sockets
  struct step_thread thread;
  struct usage_watch usage;
  uint64_t dropped_before; // commands, in the sessions before this one
  int drop_reported;       // nonzero: the event command_dropped has been published
  int ignored_reported;    // nonzero: the event command_ignored has been published
};

// Everything between the threads. Release with realtime_free_links in every case.
enum status realtime_make_links(struct realtime *rt, struct reason *why);
void realtime_free_links(struct realtime *rt);

// Hands over what the server has accepted: as the server's callbacks, context is the struct realtime.
void realtime_take_command(void *context, const struct command *command);
enum status realtime_take_order(void *context, const struct order *order, struct reason *why);

// Before the steps: keeps the processors awake. Afterwards: lets them sleep.
void realtime_keep_cpus_awake(struct realtime *rt);
void realtime_let_cpus_sleep(struct realtime *rt);

// Once the step thread is ready: the main thread, which serves the sockets, gets its priority, below that of
// the step thread; what the system denied becomes a line. It gives it back when the steps have ended.
void realtime_take_privileges(struct realtime *rt);
void realtime_give_back_priority(void);

// While the steps go on: reports whether the main thread has lost the priority because it was busy.
void realtime_watch_priorities(struct realtime *rt);
