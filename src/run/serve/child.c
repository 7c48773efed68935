// The process of a session: sagbend run, started by the manager. What it prints is kept for people; what it
// reports about itself comes as lines of JSON (os/files/files.h).
#define _GNU_SOURCE // pipe2
#include "run/serve/serve_internal.h"

#include "net/messages/messages.h"
#include "os/files/files.h"
#include "os/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum status child_start(struct child *child, char *const *arguments, struct reason *why) {
  int ends[2];
  *child = (struct child){.output = -1};
  if (pipe2(ends, O_CLOEXEC) < 0)
    return fail(why, STATUS_IO, "cannot start the session: %s", strerror(errno));
  const struct process_start start = {
      .arguments = arguments, .output = ends[1], .is_apart = 1, .is_heard = 1};
  enum status status = process_start(&child->process, &start, why);
  close(ends[1]);
  if (status != STATUS_OK) {
    close(ends[0]);
    return status;
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  child->output = ends[0];
  child->started_ns = os_now_ns();
  return STATUS_OK;
}

static void take_line(struct child *child) {
  char line[sizeof child->rest];
  child->rest[child->rest_size] = 0;
  wire_clean_text(line, sizeof line, child->rest);
  child->rest_size = 0;
  fprintf(stderr, "%s\n", line);
  if (child->line_count == WIRE_LINES)
    memmove(child->line[0], child->line[1], (WIRE_LINES - 1) * sizeof child->line[0]);
  else
    child->line_count++;
  memcpy(child->line[child->line_count - 1], line, sizeof line);
}

static void take_ready(struct child *child, const char *line) {
  struct ready ready;
  struct reason why;
  if (ready_read(line, &ready, &why) == STATUS_OK)
    child->ready = ready;
  else
    fprintf(stderr, "sagbend serve: %s\n", why.text);
}

void child_read(struct child *child) {
  for (const char *line; (line = process_hear(&child->process));)
    take_ready(child, line);
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
  if (!process_has_ended(&child->process, wait_status))
    return 0;
  child_read(child);
  if (child->rest_size)
    take_line(child);
  if (child->output >= 0)
    close(child->output);
  child->output = -1;
  process_forget(&child->process);
  return 1;
}

void child_signal(const struct child *child, int number) {
  process_signal(&child->process, number);
}
