// Runs one point: its processes, simulator and controller.
#include "lab/sweep/sweep.h"

#include "lab/sweep/sweep_internal.h"
#include "net/case/case.h"
#include "os/cli/cli.h"
#include "os/files/files.h"
#include "os/process/process.h"
#include "sagbend/base/base.h"
#include "sagbend/signals/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// ---- the controller ----

enum { MOST_OUTPUT = 4 << 20 };   // bytes; sagbend-dp prints some kB
static const double GRACE_S = 10; // between the end of a controller and that of its session

static char *replaced(const char *text, const struct ready *ready) {
  char *out = NULL;
  size_t size;
  FILE *stream = text_stream_open(&out, &size);
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
                          int reads_groups, const char *program, char **out) {
  const struct plan_controller *own = &plan->controller;
  const char *shipped[8] = {"sagbend-dp", dp_file, "--connect", "{endpoint}"};
  int shipped_count = 4, ok = 1;
  if (*ready->commands_b) {
    shipped[shipped_count++] = "--connect";
    shipped[shipped_count++] = "{endpoint_b}";
  }
  if (reads_groups && *ready->port_offset) {
    shipped[shipped_count++] = "--set";
    shipped[shipped_count++] = "nmea.port_offset={port_offset}";
  }
  const int count = own->argument_count ? own->argument_count : shipped_count;
  for (int i = 0; i < count; i++) {
    const char *text = own->argument_count ? own->argument[i] : shipped[i];
    ok &= (out[i] = replaced(i > 0 && !strcmp(text, shipped[0]) ? program : text, ready)) != NULL;
  }
  out[count] = NULL;
  return ok;
}

// Starts it; what it prints goes to controller.txt in the folder of the point. lock: held until all that it
// has started has ended; 0: none. reads_groups: sagbend-dp is told the port offset. STATUS_IO: it cannot be
// started.
static enum status point_controller_start(struct point_controller *c, const struct plan *plan,
                                          const struct sweep_folder *folder, int point, const char *dp_file,
                                          const struct ready *ready, int reads_groups, int lock,
                                          struct reason *why) {
  char *arguments[PLAN_MAX_ARGUMENTS + 1] = {NULL}, program[PROGRAM_PATH];
  const int is_fmu = plan->controller.argument_count && !strcmp(plan->controller.argument[0], "sagbend-fmu");
  const char *beside = is_fmu ? "sagbend-fmu" : "sagbend-dp";
  enum status status = program_beside(beside, program, why);
  *c = (struct point_controller){.is_started = 0};
  snprintf(c->output, sizeof c->output, "%s", sweep_point_path(folder, point, "controller.txt").text);
  if (status == STATUS_OK && !make_arguments(plan, dp_file, ready, reads_groups, program, arguments))
    status = fail(why, STATUS_NO_MEMORY, "out of memory for the controller");
  const int is_shipped = status == STATUS_OK && !strcmp(arguments[0], beside);
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

// A kill from outside, or what the last line of the controller reports of the machine: no fault of the
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

// Ends it and all that it has started.
static void point_controller_end(struct point_controller *c) {
  if (!c->is_started)
    return;
  process_signal(&c->process, SIGKILL); // it has nothing left to do
  process_wait(&c->process);
  c->is_started = 0;
}

// Whether it prints without end. Then it is ended and what it printed is cut.
static int point_controller_is_flooding(struct point_controller *c) {
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

// Looks after it while the simulator runs. Returns 1 if the run must end: the controller has failed, prints
// without end, or has gone though the simulator still waits for it; end says what.
static int point_controller_has_failed(struct point_controller *c) {
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

// ---- one point ----

enum { MOST_ARGUMENTS = 2 * PLAN_MAX_SETTINGS + 36, OFFSETS = GROUP_PORT_OFFSET / NETWORK_GROUP_COUNT };
static const double PREDECESSOR_S = 60;

static int open_output(const char *path, struct reason *why) {
  int output = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (output < 0)
    fail(why, STATUS_IO, "%s: %s", path, strerror(errno));
  return output;
}

void sweep_put_word(FILE *out, const char *word) {
  fputc('\'', out);
  for (const char *c = word; *c; c++)
    fputs(*c == '\'' ? "'\\''" : (char[]){*c, 0}, out);
  fputc('\'', out);
}

// The command as a shell reads it, on one line.
static void write_command(int output, char *const *arguments) {
  char *text = NULL;
  size_t size;
  FILE *out = text_stream_open(&text, &size);
  if (!out)
    return;
  for (int i = 0; arguments[i]; i++) {
    fputs(i ? " " : "", out);
    sweep_put_word(out, arguments[i]);
  }
  fputc('\n', out);
  if (fclose(out) == 0 && write(output, text, size) < 0)
    errno = 0; // the run itself reports a full disk
  free(text);
}

static enum status start_simulator(struct point_run *run, struct reason *why) {
  const struct plan *plan = run->plan;
  char *arguments[MOST_ARGUMENTS], timeout[32], every[32], offset[48];
  struct sweep_path summary = sweep_point_path(run->folder, run->point.number, "summary.json"),
                    record = sweep_point_path(run->folder, run->point.number, "record.csv"),
                    log = sweep_point_path(run->folder, run->point.number, "run.mcap"),
                    printed = sweep_point_path(run->folder, run->point.number, "output.txt");
  const char *const fast[] = {"--mode", "fast", NULL}, *const lockstep[] = {"--mode",
                                                                            "lockstep",
                                                                            "--bind-command",
                                                                            "tcp://127.0.0.1:*",
                                                                            "--bind-telemetry",
                                                                            "tcp://127.0.0.1:*",
                                                                            "--lockstep-timeout",
                                                                            timeout,
                                                                            NULL};
  int count = 0;
  snprintf(timeout, sizeof timeout, "%.12g", plan->controller_timeout_s);
  arguments[count++] = (char *)"sagbend";
  arguments[count++] = (char *)"run";
  arguments[count++] = plan->base_path;
  for (int i = 0; i < run->point.setting_count; i++) {
    arguments[count++] = (char *)"--set";
    arguments[count++] = (char *)run->point.text[i];
  }
  if (run->port_offset) {
    snprintf(offset, sizeof offset, "nmea.network.port_offset=%d", run->port_offset);
    arguments[count++] = (char *)"--set";
    arguments[count++] = offset;
  }
  for (int i = 0; i < 2 && plan->mode == RUN_LOCKSTEP; i++)
    if (*run->bind_b[i]) {
      arguments[count++] = run->bind_b[i];
      arguments[count++] = (char *)"tcp://127.0.0.2:*";
    }
  for (const char *const *more = plan->mode == RUN_FAST ? fast : lockstep; *more; more++)
    arguments[count++] = (char *)*more;
  arguments[count++] = (char *)"--summary";
  arguments[count++] = summary.text;
  if (run->point.record_every_s > 0) {
    snprintf(every, sizeof every, "%.17g", run->point.record_every_s);
    arguments[count++] = (char *)"--record";
    arguments[count++] = record.text;
    arguments[count++] = (char *)"--record-every";
    arguments[count++] = every;
  }
  if (plan->has_log) {
    arguments[count++] = (char *)"--log";
    arguments[count++] = log.text;
    arguments[count++] = (char *)"--overwrite";
  }
  if (plan->has_log && plan->log_key) {
    arguments[count++] = (char *)"--log-key";
    arguments[count++] = plan->log_key;
  }
  arguments[count++] = (char *)"--end-with-parent";
  arguments[count] = NULL;

  char program[PROGRAM_PATH];
  if (program_beside("sagbend", program, why) != STATUS_OK)
    return STATUS_IO;
  int output = open_output(printed.text, why);
  if (output < 0)
    return STATUS_IO;
  write_command(output, arguments);
  if (plan->mode == RUN_LOCKSTEP) { // not in the command above: a shell has no such descriptor open
    arguments[count++] = (char *)"--ready-fd";
    arguments[count++] = (char *)PROCESS_VOICE_TEXT;
    arguments[count] = NULL;
  }
  const struct process_start start = {.program = program,
                                      .arguments = arguments,
                                      .output = output,
                                      .is_apart = 1,
                                      .is_heard = plan->mode == RUN_LOCKSTEP,
                                      .held = run->lock > 0 ? run->lock : 0};
  enum status status = process_start(&run->simulator, &start, why);
  close(output);
  return status;
}

static void abandon(struct point_run *run) {
  plan_point_free(&run->point);
  free(run->inputs);
  if (run->lock >= 0)
    close(run->lock);
  if (run->claim >= 0)
    close(run->claim);
  *run = (struct point_run){.lock = -1, .claim = -1};
}

// A port offset that no other run on this machine has, of whatever sweep: the name of a socket in the network
// namespace, which goes with this process. A run by itself has the same one each time.
static enum status claim_offset(struct point_run *run, struct reason *why) {
  for (int i = 0; i < OFFSETS; i++) {
    const int offset = NETWORK_GROUP_COUNT * (1 + (run->point.number - 1 + i) % OFFSETS);
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const int size = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "sagbend-port-offset-%d", offset);
    run->claim = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (run->claim >= 0 &&
        bind(run->claim, (const struct sockaddr *)&name,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)size)) == 0) {
      run->port_offset = offset;
      return STATUS_OK;
    }
    const int error = errno;
    if (run->claim >= 0)
      close(run->claim);
    run->claim = -1;
    if (error != EADDRINUSE)
      return fail(why, STATUS_IO, "point %d: ports of its own for its groups: %s", run->point.number,
                  strerror(error));
  }
  return fail(why, STATUS_IO, "point %d: a free port offset expected, got none: other runs have all %d",
              run->point.number, OFFSETS);
}

static enum status prepare(struct point_run *run, struct reason *why) {
  struct point_facts facts;
  int number = run->point.number;
  struct sweep_path folder = sweep_point_path(run->folder, number, ""),
                    lock = sweep_point_path(run->folder, number, "lock");
  enum status status = point_check(run->plan, &run->point, &facts, stderr);
  run->inputs = facts.inputs;
  facts.inputs = NULL;
  memcpy(run->dp_file, facts.dp_file, sizeof run->dp_file);
  run->dp_reads_groups = facts.dp_reads_groups;
  for (int i = 0; i < 2; i++)
    if (i ? facts.has_telemetry_b : facts.has_b)
      snprintf(run->bind_b[i], sizeof run->bind_b[i], "--bind-%s-b", i ? "telemetry" : "command");
  const int takes_offset = facts.takes_offset;
  point_facts_free(&facts);
  if (status != STATUS_OK)
    return fail(why, status, "point %d: its configuration is not valid", number);
  if (mkdir(folder.text, 0777) < 0 && errno != EEXIST)
    return fail(why, STATUS_IO, "%s: %s", folder.text, strerror(errno));
  status = sweep_refuse_links(folder.text, why);
  if (status == STATUS_OK) // its processes end with a sweep that is killed, but not in the same moment
    status = sweep_lock_take_after(lock.text, PREDECESSOR_S, &run->lock, why);
  if (status != STATUS_OK)
    return status;
  unlink(sweep_point_path(run->folder, number, "summary.json").text);
  return takes_offset ? claim_offset(run, why) : STATUS_OK;
}

// Starts a point in its folder. STATUS_IO: it cannot be started. STATUS_BAD_INPUT: its configuration is not
// valid (its errors are printed), or another process runs this point.
enum status point_run_start(struct point_run *run, const struct plan *plan, const struct sweep_folder *folder,
                            int point, struct reason *why) {
  *run = (struct point_run){.plan = plan, .folder = folder, .lock = -1, .claim = -1};
  enum status status = plan_point_make(plan, point, &run->point);
  if (status == STATUS_OK)
    status = prepare(run, why);
  run->started_ns = os_now_ns();
  run->waits_for_endpoint = plan->mode == RUN_LOCKSTEP;
  if (status == STATUS_OK)
    status = start_simulator(run, why);
  if (status != STATUS_OK)
    abandon(run);
  return status;
}

// Starts the controller as soon as the simulator is ready. One that cannot start ends by itself.
static void listen_to_simulator(struct point_run *run) {
  const char *line = process_hear(&run->simulator);
  struct ready ready;
  struct reason why = {""};
  if (!line)
    return;
  enum status status = ready_read(line, &ready, &why);
  if (status == STATUS_OK && *ready.error)
    return;
  run->waits_for_endpoint = 0;
  if (status == STATUS_OK)
    status = point_controller_start(&run->controller, run->plan, run->folder, run->point.number, run->dp_file,
                                    &ready, run->dp_reads_groups, run->lock > 0 ? run->lock : 0, &why);
  if (status == STATUS_OK)
    return;
  snprintf(run->controller.end, sizeof run->controller.end, "the controller does not start: %.180s",
           why.text);
  run->controller.cause = CAUSE_MACHINE;
  process_signal(&run->simulator, SIGTERM);
}

static void end_text(char *out, size_t size, int wait_status) {
  int number = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
  if (number)
    snprintf(out, size, "killed by signal %d (%s)", number, strsignal(number));
  else
    snprintf(out, size, "ended with status %d", WEXITSTATUS(wait_status));
}

static void judge(struct point_run *run, int wait_status, struct point_record *record) {
  int number = run->point.number;
  char end[96];
  *record = (struct point_record){.outcome = POINT_BROKEN,
                                  .cause = CAUSE_MACHINE,
                                  .wall_s = 1e-9 * (double)(os_now_ns() - run->started_ns)};
  end_text(end, sizeof end, wait_status);
  if (WIFSIGNALED(wait_status)) {
    snprintf(record->reason, sizeof record->reason, "%s", end);
    return;
  }
  struct summary_facts facts;
  summary_read_facts(sweep_point_path(run->folder, number, "summary.json").text, &facts);
  if (facts.is_there && !facts.was_stopped && WEXITSTATUS(wait_status) <= 1 && !run->controller.floods) {
    record->outcome = WEXITSTATUS(wait_status) == 0 ? POINT_PASSED : POINT_FAILED;
    record->cause = record->outcome == POINT_PASSED ? CAUSE_NONE
                    : *run->controller.end          ? run->controller.cause
                                                    : facts.cause;
    snprintf(record->reason, sizeof record->reason, "%s", facts.failure);
  } else if (*run->controller.end) {
    record->cause = run->controller.cause;
    snprintf(record->reason, sizeof record->reason, "%s", run->controller.end);
  } else if (facts.was_stopped) {
    snprintf(record->reason, sizeof record->reason, "stopped before its end by a signal or an order");
  } else {
    char line[256];
    summary_last_line(sweep_point_path(run->folder, number, "output.txt").text, line, sizeof line);
    snprintf(record->reason, sizeof record->reason, "%s: %s", end, line);
  }
}

int point_run_has_ended(struct point_run *run, struct point_record *record) {
  int wait_status = 0;
  if (run->waits_for_endpoint)
    listen_to_simulator(run);
  if (run->simulator.id && point_controller_has_failed(&run->controller))
    process_signal(&run->simulator, SIGTERM);
  if (!process_has_ended(&run->simulator, &wait_status))
    return 0;
  process_forget(&run->simulator);
  point_controller_is_flooding(&run->controller);
  point_controller_end(&run->controller);
  judge(run, wait_status, record);
  return 1;
}

void point_run_signal(struct point_run *run, int number) {
  run->is_stopped = 1;
  process_signal(&run->simulator, number);
}

enum status point_run_finish(struct point_run *run, struct point_record *record, struct reason *why) {
  enum status status = STATUS_OK;
  int counts = record->outcome != POINT_BROKEN || !run->is_stopped;
  record->inputs = run->inputs;
  if (counts)
    status = point_record_write(run->folder, &run->point, run->port_offset, record, why);
  else
    record->outcome = POINT_MISSING;
  record->inputs = NULL;
  abandon(run);
  return status;
}
