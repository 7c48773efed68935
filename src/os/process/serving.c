#define _GNU_SOURCE // SCHED_RESET_ON_FORK, cpu_set_t
#include "os/process/serving.h"

#include "os/process/process.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

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
