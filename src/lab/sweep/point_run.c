#include "lab/sweep/point_run.h"

#include "os/files/ready.h"
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

enum { MOST_ARGUMENTS = 2 * PLAN_MAX_SETTINGS + 30 };
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
  FILE *out = open_memstream(&text, &size);
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
  char *arguments[MOST_ARGUMENTS], timeout[32], every[32];
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
  *run = (struct point_run){.lock = -1};
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
  return status;
}

enum status point_run_start(struct point_run *run, const struct plan *plan, const struct sweep_folder *folder,
                            int point, struct reason *why) {
  *run = (struct point_run){.plan = plan, .folder = folder, .lock = -1};
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
                                    &ready, run->lock > 0 ? run->lock : 0, &why);
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
    status = point_record_write(run->folder, &run->point, record, why);
  else
    record->outcome = POINT_MISSING;
  record->inputs = NULL;
  abandon(run);
  return status;
}
