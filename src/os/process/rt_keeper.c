#define _GNU_SOURCE // sigtimedwait
#include "os/process/keeper.h"

#include "os/process/rt_process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 4096, ROUNDS = 100 }; // processes to end in a round; rounds at most

struct family {
  pid_t id[MOST];
  int count;
};

static int has(const struct family *f, pid_t id) {
  for (int i = 0; i < f->count; i++)
    if (f->id[i] == id)
      return 1;
  return 0;
}

// The children of a process, of each of its threads.
static void add_children(struct family *f, pid_t parent) {
  char path[64];
  int id;
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
  FILE *file = fopen(path, "re");
  while (file && f->count < MOST && fscanf(file, "%d", &id) == 1)
    if (!has(f, (pid_t)id))
      f->id[f->count++] = (pid_t)id;
  if (file)
    fclose(file);
}

// Orphans come to this process, so that all are found from here.
static void find_all(struct family *f) {
  f->count = 0;
  add_children(f, getpid());
  for (int i = 0; i < f->count; i++)
    add_children(f, f->id[i]);
}

static void reap(pid_t main_id, int *has_ended, int *wait_status) {
  int status;
  for (pid_t id; (id = waitpid(-1, &status, WNOHANG)) > 0;)
    if (id == main_id) {
      *has_ended = 1;
      *wait_status = status;
    }
}

// Stops all before it kills them: what is stopped starts nothing more.
static void end_all(pid_t main_id, int *has_ended, int *wait_status) {
  static struct family now, stopped;
  for (int round = 0; round < ROUNDS; round++) {
    stopped.count = 0;
    for (int more = 1; more;) {
      more = 0;
      find_all(&now);
      for (int i = 0; i < now.count && stopped.count < MOST; i++)
        if (!has(&stopped, now.id[i])) {
          kill(now.id[i], SIGSTOP);
          stopped.id[stopped.count++] = now.id[i];
          more = 1;
        }
    }
    if (!stopped.count)
      return;
    for (int i = 0; i < stopped.count; i++)
      kill(stopped.id[i], SIGKILL);
    for (int i = 0; i < 50; i++) { // until they have ended
      reap(main_id, has_ended, wait_status);
      find_all(&now);
      if (!now.count)
        return;
      usleep(2000);
    }
  }
}

static int end_as(int wait_status) {
  if (!WIFSIGNALED(wait_status))
    return WEXITSTATUS(wait_status);
  const int number = WTERMSIG(wait_status);
  sigset_t one;
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); // the core is that of the program
  signal(number, SIG_DFL);
  sigemptyset(&one);
  sigaddset(&one, number);
  sigprocmask(SIG_UNBLOCK, &one, NULL);
  raise(number);
  return 128 + number;
}

static void report(int error) {
  if (write(KEEPER_REPORT, &error, sizeof error) < 0)
    errno = 0; // nobody is there
  close(KEEPER_REPORT);
}

int keeper_main(int count, char **arguments) {
  static const int forwarded[] = {SIGTERM, SIGINT, SIGHUP, SIGCONT};
  struct process process;
  int has_ended = 0, wait_status = 0, number = 0;
  sigset_t set;
  if (count < 4)
    return 2;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigaddset(&set, KEEPER_END);
  for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++)
    sigaddset(&set, forwarded[i]);
  sigprocmask(SIG_BLOCK, &set, NULL);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_PDEATHSIG, KEEPER_END);
  if (getppid() != (pid_t)strtol(arguments[1], NULL, 10))
    return 1; // it has ended before the line above
  const struct process_start start = {.program = arguments[2], .arguments = arguments + 3, .is_apart = 1};
  if (process_start(&process, &start, NULL) != STATUS_OK) {
    report(errno ? errno : ENOENT);
    return 127;
  }
  const pid_t id = process.id;
  close(PROCESS_VOICE); // what it prints is heard on its streams
  report(0);
  while (!has_ended && number != KEEPER_END) {
    number = sigwaitinfo(&set, NULL);
    if (number > 0 && number != SIGCHLD && number != KEEPER_END)
      process_signal(&process, number);
    reap(id, &has_ended, &wait_status);
  }
  if (number == KEEPER_END && !has_ended)
    wait_status = SIGKILL;
  end_all(id, &has_ended, &wait_status);
  return end_as(wait_status);
}
