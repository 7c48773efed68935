// The operating system behind one small header: monotonic clock, absolute sleep, thread, priority, locked
// memory. What the system may refuse comes back as a status with a reason; nothing here prints.
#pragma once

#include "core/base/nonblocking.h"
#include "core/base/status.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

uint64_t os_now_ns(void) NONBLOCKING;       // CLOCK_MONOTONIC
void os_sleep_until_ns(uint64_t moment_ns); // absolute, on the same clock; returns at once if it has passed

struct os_thread {
  pthread_t id;
};

// Starts body(context) with this stack; the thread inherits the caller's signal mask.
enum status os_thread_start(struct os_thread *thread, size_t stack_bytes, void (*body)(void *context),
                            void *context, struct reason *why);
void os_thread_join(struct os_thread *thread);

// Of the calling thread. STATUS_IO if the system does not permit it.
enum status os_set_fifo_priority(int priority, struct reason *why);
enum status os_set_cpu(int cpu, struct reason *why);

// Brings all that the process has mapped so far into memory and keeps it there. Later allocations are not
// locked: call it when everything that the real-time thread touches exists, its stack included.
enum status os_lock_memory(struct reason *why);

// Signals that end a run (SIGINT, SIGTERM; SIGHUP unless it is ignored, as nohup does): blocked here, in
// threads started afterwards too, and asked for with os_stop_requested.
void os_block_stop_signals(void);
int os_stop_requested(void); // number of the signal that came, once; 0: none

// Names the running program's build: the linker's build id in hexadecimal; "unknown" if it was linked
// without.
enum { OS_BUILD_ID_SIZE = 41 };
void os_build_id(char out[OS_BUILD_ID_SIZE]);

// First of all in a program: writing where nobody reads any more is an error, not the end of the process; and
// where standard input, output or error are closed, no file that is opened later takes their place.
void os_survive_closed_streams(void);

// Writing beyond a limit on the size of files is an error like a full disk, not the end of the process.
void os_survive_file_limits(void);

// Descriptors of files and sockets. Ask: raises the soft limit to the hard one (to 4096 at most; a higher one
// stays). STATUS_IO: the process may have fewer than needed; why says so. Free: how many may still be opened;
// counting stops at enough.
enum status os_ask_for_descriptors(int needed, struct reason *why);
int os_free_descriptors(int enough);

// Two descriptors kept back, so that a file can be written while all others are taken: given free before,
// taken again after.
struct os_spare {
  int descriptor[2];
};
void os_spare_take(struct os_spare *s); // -1 where there is none left
void os_spare_give(struct os_spare *s);

// count random bytes for names, never for the simulation.
enum status os_random(void *bytes, size_t count, struct reason *why);
