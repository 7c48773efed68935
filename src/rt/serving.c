#define _GNU_SOURCE // SCHED_RESET_ON_FORK
#include "rt/serving.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static atomic_int level[2]; // priorities of the calling thread and of the others; 0: none was given yet
static atomic_uint losses;

// Without the flag in the new policy the kernel refuses the change.
static int set_scheduling(pid_t thread, int policy, int priority) {
  const struct sched_param parameter = {.sched_priority = priority};
  return sched_setscheduler(thread, policy | SCHED_RESET_ON_FORK, &parameter);
}

static int get_priority(pid_t thread) {
  struct sched_param parameter = {0};
  int policy = sched_getscheduler(thread) & ~SCHED_RESET_ON_FORK;
  return (policy == SCHED_FIFO || policy == SCHED_RR) && !sched_getparam(thread, &parameter)
             ? parameter.sched_priority
             : 0;
}

// Whoever started the program may have given it a higher one. Returns 0, or an error.
static int raise_one(pid_t thread, int priority) {
  return get_priority(thread) >= priority || !set_scheduling(thread, SCHED_FIFO, priority) ? 0 : errno;
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
  int own = get_priority(0);
  int is_given = own > 0 && (own == atomic_load(&level[0]) || own == atomic_load(&level[1]));
  if (is_given && set_scheduling(0, SCHED_OTHER, 0) == 0)
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

static int has_name(const char *thread, const char *begin) {
  char path[64], name[32] = "";
  snprintf(path, sizeof path, "/proc/self/task/%.20s/comm", thread);
  FILE *file = fopen(path, "re");
  if (!file)
    return 0;
  const char *got = fgets(name, sizeof name, file);
  fclose(file);
  return got && strncmp(name, begin, strlen(begin)) == 0;
}

// Returns 0, or an error.
static int raise_named(int priority, const char *begin, int *named) {
  const struct dirent *entry;
  int error = 0;
  DIR *tasks = opendir("/proc/self/task");
  if (!tasks)
    return errno;
  while (!error &&
         (entry = readdir(tasks))) { // NOLINT(concurrency-mt-unsafe): the stream is this thread's own
    long thread = strtol(entry->d_name, NULL, 10);
    if (thread <= 0 || !has_name(entry->d_name, begin))
      continue;
    error = raise_one((pid_t)thread, priority);
    *named += !error;
    if (error == ESRCH) // it has ended
      error = 0;
  }
  closedir(tasks);
  return error;
}

enum status serving_raise(const struct serving_priority *priority, int *named, struct reason *why) {
  *named = 0;
  atomic_store(&level[0], priority->own);
  atomic_store(&level[1], priority->others);
  guard_against_busy_threads();
  int error = raise_one(0, priority->own);
  if (!error && priority->names_begin_with)
    error = raise_named(priority->others, priority->names_begin_with, named);
  if (!error)
    return STATUS_OK;
  return fail(why, STATUS_IO,
              "SCHED_FIFO priority %d not permitted to the threads of the sockets: %s (ulimit -r, "
              "CAP_SYS_NICE)",
              priority->own, strerror(error));
}

void serving_lower(void) {
  if (get_priority(0) == atomic_load(&level[0]))
    set_scheduling(0, SCHED_OTHER, 0);
}

unsigned serving_losses(void) {
  return atomic_load(&losses);
}
