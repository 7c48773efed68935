// Threads, their processors and priorities, time, signals of stop, and the pace of a loop.
#define _GNU_SOURCE // SCHED_RESET_ON_FORK, cpu_set_t
#include "os/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void pacer_init(struct pacer *p, uint64_t start_ns, uint64_t period_ns) {
  *p = (struct pacer){.start_ns = start_ns, .period_ns = period_ns};
}

void pacer_restart(struct pacer *p, uint64_t start_ns, uint64_t period_ns) {
  p->start_ns = start_ns;
  p->period_ns = period_ns;
  p->slot = 0;
}

uint64_t pacer_due_ns(const struct pacer *p) {
  return p->start_ns + p->slot * p->period_ns;
}

static void skip_to(struct pacer *p, uint64_t slot) {
  p->skipped += slot - p->slot;
  p->lag_ns += (slot - p->slot) * p->period_ns;
  p->slot = slot;
}

static void miss(struct pacer *p) {
  p->misses += !p->missed;
  p->missed = 1;
}

uint64_t pacer_begin(struct pacer *p, uint64_t now_ns) {
  uint64_t due_ns = pacer_due_ns(p);
  uint64_t ready_ns = due_ns > p->idle_ns ? due_ns : p->idle_ns;
  p->missed = 0;
  if (now_ns >= due_ns + p->period_ns) {
    miss(p);
    skip_to(p, (now_ns - p->start_ns) / p->period_ns);
  }
  return now_ns > ready_ns ? now_ns - ready_ns : 0;
}

void pacer_end(struct pacer *p, uint64_t now_ns) {
  p->slot++;
  p->idle_ns = now_ns;
  if (now_ns <= pacer_due_ns(p)) // the start of the next period is the deadline of this step
    return;
  miss(p);
  skip_to(p, (now_ns - p->start_ns) / p->period_ns);
}

double pacer_lag_s(const struct pacer *p) {
  return 1e-9 * (double)p->lag_ns;
}

// ------------------------------------------------------------
static atomic_int level; // 0: none was given yet
static atomic_uint losses;

// The processors of the thread before it was bound to one.
static struct {
  atomic_int is_bound;
  cpu_set_t before;
} processors;

// Without the flag in the new policy the kernel refuses the change.
static int set_scheduling(int policy, int priority) {
  const struct sched_param parameter = {.sched_priority = priority};
  return sched_setscheduler(0, policy | SCHED_RESET_ON_FORK, &parameter);
}

static int get_priority(void) {
  struct sched_param parameter = {0};
  int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
  return (policy == SCHED_FIFO || policy == SCHED_RR) && !sched_getparam(0, &parameter)
             ? parameter.sched_priority
             : 0;
}

// Whoever started the program may have given it a higher one. Returns 0, or an error.
static int raise_own(int priority) {
  return get_priority() >= priority || !set_scheduling(SCHED_FIFO, priority) ? 0 : errno;
}

static int is_cpu_time_used_up(void) {
  struct rlimit limit;
  struct timespec used;
  return getrlimit(RLIMIT_CPU, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
         clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0 && (rlim_t)used.tv_sec >= limit.rlim_cur;
}

// The kernel sends SIGXCPU to the thread that has computed for too long, and for a limit of processor time,
// which ends the process as ever. A step thread that computes for long keeps its priority.
static void on_busy(int number) {
  int saved = errno;
  if (is_cpu_time_used_up()) {
    signal(number, SIG_DFL);
    raise(number);
  }
  int own = get_priority();
  if (own > 0 && own == atomic_load(&level) && set_scheduling(SCHED_OTHER, 0) == 0)
    atomic_fetch_add(&losses, 1);
  errno = saved;
}

static void guard_against_busy_threads(void) {
  struct sigaction action = {.sa_handler = on_busy, .sa_flags = SA_RESTART};
  struct rlimit limit;
  rlim_t busy_us = (rlim_t)SERVING_BUSY_MS * 1000;
  sigemptyset(&action.sa_mask);
  sigaction(SIGXCPU, &action, NULL);
  if (getrlimit(RLIMIT_RTTIME, &limit) == 0 && limit.rlim_cur > busy_us) {
    limit.rlim_cur = busy_us;
    setrlimit(RLIMIT_RTTIME, &limit);
  }
}

enum status serving_raise(int priority, struct reason *why) {
  atomic_store(&level, priority);
  guard_against_busy_threads();
  int error = raise_own(priority);
  if (!error)
    return STATUS_OK;
  return fail(why, STATUS_IO,
              "SCHED_FIFO priority %d not permitted to the thread of the sockets: %s (ulimit -r, "
              "CAP_SYS_NICE)",
              priority, strerror(error));
}

enum status serving_bind(int cpu, struct reason *why) {
  if (!atomic_load(&processors.is_bound) &&
      sched_getaffinity(0, sizeof processors.before, &processors.before))
    return fail(why, STATUS_IO, "the processors of the thread of the sockets are not known: %s",
                strerror(errno));
  enum status status = os_set_cpu(cpu, why);
  if (status == STATUS_OK)
    atomic_store(&processors.is_bound, 1);
  return status;
}

void serving_part(void) {
  if (atomic_load(&processors.is_bound))
    sched_setaffinity(0, sizeof processors.before, &processors.before);
}

void serving_lower(void) {
  if (get_priority() == atomic_load(&level))
    set_scheduling(SCHED_OTHER, 0);
  serving_part();
  atomic_store(&processors.is_bound, 0);
}

unsigned serving_losses(void) {
  return atomic_load(&losses);
}

// ------------------------------------------------------------
enum status wake_open(struct wake *wake, struct reason *why) {
  wake->file = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (wake->file < 0)
    return fail(why, STATUS_IO, "no eventfd to wake a thread: %s", strerror(errno));
  return STATUS_OK;
}

void wake_close(struct wake *wake) {
  if (wake->file >= 0)
    close(wake->file);
  wake->file = -1;
}

// Fails only if the counter is at its end, and then the file is readable anyway.
void wake_ring(const struct wake *wake) {
  const uint64_t one = 1;
  ssize_t written;
  NONBLOCKING_EXEMPT(written = write(wake->file, &one, sizeof one));
  (void)written;
}

void wake_silence(const struct wake *wake) {
  uint64_t rings;
  ssize_t got = read(wake->file, &rings, sizeof rings);
  (void)got; // nothing to read: nobody has rung
}

// ------------------------------------------------------------
static const uint64_t NS_PER_S = 1000000000u;

uint64_t os_now_ns(void) {
  struct timespec t;
  NONBLOCKING_EXEMPT(clock_gettime(CLOCK_MONOTONIC, &t));
  return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

void os_sleep_until_ns(uint64_t moment_ns) {
  struct timespec t = {.tv_sec = (time_t)(moment_ns / NS_PER_S), .tv_nsec = (long)(moment_ns % NS_PER_S)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {
  }
}

void os_spin_until_ns(uint64_t moment_ns) {
  while (os_now_ns() < moment_ns) {
  }
}

struct start {
  void (*body)(void *context);
  void *context;
};

static void *enter_thread(void *argument) {
  struct start start = *(struct start *)argument;
  free(argument);
  start.body(start.context);
  return NULL;
}

enum status os_thread_start(struct os_thread *thread, size_t stack_bytes, void (*body)(void *context),
                            void *context, struct reason *why) {
  struct start *start = malloc(sizeof *start);
  if (!start)
    return fail(why, STATUS_NO_MEMORY, "no memory to start a thread");
  *start = (struct start){body, context};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  int error = pthread_attr_setstacksize(&attributes, stack_bytes);
  if (!error)
    error = pthread_create(&thread->id, &attributes, enter_thread, start);
  pthread_attr_destroy(&attributes);
  if (!error)
    return STATUS_OK;
  free(start);
  return fail(why, STATUS_IO, "a thread with %zu bytes of stack cannot be started: %s", stack_bytes,
              strerror(error));
}

void os_name_thread(const char *name) {
  pthread_setname_np(pthread_self(), name);
}

void os_thread_join(struct os_thread *thread) {
  pthread_join(thread->id, NULL);
}

enum status os_set_fifo_priority(int priority, struct reason *why) {
  struct sched_param parameter = {.sched_priority = priority};
  int error = pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameter);
  if (!error)
    return STATUS_OK;
  return fail(why, STATUS_IO, "SCHED_FIFO priority %d not permitted: %s (ulimit -r, CAP_SYS_NICE)", priority,
              strerror(error));
}

enum status os_set_cpu(int cpu, struct reason *why) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (cpu < 0 || cpu >= CPU_SETSIZE)
    return fail(why, STATUS_IO, "there is no processor %d", cpu);
  CPU_SET(cpu, &set);
  int error = pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  if (!error)
    return STATUS_OK;
  return fail(why, STATUS_IO, "the thread cannot be bound to processor %d: %s", cpu, strerror(error));
}

// The kernel's interface: the file holds a latency in us, as 4 bytes, for as long as it is open.
enum status os_keep_cpus_awake(int *file, struct reason *why) {
  static const char path[] = "/dev/cpu_dma_latency";
  const int32_t latency_us = 0;
  *file = open(path, O_WRONLY | O_CLOEXEC);
  if (*file >= 0 && write(*file, &latency_us, sizeof latency_us) == (ssize_t)sizeof latency_us)
    return STATUS_OK;
  int error = errno;
  os_let_cpus_sleep(*file);
  *file = -1;
  return fail(why, STATUS_IO, "processors may sleep (%s: %s)", path, strerror(error));
}

void os_let_cpus_sleep(int file) {
  if (file >= 0)
    close(file);
}

int os_thread_number(void) {
  return (int)syscall(SYS_gettid);
}

enum status os_lock_memory(struct reason *why) {
  if (mlockall(MCL_CURRENT) == 0)
    return STATUS_OK;
  return fail(why, STATUS_IO, "memory cannot be locked: %s (ulimit -l, CAP_IPC_LOCK)", strerror(errno));
}

static sigset_t stop_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  struct sigaction hangup;
  if (sigaction(SIGHUP, NULL, &hangup) ||
      hangup.sa_handler != SIG_IGN) // ignored: the program was started with nohup
    sigaddset(&set, SIGHUP);
  return set;
}

static sigset_t blocked; // empty until os_block_stop_signals

void os_block_stop_signals(void) {
  blocked = stop_signals();
  pthread_sigmask(SIG_BLOCK, &blocked, NULL);
}

int os_stop_requested(void) {
  struct timespec at_once = {0};
  int signal_number = sigtimedwait(&blocked, NULL, &at_once);
  return signal_number > 0 ? signal_number : 0;
}

int os_stop_waits(void) {
  sigset_t pending;
  if (sigpending(&pending))
    return 0;
  for (int i = 1; i < NSIG; i++)
    if (sigismember(&blocked, i) == 1 && sigismember(&pending, i) == 1)
      return 1;
  return 0;
}

void os_survive_closed_streams(void) {
  signal(SIGPIPE, SIG_IGN);
  for (int stream = 0; stream <= 2; stream++)
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDWR) < 0)
      return;
}

void os_survive_file_limits(void) {
  signal(SIGXFSZ, SIG_IGN);
}

static const char PARENT[] = "SAGBEND_PARENT"; // in the environment: the process that started this one

void os_lead_processes(void) {
  char number[24];
  snprintf(number, sizeof number, "%ld", (long)getpid());
  setenv(PARENT, number, 1);
}

void os_end_with_parent(void) {
  const char *parent = getenv(PARENT);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  const pid_t leader = parent ? (pid_t)strtol(parent, NULL, 10) : 0;
  // It has ended before the line above; one that lives has started this process through another program.
  if (leader > 0 && leader != getppid() && kill(leader, 0) < 0)
    raise(SIGTERM);
}

void os_end_with_leader(void) {
  if (getenv(PARENT))
    os_end_with_parent();
}

enum status os_random(void *bytes, size_t count, struct reason *why) {
  if (getrandom(bytes, count, 0) == (ssize_t)count)
    return STATUS_OK;
  return fail(why, STATUS_IO, "no random numbers from the system: %s", strerror(errno));
}
