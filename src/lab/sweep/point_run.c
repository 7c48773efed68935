#include "lab/sweep/sweep.h"

#include "net/case/case.h"
#include "os/files/files.h"
#include "os/process/process.h"
#include "sagbend/base/base.h"
#include "sagbend/signals/signals.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

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

static enum status point_record_write(const struct point_run *run, const struct point_record *record,
                                      struct reason *why);

enum status point_run_finish(struct point_run *run, struct point_record *record, struct reason *why) {
  enum status status = STATUS_OK;
  int counts = record->outcome != POINT_BROKEN || !run->is_stopped;
  record->inputs = run->inputs;
  if (counts)
    status = point_record_write(run, record, why);
  else
    record->outcome = POINT_MISSING;
  record->inputs = NULL;
  abandon(run);
  return status;
}

// ------------------------------------------------------------
// point.json: how a point ended.

static const char *const OUTCOMES[] = {"missing", "passed", "failed", "broken"};
static const char *const CAUSES[] = {"", "run", "controller", "machine"};

const char *point_outcome_word(enum point_outcome outcome) {
  return OUTCOMES[outcome];
}

struct digest {
  char text[20];
};
// Of the summary beside a record: whoever puts another one there by hand shall be seen. "": there is none.
static struct digest digest_of(const struct sweep_folder *f, int point) {
  struct digest out = {""};
  size_t size;
  int error;
  char *text = sweep_read_file(sweep_point_path(f, point, "summary.json").text, &size, &error);
  if (text)
    snprintf(out.text, sizeof out.text, "%016" PRIx64, fnv1a(FNV1A_START, text, size));
  free(text);
  return out;
}

enum status point_record_read(const struct sweep_folder *f, int point, struct point_record *out,
                              struct reason *why) {
  struct sweep_path path = sweep_point_path(f, point, "point.json");
  *out = (struct point_record){.outcome = POINT_MISSING};
  int error;
  char *text = sweep_read_text(path.text, &error);
  if (!text)
    return error == ENOENT ? STATUS_OK : fail(why, STATUS_IO, "%s: %s", path.text, strerror(error));

  cJSON *root = cJSON_Parse(text);
  const char *outcome = json_string(root, "outcome");
  for (int i = POINT_PASSED; i <= POINT_BROKEN; i++)
    if (!strcmp(outcome, OUTCOMES[i]))
      out->outcome = (enum point_outcome)i;
  const char *cause = json_string(root, "cause");
  for (int i = CAUSE_NONE; i <= CAUSE_MACHINE; i++)
    if (!strcmp(cause, CAUSES[i]))
      out->cause = (enum point_cause)i;
  snprintf(out->reason, sizeof out->reason, "%s", json_string(root, "reason"));
  out->is_foreign = json_number(root, "point") != point ||
                    strcmp(json_string(root, "summary"), digest_of(f, point).text) != 0;
  const double wall_s = json_number(root, "wall_s");
  out->wall_s = isnan(wall_s) ? 0 : wall_s;
  out->inputs = strdup(json_string(root, "inputs"));
  int is_good = out->outcome != POINT_MISSING && out->inputs;
  cJSON_Delete(root);
  free(text);
  return is_good ? STATUS_OK
                 : fail(why, STATUS_IO, "%s: damaged; remove it, so that the point runs again", path.text);
}

static enum status point_record_write(const struct point_run *run, const struct point_record *record,
                                      struct reason *why) {
  const struct sweep_folder *f = run->folder;
  const struct plan_point *point = &run->point;
  struct sweep_path path = sweep_point_path(f, point->number, "point.json");
  struct output_file file = {.stream = NULL};
  cJSON *root = json_begin();
  cJSON_AddNumberToObject(root, "point", point->number);
  cJSON *list = cJSON_AddArrayToObject(root, "overrides");
  for (int i = 0; i < point->setting_count; i++)
    cJSON_AddItemToArray(list, cJSON_CreateString(point->text[i]));
  if (run->port_offset)
    cJSON_AddNumberToObject(root, "port_offset", run->port_offset);
  cJSON_AddStringToObject(root, "outcome", OUTCOMES[record->outcome]);
  cJSON_AddStringToObject(root, "cause", CAUSES[record->cause]);
  cJSON_AddStringToObject(root, "reason", record->reason);
  cJSON_AddNumberToObject(root, "wall_s", record->wall_s);
  cJSON_AddStringToObject(root, "summary", digest_of(f, point->number).text);
  cJSON_AddStringToObject(root, "inputs", record->inputs ? record->inputs : "");
  char *text = json_end(root);
  enum status status = text ? output_file_open_atomic(&file, path.text, why)
                            : fail(why, STATUS_NO_MEMORY, "%s: out of memory", path.text);
  if (status == STATUS_OK && file.stream) {
    fprintf(file.stream, "%s\n", text);
    status = output_file_close(&file, why);
  }
  cJSON_free(text);
  return status;
}

// Whether a record has the overrides of a point of the plan.
static int has_overrides(const cJSON *root, const struct plan *plan, int number) {
  struct plan_point point;
  const cJSON *list = json_item(root, "overrides");
  int is_equal =
      plan_point_make(plan, number, &point) == STATUS_OK && cJSON_GetArraySize(list) == point.setting_count;
  for (int i = 0; is_equal && i < point.setting_count; i++) {
    const char *text = cJSON_GetStringValue(cJSON_GetArrayItem(list, i));
    is_equal = text && !strcmp(text, point.text[i]);
  }
  plan_point_free(&point);
  return is_equal;
}

void sweep_find_stranger(const struct sweep_folder *f, const struct plan *plan, char *out, size_t size) {
  char path[SWEEP_PATH + 16], name[16];
  *out = '\0';
  snprintf(path, sizeof path, "%s/points", f->path);
  DIR *points = opendir(path);
  for (struct dirent *entry; points && !*out && (entry = readdir(points));) {
    const int number = atoi(entry->d_name);
    int error;
    if (entry->d_name[0] == '.')
      continue;
    snprintf(name, sizeof name, "%06d", number);
    if (number < 1 || number > plan->point_count || strcmp(name, entry->d_name) != 0) {
      snprintf(out, size, "points/%.100s, which is no run of the plan", entry->d_name);
      continue;
    }
    char *text = sweep_read_text(sweep_point_path(f, number, "point.json").text, &error);
    cJSON *root = text ? cJSON_Parse(text) : NULL;
    if (root && (json_number(root, "point") != number || !has_overrides(root, plan, number)))
      snprintf(out, size, "points/%.100s, which is of another run or plan", entry->d_name);
    else if (root && strcmp(json_string(root, "summary"), digest_of(f, number).text) != 0)
      snprintf(out, size, "points/%.100s, whose summary is not the one that its run wrote", entry->d_name);
    cJSON_Delete(root);
    free(text);
  }
  if (points)
    closedir(points);
}

void point_record_free(struct point_record *record) {
  free(record->inputs);
  record->inputs = NULL;
}
