#define _GNU_SOURCE // pipe2, posix_spawn_file_actions_addclosefrom_np, posix_spawn_file_actions_addchdir_np
#include "rt/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void choose_files(posix_spawn_file_actions_t *files, const struct process_start *start, int voice) {
  posix_spawn_file_actions_init(files);
  if (start->folder)
    posix_spawn_file_actions_addchdir_np(files, start->folder);
  if (start->is_apart)
    posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0);
  if (start->output > 0) {
    posix_spawn_file_actions_adddup2(files, start->output, 1);
    posix_spawn_file_actions_adddup2(files, start->output, 2);
  }
  if (voice && start->is_overheard) {
    posix_spawn_file_actions_adddup2(files, voice, 1);
    posix_spawn_file_actions_adddup2(files, voice, 2);
  }
  if (voice)
    posix_spawn_file_actions_adddup2(files, voice, PROCESS_VOICE);
  posix_spawn_file_actions_addclosefrom_np(files, voice ? PROCESS_VOICE + 1 : PROCESS_VOICE);
}

// The signals that this process blocks or ignores are its own affair.
static void choose_signals(posix_spawnattr_t *attributes, int is_apart) {
  static const int own[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
  sigset_t none, standard;
  sigemptyset(&none);
  sigemptyset(&standard);
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    sigaddset(&standard, own[i]);
  posix_spawnattr_init(attributes);
  posix_spawnattr_setsigmask(attributes, &none);
  posix_spawnattr_setsigdefault(attributes, &standard);
  posix_spawnattr_setflags(attributes, (short)(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                               (is_apart ? POSIX_SPAWN_SETPGROUP : 0)));
}

static int spawn(const struct process_start *start, int voice, pid_t *id) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  const char *program = start->program ? start->program : "/proc/self/exe";
  choose_files(&files, start, voice);
  choose_signals(&attributes, start->is_apart);
  int error = posix_spawnp(id, program, &files, &attributes, start->arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

enum status process_start(struct process *process, const struct process_start *start, struct reason *why) {
  int ends[2] = {0, 0}; // no pipe has the descriptor of standard input (os_survive_closed_streams)
  pid_t id = 0;
  process->id = 0;
  process->voice = 0;
  process->size = 0;
  signal(SIGCHLD, SIG_DFL); // the caller of the program may have it ignored, and then no end is reported
  int error = start->is_heard && pipe2(ends, O_CLOEXEC) < 0 ? errno : spawn(start, ends[1], &id);
  if (ends[1])
    close(ends[1]);
  if (error) {
    if (ends[0])
      close(ends[0]);
    return fail(why, STATUS_IO, "%s cannot be started: %s", start->arguments[0], strerror(error));
  }
  if (ends[0])
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
  process->id = id;
  process->voice = ends[0];
  return STATUS_OK;
}

void process_forget(struct process *process) {
  if (process->voice)
    close(process->voice);
  process->voice = 0;
}

// Byte by byte: what follows the line stays in the pipe.
const char *process_hear(struct process *process) {
  char byte;
  ssize_t got = -1;
  while (process->voice && (got = read(process->voice, &byte, 1)) == 1) {
    if (byte != '\n' && process->size + 1 < sizeof process->said)
      process->said[process->size++] = byte;
    if (byte != '\n')
      continue;
    process->said[process->size] = '\0';
    process->size = 0;
    return process->said;
  }
  if (got == 0)
    process_forget(process);
  return NULL;
}

void process_signal(const struct process *process, int number) {
  if (process->id)
    kill(process->id, number);
}

int process_has_ended(struct process *process, int *wait_status) {
  if (!process->id || waitpid(process->id, wait_status, WNOHANG) != process->id)
    return 0;
  process->id = 0;
  return 1;
}

int process_wait(struct process *process) {
  int wait_status = 0;
  while (process->id && waitpid(process->id, &wait_status, 0) < 0 && errno == EINTR)
    ;
  process->id = 0;
  return wait_status;
}

int process_run(const struct process_start *start) {
  struct process process;
  if (process_start(&process, start, NULL) != STATUS_OK)
    return -1;
  int wait_status = process_wait(&process);
  process_forget(&process);
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
}
