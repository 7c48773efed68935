// guard [--stays] NAME COMMAND [ARGUMENT...]: runs a test in a folder of its own for temporary files
// (TMPDIR), so that nothing of it is left: when it ends, when a signal ends the guard, or when the process
// that started the guard ends, every process that the test has started ends, whatever session it is in, and
// the folder goes (not with SAGBEND_KEEP set). It is two processes, each of which does this if the other one
// is killed. With --stays the guard goes on when the process that started it ends, as a program that a shell
// starts does. Where SAGBEND_TIMES names a file, a line "NAME SECONDS PROCESSOR_SECONDS" is added to it. Exit
// status: the test's; 128 + the signal that ended it.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// The parent of a process, 0 without one: in /proc/PID/stat it follows the name, which may hold any
// character.
static pid_t parent_of(const char *pid) {
  char path[300], text[600];
  snprintf(path, sizeof path, "/proc/%s/stat", pid);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return 0;
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  text[size > 0 ? size : 0] = '\0';
  const char *end = strrchr(text, ')');
  int parent = 0;
  return end && sscanf(end, ") %*c %d", &parent) == 1 ? parent : 0;
}

// Kills and awaits each child. What a killed child has started becomes a child in turn, as the guard is a
// subreaper.
static void end_all(void) {
  do {
    DIR *all = opendir("/proc");
    for (struct dirent *one; all && (one = readdir(all));)
      if (*one->d_name >= '1' && *one->d_name <= '9' && parent_of(one->d_name) == getpid())
        kill((pid_t)atoi(one->d_name), SIGKILL);
    if (all)
      closedir(all);
  } while (waitpid(-1, NULL, 0) > 0 || errno != ECHILD);
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *walk) {
  (void)about, (void)walk;
  if (kind == FTW_DNR)
    chmod(path, 0700);
  remove(path);
  return 0;
}

static void add_times(const char *name, double began_s) {
  const char *path = getenv("SAGBEND_TIMES");
  struct rusage used;
  if (!path || getrusage(RUSAGE_CHILDREN, &used) < 0)
    return;
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0)
    return;
  dprintf(file, "%s %.2f %.2f\n", name, now_s() - began_s,
          (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
              1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec));
  close(file);
}

// Ends all, and removes the folder and those of guards below, which were killed with the rest: their names
// begin with its name.
static void clear(const char *folder) {
  char above[PATH_MAX], one[2 * PATH_MAX];
  const char *name = strrchr(folder, '/') + 1;
  end_all();
  if (getenv("SAGBEND_KEEP"))
    return;
  snprintf(above, sizeof above, "%.*s", (int)(name - folder), folder);
  DIR *all = opendir(above);
  for (struct dirent *found; all && (found = readdir(all));) {
    snprintf(one, sizeof one, "%s%s", above, found->d_name);
    if (!strncmp(found->d_name, name, strlen(name)))
      nftw(one, remove_one, 20, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
  }
  if (all)
    closedir(all);
}

// The signals that end the guard: not those that are ignored, as nohup and a shell's & have it.
static void await(sigset_t *awaited) {
  static const int ends[] = {SIGINT, SIGHUP, SIGQUIT};
  struct sigaction now;
  signal(SIGCHLD, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  sigemptyset(awaited);
  sigaddset(awaited, SIGCHLD);
  sigaddset(awaited, SIGTERM);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (sigaction(ends[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
      sigaddset(awaited, ends[i]);
}

// Orphans of what this process starts become its children. If it ends with its own parent, it hears of that;
// returns 0 if that one has ended already.
static int stand_by(pid_t parent, int ends_with_it) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (!ends_with_it)
    return 1;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  return getppid() == parent;
}

// Waits until the child ends (0), or for another of the awaited signals (its number).
static int wait_for(pid_t child, const sigset_t *awaited, int *status) {
  for (;;) {
    const int number = sigwaitinfo(awaited, NULL);
    if (number > 0 && number != SIGCHLD)
      return number;
    int one, has_ended = 0;
    for (pid_t pid; (pid = waitpid(-1, &one, WNOHANG)) > 0;)
      if (pid == child)
        *status = one, has_ended = 1;
    if (has_ended)
      return 0;
  }
}

// The inner process: runs the test. Returns the exit status.
static int guard(char **arguments, const char *folder, const sigset_t *awaited, const sigset_t *before) {
  const double began_s = now_s();
  const pid_t test = fork();
  if (test < 0) {
    perror("guard: fork");
    return 1;
  }
  if (test == 0) {
    sigprocmask(SIG_SETMASK, before, NULL);
    execvp(arguments[2], arguments + 2);
    perror(arguments[2]);
    _exit(127);
  }
  int status = 0;
  const int ended_by = wait_for(test, awaited, &status);
  clear(folder);
  add_times(arguments[1], began_s);
  if (ended_by)
    return 128 + ended_by;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int count, char **arguments) {
  const int stays = count > 1 && !strcmp(arguments[1], "--stays");
  if (count < 3 + stays) {
    fputs("usage: guard [--stays] NAME COMMAND [ARGUMENT...]\n", stderr);
    return 2;
  }
  arguments += stays;
  const pid_t parent = getppid();
  sigset_t awaited, before;
  await(&awaited);
  sigprocmask(SIG_BLOCK, &awaited, &before);
  if (!stand_by(parent, !stays))
    return 1;

  // Beside that of a guard above, not in it: what programs say of a file must not be cut for the length of
  // its path.
  char folder[300];
  const char *usual = getenv("TMPDIR");
  if (!usual || strlen(usual) > sizeof folder - 20)
    usual = "/tmp";
  snprintf(folder, sizeof folder, "%s%s", usual, getenv("SAGBEND_GUARDED") ? "XXXXXX" : "/sagbend-XXXXXX");
  if (!mkdtemp(folder)) {
    perror(folder);
    return 1;
  }
  setenv("TMPDIR", folder, 1);
  setenv("SAGBEND_GUARDED", "1", 1);

  const pid_t outer = getpid(), inner = fork();
  if (inner < 0) {
    perror("guard: fork");
    remove(folder);
    return 1;
  }
  if (inner == 0)
    return stand_by(outer, 1) ? guard(arguments, folder, &awaited, &before) : 1;
  int status = 0;
  const int ended_by = wait_for(inner, &awaited, &status);
  if (ended_by) {
    kill(inner, ended_by);
    waitpid(inner, &status, 0);
  }
  if (WIFSIGNALED(status))
    clear(folder);
  return ended_by ? 128 + ended_by : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
