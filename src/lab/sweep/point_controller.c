#define _POSIX_C_SOURCE 200809L
#include "lab/sweep/point_controller.h"

#include "os/process/process.h"
#include "os/process/program_file.h"
#include "lab/sweep/summary_read.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_OUTPUT = 4 << 20 };   // bytes; sagbend-dp prints some kB
static const double GRACE_S = 10; // between the end of a controller and that of its session

static char *replaced(const char *text, const struct ready *ready) {
  char *out = NULL;
  size_t size;
  FILE *stream = open_memstream(&out, &size);
  if (!stream)
    return NULL;
  for (const char *c = text; *c;) {
    const struct ready_mark mark = *c == '{' ? ready_mark_at(c, ready) : (struct ready_mark){.size = 0};
    if (mark.size)
      fputs(mark.text, stream);
    else
      fputc(*c, stream);
    c += mark.size ? mark.size : 1;
  }
  return fclose(stream) == 0 ? out : NULL;
}

// The command of the plan, or else that of sagbend-dp. An argument sagbend-dp is the program beside this one,
// so that a command can start it. Returns 0 without memory.
static int make_arguments(const struct plan *plan, const char *dp_file, const struct ready *ready,
                          const char *program, char **out) {
  const struct plan_controller *own = &plan->controller;
  const char *const shipped[] = {"sagbend-dp", dp_file, "--connect", "{endpoint}"};
  int count = own->argument_count ? own->argument_count : (int)(sizeof shipped / sizeof *shipped), ok = 1;
  for (int i = 0; i < count; i++) {
    const char *text = own->argument_count ? own->argument[i] : shipped[i];
    ok &= (out[i] = replaced(i > 0 && !strcmp(text, shipped[0]) ? program : text, ready)) != NULL;
  }
  out[count] = NULL;
  return ok;
}

enum status point_controller_start(struct point_controller *c, const struct plan *plan,
                                   const struct sweep_folder *folder, int point, const char *dp_file,
                                   const struct ready *ready, int lock, struct reason *why) {
  char *arguments[PLAN_MAX_ARGUMENTS + 1] = {NULL}, program[PROGRAM_PATH];
  enum status status = program_beside("sagbend-dp", program, why);
  *c = (struct point_controller){.is_started = 0};
  snprintf(c->output, sizeof c->output, "%s", sweep_point_path(folder, point, "controller.txt").text);
  if (status == STATUS_OK && !make_arguments(plan, dp_file, ready, program, arguments))
    status = fail(why, STATUS_NO_MEMORY, "out of memory for the controller");
  const int is_shipped = status == STATUS_OK && !strcmp(arguments[0], "sagbend-dp");
  int output = status == STATUS_OK
                   ? open(c->output, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666)
                   : -1;
  if (status == STATUS_OK && output < 0)
    status = fail(why, STATUS_IO, "%s: %s", c->output, strerror(errno));
  if (status == STATUS_OK) {
    const struct process_start start = {.program = is_shipped ? program : arguments[0],
                                        .arguments = arguments,
                                        .folder =
                                            plan->controller.argument_count ? plan->controller.folder : NULL,
                                        .output = output,
                                        .is_apart = 1,
                                        .is_kept = 1,
                                        .held = lock};
    status = process_start(&c->process, &start, why);
  }
  c->is_started = status == STATUS_OK;
  if (output >= 0)
    close(output);
  for (int i = 0; arguments[i]; i++)
    free(arguments[i]);
  return status;
}

// A kill from outside, or what the last line of the controller says of the machine: no fault of the
// controller.
static enum point_cause cause_of(int signal, const char *line) {
  static const int OUTSIDE[] = {SIGKILL, SIGTERM, SIGINT, SIGHUP};
  for (size_t i = 0; i < sizeof OUTSIDE / sizeof *OUTSIDE; i++)
    if (signal == OUTSIDE[i])
      return CAUSE_MACHINE;
  return !signal && summary_is_of_machine(line) ? CAUSE_MACHINE : CAUSE_CONTROLLER;
}

static void describe_end(struct point_controller *c, int wait_status) {
  char line[128];
  int number = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
  summary_last_line(c->output, line, sizeof line);
  c->cause = cause_of(number, line);
  if (number)
    snprintf(c->end, sizeof c->end, "the controller was killed by signal %d (%s): %s", number,
             strsignal(number), *line ? line : "it printed nothing");
  else
    snprintf(c->end, sizeof c->end, "the controller ended with status %d: %s", WEXITSTATUS(wait_status),
             *line ? line : "it printed nothing");
}

int point_controller_is_flooding(struct point_controller *c) {
  struct stat found;
  if (!c->is_started || stat(c->output, &found) < 0 || found.st_size <= MOST_OUTPUT)
    return c->floods;
  c->floods = 1;
  c->cause = CAUSE_CONTROLLER;
  point_controller_end(c);
  if (truncate(c->output, MOST_OUTPUT) == 0)
    snprintf(c->end, sizeof c->end, "the controller prints without end: it was ended after %d MB",
             MOST_OUTPUT >> 20);
  return c->floods;
}

int point_controller_has_failed(struct point_controller *c) {
  int wait_status = 0;
  if (!c->is_started || *c->end)
    return 0;
  if (point_controller_is_flooding(c))
    return 1;
  if (!c->ended_ns && process_has_ended(&c->process, &wait_status)) {
    c->ended_ns = os_now_ns();
    if (wait_status != 0) {
      describe_end(c, wait_status);
      return 1;
    }
  }
  // One whose session has ended ends with status 0, often before the simulator does.
  if (!c->ended_ns || 1e-9 * (double)(os_now_ns() - c->ended_ns) < GRACE_S)
    return 0;
  describe_end(c, 0);
  return 1;
}

void point_controller_end(struct point_controller *c) {
  if (!c->is_started)
    return;
  process_signal(&c->process, SIGKILL); // it has nothing left to do
  process_wait(&c->process);
  c->is_started = 0;
}
