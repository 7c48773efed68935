// The operating system behind one small header: monotonic clock, absolute sleep, threads, priority, locked
// memory, signals, descriptors. A function that the system may refuse returns a status and a reason; none
// prints.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/base/status.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

uint64_t os_now_ns(void) NONBLOCKING; // CLOCK_MONOTONIC
void os_sleep_until_ns(
    uint64_t moment_ns); // sleeps until a moment of that clock; returns at once if it has passed
void os_spin_until_ns(uint64_t moment_ns); // the same, but reads the clock all the time

struct os_thread {
  pthread_t id;
};

// Starts a thread that calls body(context), with a stack of stack_bytes. It inherits the caller's signal
// mask.
enum status os_thread_start(struct os_thread *thread, size_t stack_bytes, void (*body)(void *context),
                            void *context, struct reason *why);
void os_thread_join(struct os_thread *thread);
void os_name_thread(const char *name); // of the calling thread, as ps and top show it: at most 15 characters

int os_thread_number(void); // the system's number of the calling thread

// Sets the scheduling (SCHED_FIFO) and the processor of the calling thread. STATUS_IO: the system does not
// permit it.
enum status os_set_fifo_priority(int priority, struct reason *why);
enum status os_set_cpu(int cpu, struct reason *why);

// Asks the kernel to keep all processors out of sleep states that take time to leave, until the file is
// closed: os_let_cpus_sleep, or the end of the process. STATUS_IO: the system does not permit it.
enum status os_keep_cpus_awake(int *file, struct reason *why);
void os_let_cpus_sleep(int file); // -1: nothing to do

// Loads all memory that the process has mapped so far and locks it. Later allocations are not locked: call it
// when everything that the real-time thread touches exists, including its stack.
enum status os_lock_memory(struct reason *why);

// Blocks the signals that end a run (SIGINT, SIGTERM, and SIGHUP unless it is ignored as under nohup), also
// in threads that start later. os_stop_requested polls for them.
void os_block_stop_signals(void);
int os_stop_requested(void); // number of a signal that has arrived, reported once; 0: none
int os_stop_waits(void);     // nonzero: os_stop_requested will report one

// Makes the end of the process that started this one arrive as SIGTERM. If that process has called
// os_lead_processes, also if it has ended already. os_end_with_leader: only if it has.
void os_end_with_parent(void);
void os_end_with_leader(void);
void os_lead_processes(void); // processes that this one starts from now on can end with it

// The first call of a program. Makes writing to a closed pipe an error instead of the end of the process, and
// occupies closed standard streams, so that no file opened later takes their descriptors.
void os_survive_closed_streams(void);

// Makes writing beyond the file size limit an error, like a full disk, instead of the end of the process.
void os_survive_file_limits(void);

// Descriptors of files and sockets. os_ask_for_descriptors raises the soft limit to the hard limit, to at
// most 4096; a higher limit stays. STATUS_IO: the process may have fewer than needed. os_free_descriptors
// counts how many can still be opened, up to enough.
enum status os_ask_for_descriptors(int needed, struct reason *why);
int os_free_descriptors(int enough);

// Two reserved descriptors, so that a file can be written while all others are in use. os_spare_give releases
// them before, os_spare_take reserves them again afterwards.
struct os_spare {
  int descriptor[2];
};
void os_spare_take(struct os_spare *s); // a descriptor of -1: none was left
void os_spare_give(struct os_spare *s);

// Fills count random bytes, for names only: the simulation has its own random streams.
enum status os_random(void *bytes, size_t count, struct reason *why);
