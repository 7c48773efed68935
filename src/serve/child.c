#define _GNU_SOURCE // pipe2, posix_spawn_file_actions_addclosefrom_np
#include "serve/child.h"

#include "rt/os.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// posix_spawn, because a fork would copy the threads' locks of libzmq. The child has a process group of its
// own, so that Ctrl-C reaches the manager only, which ends the child in order.
static int spawn(struct child *child, char *const *arguments, int output) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t none, standard;
  sigemptyset(&none);
  sigemptyset(&standard);
  sigaddset(&standard, SIGINT);
  sigaddset(&standard, SIGTERM);
  sigaddset(&standard, SIGHUP);
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, 1);
  posix_spawn_file_actions_adddup2(&files, output, 2);
  posix_spawn_file_actions_addclosefrom_np(&files, 3);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &standard);
  int error = posix_spawn(&child->process, "/proc/self/exe", &files, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

enum status child_start(struct child *child, char *const *arguments, struct reason *why) {
  int ends[2];
  *child = (struct child){.output = -1};
  if (pipe2(ends, O_CLOEXEC) < 0)
    return fail(why, STATUS_IO, "cannot start the session: %s", strerror(errno));
  int error = spawn(child, arguments, ends[1]);
  close(ends[1]);
  if (error) {
    close(ends[0]);
    child->process = 0;
    return fail(why, STATUS_IO, "cannot start the session: %s", strerror(error));
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  child->output = ends[0];
  child->started_ns = os_now_ns();
  return STATUS_OK;
}

static void copy_word(const char *from, char *out, size_t size) {
  snprintf(out, size, "%.*s", (int)strcspn(from, " ,"), from);
}

// Copies the word that follows a text in a line.
static void take_word(const char *line, const char *after, char *out, size_t size) {
  const char *found = strstr(line, after);
  if (found && !*out)
    copy_word(found + strlen(after), out, size);
}

// After a restore or a reset the process goes on with another session: "sagbend: t = 1.500 s: session_begun:
// session ID, ...". Only the name of the event counts: its text contains what others have sent.
static void take_next_session(struct child *child, const char *line) {
  static const char time[] = "sagbend: t = ", begun[] = " s: session_begun: session ";
  const char *unit = strncmp(line, time, sizeof time - 1) == 0 ? strstr(line, " s: ") : NULL;
  if (unit && strncmp(unit, begun, sizeof begun - 1) == 0)
    copy_word(unit + sizeof begun - 1, child->session, sizeof child->session);
}

static void take_line(struct child *child) {
  char line[sizeof child->rest];
  child->rest[child->rest_size] = 0;
  wire_clean_text(line, sizeof line, child->rest);
  child->rest_size = 0;
  take_word(line, "sagbend: commands at ", child->command_endpoint, sizeof child->command_endpoint);
  take_word(line, "sagbend: telemetry at ", child->telemetry_endpoint, sizeof child->telemetry_endpoint);
  take_word(line, ": session ", child->session, sizeof child->session);
  take_next_session(child, line);
  fprintf(stderr, "%s\n", line);
  if (child->line_count == WIRE_LINES)
    memmove(child->line[0], child->line[1], (WIRE_LINES - 1) * sizeof child->line[0]);
  else
    child->line_count++;
  memcpy(child->line[child->line_count - 1], line, sizeof line);
}

void child_read(struct child *child) {
  char bytes[4096];
  ssize_t got = 0;
  while (child->output >= 0 && (got = read(child->output, bytes, sizeof bytes)) > 0) {
    for (ssize_t i = 0; i < got; i++) {
      if (bytes[i] == '\n')
        take_line(child);
      else if (child->rest_size + 1 < sizeof child->rest) // what exceeds it is left out
        child->rest[child->rest_size++] = bytes[i];
    }
  }
  if (child->output >= 0 && got == 0) {
    close(child->output);
    child->output = -1;
  }
}

int child_has_ended(struct child *child, int *wait_status) {
  if (!child->process || waitpid(child->process, wait_status, WNOHANG) != child->process)
    return 0;
  child_read(child);
  if (child->rest_size)
    take_line(child);
  if (child->output >= 0)
    close(child->output);
  child->output = -1;
  child->process = 0;
  return 1;
}

void child_signal(const struct child *child, int number) {
  if (child->process)
    kill(child->process, number);
}
