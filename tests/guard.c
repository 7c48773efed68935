// guard NAME COMMAND [ARGUMENT...]: runs a test in a folder of its own for temporary files (TMPDIR), so that
// nothing of it is left: when it ends, when a signal ends the guard, or when the process that started the
// guard ends, every process that the test has started ends, whatever session it is in, and the folder goes
// (not with SAGBEND_KEEP set). Where SAGBEND_TIMES names a file, a line "NAME SECONDS PROCESSOR_SECONDS" is
// added to it. Exit status: the test's; 128 + the signal that ended it.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
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

int main(int count, char **arguments) {
  if (count < 3) {
    fputs("usage: guard NAME COMMAND [ARGUMENT...]\n", stderr);
    return 2;
  }
  const double began_s = now_s();
  const pid_t parent = getppid();
  sigset_t awaited, before;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, SIGINT);
  sigaddset(&awaited, SIGTERM);
  sigaddset(&awaited, SIGHUP);
  sigprocmask(SIG_BLOCK, &awaited, &before);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent)
    return 1;

  // Beside that of a guard above, not in it: what programs say of a file must not be cut for the length of
  // its path.
  char folder[300], above[200];
  const char *usual = getenv("TMPDIR");
  snprintf(above, sizeof above, "%s", usual && strlen(usual) < sizeof above ? usual : "/tmp");
  if (getenv("SAGBEND_GUARDED") && strrchr(above, '/') > above)
    *strrchr(above, '/') = '\0';
  snprintf(folder, sizeof folder, "%s/sagbend-XXXXXX", above);
  if (!mkdtemp(folder)) {
    perror(folder);
    return 1;
  }
  setenv("TMPDIR", folder, 1);
  setenv("SAGBEND_GUARDED", "1", 1);

  const pid_t test = fork();
  if (test < 0) {
    perror("guard: fork");
    return 1;
  }
  if (test == 0) {
    sigprocmask(SIG_SETMASK, &before, NULL);
    execvp(arguments[2], arguments + 2);
    perror(arguments[2]);
    _exit(127);
  }
  int status = 0, ended_by = 0, has_ended = 0;
  while (!has_ended && !ended_by) {
    int number = sigwaitinfo(&awaited, NULL);
    if (number > 0 && number != SIGCHLD)
      ended_by = number;
    int one;
    for (pid_t pid; (pid = waitpid(-1, &one, WNOHANG)) > 0;)
      if (pid == test)
        status = one, has_ended = 1;
  }
  end_all();
  if (!getenv("SAGBEND_KEEP"))
    nftw(folder, remove_one, 20, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
  add_times(arguments[1], began_s);
  if (ended_by)
    return 128 + ended_by;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
