// Processes and threads: rings, clocks, signals, other programs, systemd.
#pragma once

#include "sagbend/base/base.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

// ------------------------------------------------------------
// A bounded, lock-free ring of items of any size between one producer thread and one consumer thread. Items
// are written and read in place, aligned to 16 bytes. The producer states for each item how full the ring may
// become, so that items of low importance leave room for important ones.

enum { BYTE_RING_LINE = 64, BYTE_RING_HEAD = 16 };

struct byte_ring {
  unsigned char *bytes;                           // memory of the caller, aligned to 64 bytes
  size_t capacity;                                // bytes, a power of two
  _Alignas(BYTE_RING_LINE) atomic_size_t written; // bytes committed since the start; the producer writes it
  size_t claimed;                                 // value of written after the commit; the producer's
  _Alignas(BYTE_RING_LINE) atomic_size_t read;    // bytes released since the start; the consumer writes it
};

// Does not touch mem: its pages are mapped at their first use, or in advance for a thread in real time by
// os_lock_memory or memory_populate.
void byte_ring_init(struct byte_ring *r, void *mem, size_t capacity);

// Producer. Claim returns memory for an item of size bytes, or NULL if more than most_full bytes of the ring
// would then be in use. The consumer sees the item after the commit. byte_ring_fill returns the bytes in use.
void *byte_ring_claim(struct byte_ring *r, size_t size, size_t most_full) NONBLOCKING;
void byte_ring_commit(struct byte_ring *r) NONBLOCKING;
// Producer, when it has time to spare: prefetches the memory of the next size bytes into the cache, for
// writing.
void byte_ring_prefetch(const struct byte_ring *r, size_t size) NONBLOCKING;
size_t byte_ring_fill(const struct byte_ring *r) NONBLOCKING;

// Consumer. Front returns the oldest item, or NULL if the ring is empty. The item stays valid until its
// release.
const void *byte_ring_front(struct byte_ring *r);
void byte_ring_release(struct byte_ring *r);

// ------------------------------------------------------------
// A histogram of times in ns with fixed buckets: exact below 128 ns, then 128 buckets per doubling (each at
// most 0.8 % wide), up to 2^40 ns or about 18 minutes. Longer times count in the last bucket. No allocation.

enum {
  HISTOGRAM_SUB_BITS = 7,
  HISTOGRAM_TOP_BITS = 40,
  HISTOGRAM_BUCKETS = (HISTOGRAM_TOP_BITS - HISTOGRAM_SUB_BITS + 1) << HISTOGRAM_SUB_BITS
};

struct histogram {
  uint64_t count;
  uint64_t max_ns; // exact
  uint64_t buckets[HISTOGRAM_BUCKETS];
};

struct histogram_bucket {
  uint64_t upper_ns; // the longest time that counts in it; for the last bucket the longest recorded one
  uint64_t count;
};

void histogram_clear(struct histogram *h);
void histogram_add(struct histogram *h, uint64_t ns) NONBLOCKING;

// Percentiles: for each of n fractions (0 to 1, ascending) the smallest recorded time, to the width of a
// bucket, that this fraction of the times does not exceed. All are 0 if nothing was recorded. One pass over
// the buckets.
void histogram_percentiles(const struct histogram *h, int n, const double fraction[],
                           uint64_t ns[]) NONBLOCKING;

// Calls visit with each bucket that is not empty, in ascending order.
void histogram_visit(const struct histogram *h, void (*visit)(void *context, struct histogram_bucket bucket),
                     void *context);

// ------------------------------------------------------------
// The systemd journal, if it reads the standard error stream (as it does for a service): lines with fields.

enum journal_priority { JOURNAL_ERROR = 3, JOURNAL_WARNING = 4, JOURNAL_NOTICE = 5, JOURNAL_INFO = 6 };

struct journal_entry {
  enum journal_priority priority;
  const char *text;    // one line
  const char *session; // SAGBEND_SESSION; "": none
  const char *event;   // SAGBEND_EVENT, with SAGBEND_STEP; NULL: not an event
  uint64_t step;
};

int journal_is_stderr(void);

// Returns 1 if the journal has taken the entry, else 0: the caller then writes the line to stderr.
int journal_write(const struct journal_entry *entry);

// ------------------------------------------------------------
// A shared library that few runs need. It is loaded by the first one that does, before anything is timed or
// in real time: a start of any other maps neither it nor what it brings. The program keeps a note of it, by
// which packagers and deploy/sbom.py know of it
// (https://uapi-group.org/specifications/specs/elf_dlopen_metadata).

struct library_function {
  const char *name;
  void *place; // of a pointer to the function
};

struct library {
  const char *file, *package; // for the dynamic linker; that of Debian
  const char *user;           // what needs it, for people
  const struct library_function *functions;
  int count;
  int is_loaded; // all functions are found; never unloaded
};

// NAME: of the variable. WEIGHT: "required" or "suggested", as the package depends on that of Debian.
// FUNCTIONS: an array. The note stands in assembler, where no sanitizer puts anything around it.
#define LIBRARY_ON_DEMAND(NAME, FILE, PACKAGE, USER, WEIGHT, FUNCTIONS)                                      \
  __asm__(".pushsection .note.dlopen,\"a\",@note\n"                                                          \
          ".balign 4\n"                                                                                      \
          ".long 4, 2f - 1f, 0x407c0c0a\n"                                                                   \
          ".asciz \"FDO\"\n"                                                                                 \
          "1: .asciz \"[{\\\"soname\\\":[\\\"" FILE "\\\"],\\\"description\\\":\\\"" USER                    \
          "\\\",\\\"priority\\\":\\\"" WEIGHT "\\\"}]\"\n"                                                   \
          "2: .balign 4\n"                                                                                   \
          ".popsection\n");                                                                                  \
  static struct library NAME = {FILE, PACKAGE, USER, FUNCTIONS, sizeof(FUNCTIONS) / sizeof *(FUNCTIONS), 0}

// STATUS_IO: it is not there, or lacks a function; why names the package. Safe in any thread.
enum status library_load(struct library *library, struct reason *why);

// ------------------------------------------------------------
// A process between this one and another, which ends together with all that the other has started, also with
// what has left its group, its session or its parent, and with what outlives this process. Linux gives it
// every orphan below it (prctl PR_SET_CHILD_SUBREAPER). Who kills the keeper itself by SIGKILL gets no end of
// the others.

// The first argument of a program that is started as a keeper; those that follow are of keeper_main.
#define KEEPER_WORD "keep-processes"

enum {
  KEEPER_REPORT = 4,    // descriptor: the keeper reports there whether the program could be started
  KEEPER_END = SIGUSR1, // ends all at once; SIGTERM, SIGINT, SIGHUP and SIGCONT reach the program itself
};

// arguments: KEEPER_WORD, number of the process that starts it, program, its arguments. Returns the exit
// status of the program; where that was ended by a signal, so is the keeper.
int keeper_main(int count, char **arguments);

// ------------------------------------------------------------
// Memory that a real-time thread touches must exist before: a first touch costs a page fault.

// Maps every page that the process has reserved so far: stacks, heap, code. Unlike os_lock_memory it needs no
// privilege, and the system may take pages away again. STATUS_IO: the system cannot (Linux before 5.14).
enum status memory_populate(struct reason *why);

// ------------------------------------------------------------
// The operating system behind one small header: monotonic clock, absolute sleep, threads, priority, locked
// memory, signals, descriptors. A function that the system may refuse returns a status and a reason; none
// prints.

uint64_t os_now_ns(void) NONBLOCKING; // CLOCK_MONOTONIC
void os_sleep_until_ns(
    uint64_t moment_ns); // sleeps until a moment of that clock; returns at once if it has passed
void os_spin_until_ns(uint64_t moment_ns); // waits and reads the clock all the time

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

// ------------------------------------------------------------
// The times at which steps begin: start + k * period, on an absolute clock. Pure functions of "now", so that
// a test can drive them.
//
// Each step belongs to a period: the one in which it was due or, if whole periods have passed since, the one
// that contains "now". The periods between are skipped and never made up in a burst; simulated time then lags
// the wall clock by that amount. A step is a miss if it begins a period or more late, or ends after the end
// of its period.

struct pacer {
  uint64_t start_ns;
  uint64_t period_ns;
  uint64_t slot;    // k of the next step's period; between begin and end, of the present one
  uint64_t idle_ns; // end of the last step
  uint64_t misses;  // number of steps
  uint64_t skipped; // number of periods
  uint64_t lag_ns;  // duration of these
  int missed;       // nonzero: the present step is already counted as a miss
};

void pacer_init(struct pacer *p, uint64_t start_ns, uint64_t period_ns);
// Starts again: the next step is due at start_ns, with this period. The counts go on.
void pacer_restart(struct pacer *p, uint64_t start_ns, uint64_t period_ns) NONBLOCKING;

uint64_t pacer_due_ns(const struct pacer *p) NONBLOCKING; // due time of the next step

// Marks the begin and the end of a step. Begin returns the wake-up latency in ns: the delay after the due
// time or after the end of the last step, whichever is later, so that a long step does not count twice.
uint64_t pacer_begin(struct pacer *p, uint64_t now_ns) NONBLOCKING;
void pacer_end(struct pacer *p, uint64_t now_ns) NONBLOCKING;

// Lag of simulated time behind the wall clock: the skipped periods.
double pacer_lag_s(const struct pacer *p) NONBLOCKING;

// ------------------------------------------------------------
// The clocks of a rig. A pacer can follow UTC or TAI: its steps are due at moments of that clock, which it
// holds as moments of the monotonic one. What disciplines UTC (chrony, ptp4l with phc2sys) gives all of
// Linux' clocks its rate, so that their distance changes only where UTC is set. A thread that sleeps by the
// monotonic clock therefore wakes in time, and no year that UTC is set back can keep it asleep.

enum os_clock { OS_CLOCK_MONOTONIC, OS_CLOCK_UTC, OS_CLOCK_TAI };

struct clock_look {
  int64_t ahead_ns;  // the clock less the monotonic clock
  uint64_t width_ns; // between the two readings of the monotonic clock around it: its uncertainty
};
struct clock_look os_clock_look(enum os_clock clock) NONBLOCKING; // without a system call

struct followed_clock {
  int64_t ahead_ns;       // of the monotonic clock, at the newest look
  uint64_t jumps;         // times that the clock was set by more than half a period
  uint64_t periods;       // skipped because of them
  int64_t newest_jump_ns; // positive: forward
};
// After a look: due times follow the clock. A jump by more than half a period moves them by whole periods of
// the clock, so that they stay whole multiples of the step: forward, the periods in between are skipped, all
// at once; back, none is. The step that was due comes at most half a period sooner or later.
void pacer_follow(struct pacer *p, struct followed_clock *c, const struct clock_look *look) NONBLOCKING;

// The first moment of the monotonic clock from this one on at which the clock is a whole multiple of a step.
uint64_t clock_whole_step(uint64_t moment_ns, int64_t ahead_ns, uint64_t step_ns) NONBLOCKING;

// What the kernel knows of UTC (ntp_adjtime), from the program that disciplines it. A system call.
struct kernel_clock {
  int is_known; // 0: the system does not tell
  int is_synchronised;
  int64_t estimated_error_us, largest_error_us;
  double frequency_ppm; // by which the kernel corrects the oscillator
  int64_t tai_offset_s; // TAI less UTC; 0: unknown
};
void kernel_clock_read(struct kernel_clock *out);

// ------------------------------------------------------------
// Processes that this one starts: one way to start, hear, signal and reap them. posix_spawn, because a fork
// would copy the locks of other threads. No shell reads the arguments.

// The descriptor at which a process that is heard writes lines, such as that it is ready.
enum { PROCESS_VOICE = 3, PROCESS_LINE = 4096 };
#define PROCESS_VOICE_TEXT "3" // for its arguments

// Zeros: none runs.
struct process {
  pid_t id;  // 0: none runs
  int voice; // a descriptor, where it is heard; 0: it is not, or prints nothing more
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
  int is_kept;            // nonzero: all that it starts ends with it, and all of it with this process;
                          // the running program must know KEEPER_WORD. It does not have
                          // PROCESS_VOICE open
  int held;               // a descriptor that it, or its keeper, has open as well, for a lock; 0: none
};

// Starts it with no signal blocked, and with no descriptor but 0, 1, 2, PROCESS_VOICE and what is held.
// STATUS_IO: the system refuses, and errno gives the reason; then none runs.
enum status process_start(struct process *process, const struct process_start *start, struct reason *why);

// The next whole line that it has printed, without its end; valid until the next call. NULL: none has come.
// Never waits. A line of PROCESS_LINE characters and more is cut.
const char *process_hear(struct process *process);

// SIGKILL ends one that is kept, and all that it has started.
void process_signal(const struct process *process, int number);

// Whether it has ended. Then it is reaped, and *wait_status is as of waitpid. What it printed can still be
// heard.
int process_has_ended(struct process *process, int *wait_status);
int process_wait(struct process *process);    // waits for the end, and returns that status
void process_forget(struct process *process); // nothing more is heard

// Runs a program to its end and returns its exit status; negative: it cannot be started, or a signal ended
// it.
int process_run(const struct process_start *start);

// ------------------------------------------------------------
// The file of the running program, and the programs that stand beside it.

enum { PROGRAM_PATH = 4096 };

// Path of a file in the folder of the running program. STATUS_IO: the system does not report the folder, or
// the path is longer than PROGRAM_PATH.
enum status program_beside(const char *name, char out[PROGRAM_PATH], struct reason *why);

// The build id that the linker gave a program, in hexadecimal: of the running program, or of a file.
// "unknown": it has none, or the file is no program of this machine or cannot be read.
enum { OS_BUILD_ID_SIZE = 41 };
void os_build_id(char out[OS_BUILD_ID_SIZE]);
void os_build_id_of(const char *path, char out[OS_BUILD_ID_SIZE]);

// ------------------------------------------------------------
// Signs of life of a run, written by its threads and read by the supervisor of the service (process.h).

enum pulse_phase {
  PULSE_STARTING, // nothing to watch yet
  PULSE_SERVING,  // the main thread beats; it makes the steps, if any
  PULSE_STEPPING, // main thread and step thread beat
  PULSE_ENDING    // the run ends: nothing to watch any more
};

struct pulse {
  atomic_uint_fast64_t main_beats, step_beats;
  atomic_int phase; // enum pulse_phase

  // For the state line.
  atomic_uint_fast64_t step;
  atomic_int paused;
  atomic_uint_fast64_t late_steps, lag_us;
};

// One turn of a thread's loop. A thread beats also while the run is paused or waits for a controller.
static inline void pulse_beat(atomic_uint_fast64_t *beats) NONBLOCKING {
  atomic_fetch_add_explicit(beats, 1, memory_order_relaxed);
}

// ------------------------------------------------------------
// A bounded, lock-free ring of fixed-size items between one producer thread and one consumer thread. Items
// are written and read in place. The producer never waits: a full ring drops its item and counts it.

enum { RING_LINE = 64 }; // bytes of a cache line; producer and consumer write to separate lines

struct ring {
  unsigned char *items;                      // capacity * stride bytes, memory of the caller
  size_t capacity;                           // items, a power of two
  size_t stride;                             // bytes between items, a multiple of 64
  _Alignas(RING_LINE) atomic_size_t written; // items committed since the start; the producer writes it
  atomic_uint_fast64_t dropped;           // items dropped because the ring was full; the producer writes it
  _Alignas(RING_LINE) atomic_size_t read; // items released since the start; the consumer writes it
};

size_t ring_memsize(size_t capacity, size_t item_bytes);
void ring_init(struct ring *r, void *mem, size_t capacity, size_t item_bytes); // mem: ring_memsize bytes

// Producer. Claim returns memory for the next item, or NULL and counts a dropped item if the ring is full.
// The consumer sees the item after the commit.
void *ring_claim(struct ring *r) NONBLOCKING;
void ring_commit(struct ring *r) NONBLOCKING;

// Consumer. Front returns the oldest item, or NULL if the ring is empty. The item stays valid until its
// release.
const void *ring_front(struct ring *r) NONBLOCKING;
void ring_release(struct ring *r) NONBLOCKING;

uint64_t ring_dropped(const struct ring *r) NONBLOCKING; // callable from any thread

// ------------------------------------------------------------
// A low real-time priority for the thread that serves sockets: above all normal programs, below the step
// thread. So that it cannot occupy a processor for itself if it computes without end, it loses the priority
// after SERVING_BUSY_MS of computing without a wait (RLIMIT_RTTIME).

enum { SERVING_BUSY_MS = 500 };

// Gives the calling thread SCHED_FIFO. Threads that it starts later have normal scheduling. STATUS_IO: the
// system does not permit it.
enum status serving_raise(int priority, struct reason *why);

// Binds the calling thread to a processor. STATUS_IO: there is none of this number, or it is not permitted.
enum status serving_bind(int cpu, struct reason *why);

// For a thread that the bound one has started, first of all: it has the processors that the other had before.
void serving_part(void);

// The calling thread has normal scheduling again, and the processors that it had before.
void serving_lower(void);

unsigned serving_losses(void); // how often the thread lost the priority

// ------------------------------------------------------------
// A place for one item between one producer thread and one consumer thread, lock-free: the producer never
// waits, and the consumer gets the newest item. An item that the consumer has not taken is replaced and
// counted.

struct slot {
  unsigned char *items;           // three: one of the producer, one of the consumer, one between them
  size_t stride;                  // bytes between items, a multiple of 64
  _Alignas(RING_LINE) size_t own; // item that the producer writes
  atomic_uint_fast64_t replaced;  // the producer writes it
  _Alignas(RING_LINE) atomic_size_t between; // item that changes hands; with SLOT_FULL if it is to be taken
  _Alignas(RING_LINE) size_t taken;          // item that the consumer reads
};

size_t slot_memsize(size_t item_bytes);
void slot_init(struct slot *s, void *mem, size_t item_bytes); // mem: slot_memsize bytes, aligned to RING_LINE

// Producer. Claim returns memory for the next item; the consumer sees the item after the commit.
void *slot_claim(struct slot *s) NONBLOCKING;
void slot_commit(struct slot *s) NONBLOCKING;

// Consumer. Returns the newest item, or NULL: none since the last call. It stays valid until the next call.
const void *slot_take(struct slot *s) NONBLOCKING;

uint64_t slot_replaced(const struct slot *s) NONBLOCKING; // callable from any thread

// ------------------------------------------------------------
// The link to the service manager, systemd (sd_notify(3)): readiness, a state line each second, the end, and
// the watchdog. A thread of its own looks at the pulse of the run. It feeds the watchdog only while the
// threads that should beat do so: a main thread or step thread that hangs stops the feeding, and systemd
// restarts the service. Without the environment variable NOTIFY_SOCKET nothing happens.

struct supervisor;

// Starts the thread. *out is NULL if no service manager waits for a notification. messages: where a hanging
// thread is reported. STATUS_IO: the manager does not hear; STATUS_NO_MEMORY.
enum status supervisor_start(struct pulse *pulse, FILE *messages, struct supervisor **out,
                             struct reason *why);

// Reports the end of the steps, while log and summary are written. NULL: no effect.
void supervisor_stopping(struct supervisor *s);

void supervisor_free(struct supervisor *s); // ends the thread; NULL: no effect

// ------------------------------------------------------------
// What the system did to a thread: page faults and context switches, as Linux counts them.

struct usage {
  uint64_t minor_faults; // a page was mapped at its first use: some microseconds
  uint64_t major_faults; // a page came from the disk: milliseconds
  uint64_t waits;        // the thread gave the processor up, to sleep or to wait
  uint64_t preemptions;  // the system gave the processor to another thread
};

struct usage usage_now(void); // of the calling thread since its start; a system call
struct usage usage_sum(const struct usage *a, const struct usage *b);
struct usage usage_since(const struct usage *now, const struct usage *then);

// Reads the usage of another thread of this process, so that the thread itself needs no system call.
struct usage_reader {
  int stat, status; // files in /proc; -1: not open
};
enum status usage_open(struct usage_reader *reader, int thread_number, struct reason *why);
int usage_read(const struct usage_reader *reader, struct usage *out); // 0: the system does not report it
void usage_close(struct usage_reader *reader);

// ------------------------------------------------------------
// Wakes a thread that waits in poll: an eventfd. The real-time thread rings, the other thread waits until the
// file is readable, silences it and looks at what has been handed over.

struct wake {
  int file; // readable from wake_ring to wake_silence; -1: not open
};

enum status wake_open(struct wake *wake, struct reason *why);
void wake_close(struct wake *wake);

// Any number of rings before a silence count as one. What the ringing thread has done before the ring is
// visible after the silence.
void wake_ring(const struct wake *wake) NONBLOCKING;
void wake_silence(const struct wake *wake); // never waits
