// The folder of a sweep and what its runs leave in it: lock, description, record and summary of each point.
#define _DEFAULT_SOURCE // flock
#include "lab/sweep/sweep.h"

#include "lab/sweep/sweep_internal.h"
#include "os/cli/cli.h"
#include "os/files/files.h"
#include "os/process/process.h"
#include "sagbend/base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_DIFFERENCES = 20 };

char *sweep_read_file(const char *path, size_t *size, int *error) {
  FILE *file = fopen(path, "r");
  *error = file ? 0 : errno;
  if (!file)
    return NULL;
  char *text = stream_read(file, SIZE_MAX, size);
  *error = !text ? ENOMEM : ferror(file) ? EIO : 0;
  fclose(file);
  if (!*error)
    return text;
  free(text);
  return NULL;
}

char *sweep_read_text(const char *path, int *error) {
  size_t size;
  return sweep_read_file(path, &size, error);
}

static enum status make_folder(const char *path, struct reason *why) {
  if (mkdir(path, 0777) == 0 || errno == EEXIST)
    return STATUS_OK;
  return fail(why, errno == ENOSPC || errno == EDQUOT || errno == EROFS ? STATUS_IO : STATUS_BAD_INPUT,
              "%s: %s", path, strerror(errno));
}

// The holder of a lock writes its name into its file, for people. Whether it is a process of this machine
// that has ended: then those that it has started have the lock, and end as well.
static int has_ended(const char *holder) {
  char host[64] = "?", of[64] = "", path[64], state = 0;
  long id = 0;
  gethostname(host, sizeof host - 1);
  if (sscanf(holder, "process %ld on %63s", &id, of) != 2 || id <= 0 || strcmp(host, of) != 0)
    return 0;
  if (kill((pid_t)id, 0) < 0)
    return errno == ESRCH;
  snprintf(path, sizeof path, "/proc/%ld/stat", id); // whoever started it may not have asked for its end yet
  FILE *file = fopen(path, "re");
  const int is_read = file && fscanf(file, "%*d (%*[^)]) %c", &state) == 1;
  if (file)
    fclose(file);
  return is_read && (state == 'Z' || state == 'X');
}

static void name_holder(int file) {
  char host[64] = "?", holder[128];
  gethostname(host, sizeof host - 1);
  int size = snprintf(holder, sizeof holder, "process %ld on %s\n", (long)getpid(), host);
  if (ftruncate(file, 0) == 0 && pwrite(file, holder, (size_t)size, 0) < 0)
    errno = 0; // it only helps people
}

static void read_holder(int file, char *out, size_t size) {
  ssize_t got = pread(file, out, size - 1, 0);
  out[got > 0 ? got : 0] = '\0';
  out[strcspn(out, "\n")] = '\0';
}

static int is_stopped(void) {
  sigset_t pending;
  return sigpending(&pending) == 0 &&
         (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) || sigismember(&pending, SIGHUP));
}

static enum status take_lock(const char *path, int shared, double patience_s, int *out, struct reason *why) {
  char holder[128] = "";
  *out = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (*out < 0)
    return errno == ELOOP ? fail(why, STATUS_BAD_INPUT, "%s: a file of the sweep expected, got a link", path)
                          : fail(why, STATUS_IO, "%s: %s", path, strerror(errno));
  const uint64_t begin_ns = os_now_ns();
  int error = 0, is_left = 0;
  while ((error = flock(*out, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) ? errno : 0) == EWOULDBLOCK) {
    read_holder(*out, holder, sizeof holder);
    is_left = has_ended(holder);
    if (!is_left || is_stopped() || 1e-9 * (double)(os_now_ns() - begin_ns) >= patience_s)
      break;
    nanosleep(&(struct timespec){0, 20000000}, NULL);
  }
  if (!error) {
    name_holder(*out);
    return STATUS_OK;
  }
  close(*out);
  *out = -1;
  if (error == EWOULDBLOCK && is_left && patience_s > 0)
    return fail(why, STATUS_BAD_INPUT,
                "%s: a simulator or controller of a sweep that was killed (%s) still writes here after %.0f "
                "s; end it",
                path, holder, 1e-9 * (double)(os_now_ns() - begin_ns));
  if (error == EWOULDBLOCK)
    return fail(why, STATUS_BAD_INPUT, "%s: in use by another sweep (%s)", path,
                *holder ? holder : "unknown process");
  fprintf(stderr, "sagbend: notice: %s: %s: nothing keeps a second sweep away\n", path, strerror(error));
  return STATUS_OK;
}

// Takes a lock file, and writes who holds it. STATUS_BAD_INPUT: another process does, named in why. Where the
// file system knows no locks, *out is -1 and a notice is printed.
static enum status sweep_lock_take(const char *path, int shared, int *out, struct reason *why) {
  return take_lock(path, shared, 0, out, why);
}

enum status sweep_lock_take_after(const char *path, double patience_s, int *out, struct reason *why) {
  return take_lock(path, 0, patience_s, out, why);
}

enum status sweep_refuse_links(const char *path, struct reason *why) {
  struct stat found;
  char file[SWEEP_PATH + 320];
  DIR *folder = opendir(path);
  enum status status = STATUS_OK;
  if (!folder)
    return STATUS_OK; // the one that writes there gives the reason
  for (struct dirent *entry; status == STATUS_OK && (entry = readdir(folder));) {
    snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
    if (!lstat(file, &found) && S_ISLNK(found.st_mode) && (stat(file, &found) < 0 || !S_ISDIR(found.st_mode)))
      status = fail(why, STATUS_BAD_INPUT, "%s: a link; what it leads to would be overwritten", file);
  }
  closedir(folder);
  return status;
}

// What the folder is for: build and plan.
static char *description(const struct plan *plan) {
  char *text = NULL;
  size_t size;
  FILE *out = text_stream_open(&text, &size);
  if (!out)
    return NULL;
  fprintf(out, "sagbend sweep: folder of results, version 1\nbuild: %s\n",
          program_build_beside("sagbend").text);
  plan_write_lines(plan, out);
  fprintf(out, "points: %d\n", plan->point_count);
  if (fclose(out) == 0)
    return text;
  free(text);
  return NULL;
}

static int has_line(const char *text, const char *line, size_t size) {
  for (const char *c = text; *c;) {
    size_t here = strcspn(c, "\n");
    if (here == size && !memcmp(c, line, size))
      return 1;
    c += here + (c[here] == '\n');
  }
  return 0;
}

// Prints the lines of one text that the other one has not.
static int print_missing(const char *of, const char *in, const char *what, FILE *errors) {
  int count = 0;
  for (const char *c = of; *c;) {
    size_t size = strcspn(c, "\n");
    if (size && !has_line(in, c, size) && ++count <= MOST_DIFFERENCES)
      fprintf(errors, "  %s %.*s\n", what, (int)(size < 200 ? size : 200), c);
    c += size + (c[size] == '\n');
  }
  if (count > MOST_DIFFERENCES)
    fprintf(errors, "  %s %d more lines\n", what, count - MOST_DIFFERENCES);
  return count;
}

static enum status compare(const struct sweep_folder *f, const char *old, const char *now, FILE *errors,
                           struct reason *why) {
  if (!strcmp(old, now))
    return STATUS_OK;
  fprintf(errors, "%s: error: its points belong to another plan or build:\n", f->path);
  if (!print_missing(old, now, "then:", errors) + !print_missing(now, old, "now: ", errors) == 2)
    fputs("  the order of the lines\n", errors);
  return fail(why, STATUS_BAD_INPUT,
              "%s: the plan or the program has changed since its points ran; take another folder (--out), or "
              "remove this one",
              f->path);
}

// Whether the folder contains anything that a sweep has not put there.
static int has_foreign_files(const char *path) {
  DIR *folder = opendir(path);
  int found = 0;
  if (!folder)
    return 0;
  for (struct dirent *entry; !found && (entry = readdir(folder));)
    found = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            strcmp(entry->d_name, "lock") != 0 && strncmp(entry->d_name, "sweep.txt", 9) != 0;
  closedir(folder);
  return found;
}

static enum status write_description(const char *path, const char *text, struct reason *why) {
  struct output_file file;
  enum status status = output_file_open_atomic(&file, path, why);
  if (status != STATUS_OK)
    return status;
  fputs(text, file.stream);
  return output_file_close(&file, why);
}

// creates: the folder may be new.
static enum status claim(const struct sweep_folder *f, const struct plan *plan, int creates, FILE *errors,
                         struct reason *why) {
  char file[SWEEP_PATH + 64];
  char *now = description(plan);
  if (!now)
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  snprintf(file, sizeof file, "%s/sweep.txt", f->path);
  int error;
  char *old = sweep_read_text(file, &error);
  enum status status = STATUS_OK;
  if (old)
    status = compare(f, old, now, errors, why);
  else if (error != ENOENT)
    status = fail(why, STATUS_IO, "%s: %s", file, strerror(error));
  else if (!creates)
    status = fail(why, STATUS_BAD_INPUT, "%s: not the folder of a sweep: sweep.txt is missing", f->path);
  else if (has_foreign_files(f->path))
    status = fail(why, STATUS_BAD_INPUT, "%s: a new, an empty or a sweep's folder expected", f->path);
  else
    status = write_description(file, now, why);
  free(old);
  free(now);
  return status;
}

static enum status name_folder(struct sweep_folder *f, const char *path, struct reason *why) {
  *f = (struct sweep_folder){.lock = -1};
  if (snprintf(f->path, sizeof f->path, "%s", path) < (int)sizeof f->path - 64)
    return sweep_refuse_links(path, why);
  return fail(why, STATUS_BAD_INPUT, "%.100s...: the path is too long", path);
}

enum status sweep_folder_open(struct sweep_folder *f, const char *path, const struct plan *plan,
                              enum sweep_lock lock, FILE *errors, struct reason *why) {
  char file[SWEEP_PATH + 64];
  enum status status = name_folder(f, path, why);
  if (status == STATUS_OK)
    status = make_folder(path, why);
  struct stat found;
  if (status == STATUS_OK && (stat(path, &found) < 0 || !S_ISDIR(found.st_mode)))
    status = fail(why, STATUS_BAD_INPUT, "%s: a folder expected", path);
  snprintf(file, sizeof file, "%s/sweep.txt", path);
  if (status == STATUS_OK && access(file, F_OK) != 0 && has_foreign_files(path))
    status = fail(why, STATUS_BAD_INPUT, "%s: a new, an empty or a sweep's folder expected", path);
  snprintf(file, sizeof file, "%s/lock", path);
  if (status == STATUS_OK)
    status = sweep_lock_take(file, lock == SWEEP_WITH_OTHER_POINTS, &f->lock, why);
  if (status == STATUS_OK)
    status = claim(f, plan, 1, errors, why);
  snprintf(file, sizeof file, "%s/points", path);
  return status == STATUS_OK ? make_folder(file, why) : status;
}

enum status sweep_folder_read(struct sweep_folder *f, const char *path, const struct plan *plan, FILE *errors,
                              struct reason *why) {
  enum status status = name_folder(f, path, why);
  return status == STATUS_OK ? claim(f, plan, 0, errors, why) : status;
}

int sweep_folder_exists(const char *path) {
  char file[SWEEP_PATH + 64];
  return snprintf(file, sizeof file, "%s/sweep.txt", path) < (int)sizeof file && access(file, F_OK) == 0;
}

void sweep_folder_close(struct sweep_folder *f) {
  if (f->lock >= 0)
    close(f->lock);
  f->lock = -1;
}

struct sweep_path sweep_point_path(const struct sweep_folder *f, int point, const char *name) {
  struct sweep_path path;
  snprintf(path.text, sizeof path.text, "%s/points/%06d%s%s", f->path, point, *name ? "/" : "", name);
  return path;
}

// ---- point.json: how a point ended ----

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

enum status point_record_write(const struct sweep_folder *f, const struct plan_point *point, int port_offset,
                               const struct point_record *record, struct reason *why) {
  struct sweep_path path = sweep_point_path(f, point->number, "point.json");
  struct output_file file = {.stream = NULL};
  cJSON *root = json_begin();
  cJSON_AddNumberToObject(root, "point", point->number);
  cJSON *list = cJSON_AddArrayToObject(root, "overrides");
  for (int i = 0; i < point->setting_count; i++)
    cJSON_AddItemToArray(list, cJSON_CreateString(point->text[i]));
  if (port_offset)
    cJSON_AddNumberToObject(root, "port_offset", port_offset);
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

// ---- summary.json, record.csv ----

cJSON *summary_open(const char *path) {
  int error;
  char *text = sweep_read_text(path, &error);
  cJSON *root = text ? cJSON_Parse(text) : NULL;
  free(text);
  return root;
}

// The first reason for which the run failed. Of a failed verdict its own words are more precise than the
// count.
static void take_failure(const cJSON *root, struct summary_facts *out) {
  const cJSON *failures = json_item(root, "failures"), *verdict;
  const char *first = cJSON_GetStringValue(cJSON_GetArrayItem(failures, 0));
  int more = cJSON_GetArraySize(failures) - 1;
  snprintf(out->failure, sizeof out->failure, "%.240s", first ? first : "");
  cJSON_ArrayForEach(verdict, json_item(root, "verdicts")) {
    const char *result = json_string(verdict, "result"), *name = json_string(verdict, "name"),
               *text = json_string(verdict, "text");
    size_t used = strlen(out->failure);
    if (first && *result && *name && *text && strcmp(result, "passed") != 0) {
      snprintf(out->failure + used, sizeof out->failure - used, "%s%.40s: %.180s", used ? "; " : "", name,
               text);
      return;
    }
  }
  size_t used = strlen(out->failure);
  if (more > 0)
    snprintf(out->failure + used, sizeof out->failure - used, "; and %d more", more);
}

int summary_is_of_machine(const char *text) {
  static const int OF_MACHINE[] = {EADDRINUSE, ENOSPC, EDQUOT, EIO};
  for (size_t i = 0; i < sizeof OF_MACHINE / sizeof *OF_MACHINE; i++)
    if (strstr(text, strerror(OF_MACHINE[i])))
      return 1;
  return 0;
}

// What the session reports of its end; of a controller that was there and never commanded, in its own words.
static enum point_cause cause_of(const cJSON *root, const char *by) {
  static const char *const OF_MACHINE[] = {"log", "sockets", "thread"};
  const cJSON *failure;
  enum point_cause cause = cJSON_GetArraySize(json_item(root, "failures")) ? CAUSE_RUN : CAUSE_NONE;
  if (!strcmp(by, "lockstep_timeout"))
    return CAUSE_CONTROLLER;
  for (size_t i = 0; i < sizeof OF_MACHINE / sizeof *OF_MACHINE; i++)
    if (!strcmp(by, OF_MACHINE[i]))
      return CAUSE_MACHINE;
  cJSON_ArrayForEach(failure, json_item(root, "failures")) {
    const char *text = cJSON_GetStringValue(failure);
    if (text && summary_is_of_machine(text))
      return CAUSE_MACHINE;
    if (text && (!strncmp(text, "no controller ", 14) || !strncmp(text, "the controller ", 15)))
      cause = CAUSE_CONTROLLER;
  }
  return cause;
}

void summary_read_facts(const char *path, struct summary_facts *out) {
  cJSON *root = summary_open(path);
  const char *by = json_string(root, "ended_by");
  *out = (struct summary_facts){.is_there = *by && json_item(root, "state_hash")};
  out->was_stopped =
      !cJSON_IsTrue(json_item(root, "complete")) && (!strcmp(by, "signal") || !strcmp(by, "operator"));
  take_failure(root, out);
  out->cause = cause_of(root, by);
  cJSON_Delete(root);
}

void summary_last_line(const char *path, char *out, size_t size) {
  int error, has_own = 0;
  char *text = sweep_read_text(path, &error);
  *out = '\0';
  for (const char *c = text; c && *c;) {
    size_t length = strcspn(c, "\n");
    int is_own = !strncmp(c, "sagbend", 7);
    if (length && (is_own || !has_own))
      snprintf(out, size, "%.*s", (int)length, c);
    has_own |= is_own;
    c += length + (c[length] == '\n');
  }
  free(text);
}

int record_column(const char *header, const char *name) {
  size_t length = strlen(name);
  int column = 0;
  for (const char *c = header; *c; column++) {
    size_t size = strcspn(c, ",\r\n");
    if (size == length && !memcmp(c, name, size))
      return column;
    c += size;
    if (*c != ',')
      break;
    c++;
  }
  return -1;
}
