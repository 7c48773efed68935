// replay --verify of several logs: finds them, verifies each, compares neighbours, reports.
#include "run/replay/replay.h"

#include "os/files/files.h"
#include "sagbend/base/base.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct series_log {
  char *path;
  struct reason unusable; // empty: it was read and replayed
  int is_unreadable;      // not even its record could be read
  char session[64], started_at[40];
  unsigned part; // 0: the log is one file
  uint64_t first_step;
  int has_origin;
  char origin_session[64], origin_how[16];
  uint64_t origin_step;
  struct replay_capture *captures; // states that other sessions began with
  size_t capture_count;

  // Once it is verified.
  enum replay_result result;
  int is_complete, has_end, has_last_state, has_chain;
  uint64_t last_step, initial_hash, end_hash, commands_before, last_command, config_hash;
  char build[64], continued_in[128], next_session[64];
  struct log_digest first_state, last_state, chain_end, link;
  int has_link;
  cJSON *report;
};

enum series_finding_kind { SERIES_MISSING, SERIES_CONTRADICTION };

struct series_finding {
  enum series_finding_kind kind;
  struct reason text;
};

struct series {
  const struct replay_options *options;
  struct series_log *logs; // by session in the order of their starts, then by part
  size_t count, capacity;
  struct series_finding *findings;
  size_t finding_count, finding_capacity;
  int has_lost_findings; // there was no memory for one
  size_t joints;         // compared
};

static int is_folder(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

int series_is_asked_for(const struct replay_options *options) {
  return options->logs.count > 1 || is_folder(options->logs.path[0]);
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void series_add(struct series *series, enum series_finding_kind kind, const char *format, ...) {
  va_list args;
  if (series->finding_count == series->finding_capacity) {
    size_t capacity = 2 * series->finding_capacity + 16;
    struct series_finding *more = realloc(series->findings, capacity * sizeof *more);
    if (!more) {
      series->has_lost_findings = 1;
      return;
    }
    series->findings = more;
    series->finding_capacity = capacity;
  }
  struct series_finding *finding = &series->findings[series->finding_count++];
  finding->kind = kind;
  va_start(args, format);
  char text[sizeof finding->text.text];
  vsnprintf(text, sizeof text, format, args);
  text_show(text, finding->text.text, sizeof finding->text.text);
  va_end(args);
}

// ---- finding the logs ----

static enum status add_log(struct series *series, const char *folder, const char *name) {
  if (series->count == series->capacity) {
    size_t capacity = 2 * series->capacity + 64;
    struct series_log *more = realloc(series->logs, capacity * sizeof *more);
    if (!more)
      return STATUS_NO_MEMORY;
    series->logs = more;
    series->capacity = capacity;
  }
  size_t size = (folder ? strlen(folder) + 1 : 0) + strlen(name) + 1;
  char *path = malloc(size);
  if (!path)
    return STATUS_NO_MEMORY;
  snprintf(path, size, "%s%s%s", folder ? folder : "", folder ? "/" : "", name);
  series->logs[series->count++] = (struct series_log){.path = path};
  return STATUS_OK;
}

static int has_extension(const char *name) {
  static const char extension[] = ".mcap";
  size_t length = strlen(name), end = sizeof extension - 1;
  return length > end && strcmp(name + length - end, extension) == 0;
}

static enum status add_folder(struct series *series, const char *folder, struct reason *why) {
  DIR *directory = opendir(folder);
  if (!directory)
    return fail(why, STATUS_BAD_INPUT, "%s: cannot be listed: %s", folder, strerror(errno));
  enum status status = STATUS_OK;
  const struct dirent *entry;
  size_t before = series->count;
  while (status == STATUS_OK && (entry = readdir(directory))) // NOLINT(concurrency-mt-unsafe): one thread
    if (has_extension(entry->d_name))
      status = add_log(series, folder, entry->d_name);
  closedir(directory);
  if (status == STATUS_OK && series->count == before)
    return fail(why, STATUS_BAD_INPUT, "%s: a folder with logs (.mcap) expected, got one without", folder);
  return status;
}

static void take_record(struct series_log *log, const Sagbend__V1__SessionRecord *record) {
  snprintf(log->session, sizeof log->session, "%s", record->session);
  snprintf(log->started_at, sizeof log->started_at, "%s", record->started_at);
  snprintf(log->build, sizeof log->build, "%s", record->build);
  log->first_step = record->first_step;
  log->config_hash = record->config_hash;
  log->initial_hash = record->initial_state_hash;
  if (record->part) {
    log->part = record->part->number;
    log->commands_before = record->part->commands_before;
    log->has_link = record->part->link.len == LOG_DIGEST;
    if (log->has_link)
      memcpy(log->link.bytes, record->part->link.data, LOG_DIGEST);
  }
  if (record->origin) {
    log->has_origin = 1;
    snprintf(log->origin_session, sizeof log->origin_session, "%s", record->origin->session);
    snprintf(log->origin_how, sizeof log->origin_how, "%s", record->origin->how);
    log->origin_step = record->origin->step;
  }
}

// As good as missing: the writer was killed before it had written the record, or the file is damaged there.
static void unreadable(struct series_log *log, const char *why) {
  log->is_unreadable = 1;
  size_t length = strlen(log->path); // the reader's text may name the file already
  if (!strncmp(why, log->path, length) && !strncmp(why + length, ": ", 2))
    why += length + 2;
  fail(&log->unusable, STATUS_BAD_INPUT, "%s: not usable: %.160s", log->path, why);
}

// Reads the record of a log. The reason that it cannot be read is in the log.
static void look_at(struct series_log *log) {
  struct mcap_reader *reader;
  struct mcap_message message;
  struct reason cause = {""};
  if (mcap_reader_open(log->path, MCAP_STRICT, &reader, &cause) != STATUS_OK) {
    unreadable(log, cause.text);
    return;
  }
  int got = mcap_reader_next(reader, &message, &cause);
  ProtobufCMessage *record = NULL;
  if (got > 0 && log_topic_of(message.channel) == LOG_SESSION)
    log_unpack(&message, &record, &cause);
  if (record)
    take_record(log, (const Sagbend__V1__SessionRecord *)record);
  else
    unreadable(log, *cause.text ? cause.text : "a session's log expected");
  log_free(record);
  mcap_reader_close(reader);
}

static int by_session_and_part(const void *a, const void *b) {
  const struct series_log *x = a, *y = b;
  int order = strcmp(x->started_at, y->started_at); // of the session, see share_start
  if (!order)
    order = strcmp(x->session, y->session);
  if (!order && x->part != y->part)
    order = x->part < y->part ? -1 : 1;
  return order ? order : strcmp(x->path, y->path);
}

// Each part states its own start: for sorting, all parts of a session take that of the earliest.
static void share_start(struct series *series) {
  for (size_t i = 0; i < series->count; i++)
    for (size_t k = 0; k < series->count; k++) {
      struct series_log *a = &series->logs[i];
      const struct series_log *b = &series->logs[k];
      if (!strcmp(a->session, b->session) && strcmp(b->started_at, a->started_at) < 0)
        memcpy(a->started_at, b->started_at, sizeof a->started_at);
    }
}

static enum status find_logs(struct series *series, struct reason *why) {
  const struct replay_options *o = series->options;
  enum status status = STATUS_OK;
  for (int i = 0; i < o->logs.count && status == STATUS_OK; i++)
    status = is_folder(o->logs.path[i]) ? add_folder(series, o->logs.path[i], why)
                                        : add_log(series, NULL, o->logs.path[i]);
  if (status == STATUS_NO_MEMORY)
    return fail(why, status, "out of memory for the list of logs");
  for (size_t i = 0; i < series->count && status == STATUS_OK; i++)
    look_at(&series->logs[i]);
  if (status == STATUS_OK) {
    share_start(series);
    qsort(series->logs, series->count, sizeof *series->logs, by_session_and_part);
  }
  return status;
}

// ---- verifying them ----

static int began_with(const struct series_log *log, const struct series_log *other) {
  return other->has_origin && !strcmp(other->origin_session, log->session) &&
         other->origin_step >= log->first_step;
}

// The states of this log with which other sessions began.
static void set_captures(struct series *series, struct series_log *log) {
  size_t count = 0;
  for (size_t i = 0; i < series->count; i++)
    count += (size_t)began_with(log, &series->logs[i]);
  log->captures = count ? calloc(count, sizeof *log->captures) : NULL;
  for (size_t i = 0; log->captures && i < series->count; i++)
    if (began_with(log, &series->logs[i]))
      log->captures[log->capture_count++].step = series->logs[i].origin_step;
}

static void take_result(struct series_log *log, const struct replay *replay) {
  const Sagbend__V1__LogEnd *end = replay->end;
  log->is_complete = !replay->gap_count;
  log->has_end = end != NULL;
  log->last_step = replay->last_step;
  log->end_hash = end ? end->state_hash : 0;
  if (end) {
    snprintf(log->continued_in, sizeof log->continued_in, "%s", end->continued_in);
    snprintf(log->next_session, sizeof log->next_session, "%s", end->next_session);
  }
  log->last_command = replay->newest_number;
  log->has_chain = replay->chain.state == LOG_CHAIN_HOLDS && !replay->chain.recovered;
  log->chain_end = replay->chain.digest;
  log->first_state = replay->first_state;
  log->last_state = replay->last_state;
  log->has_last_state = replay->has_last_state;
  log->report = replay->report;
}

static uint64_t verify_log(struct series *series, struct series_log *log) {
  static struct replay replay; // too large for a small stack; one at a time
  uint64_t steps = 0;
  set_captures(series, log);
  enum status status = replay_open(&replay, series->options, log->path, stderr, &log->unusable);
  replay.in_series = 1;
  replay.is_first_in_series = log == series->logs;
  replay.captures = log->captures;
  replay.capture_count = log->capture_count;
  if (status == STATUS_OK)
    status = replay_verify(&replay, &log->result, &log->unusable);
  if (status == STATUS_OK) {
    take_result(log, &replay);
    steps = replay.steps_replayed;
  }
  replay_close(&replay);
  return steps;
}

static enum replay_result series_result(const struct series *series) {
  enum replay_result result = REPLAY_EQUAL;
  for (size_t i = 0; i < series->finding_count; i++)
    if (series->findings[i].kind == SERIES_CONTRADICTION)
      return REPLAY_DIFFERENT;
  for (size_t i = 0; i < series->count; i++) {
    if (series->logs[i].result == REPLAY_DIFFERENT)
      return REPLAY_DIFFERENT;
    if (series->logs[i].result == REPLAY_INCOMPLETE)
      result = REPLAY_INCOMPLETE;
  }
  return series->finding_count ? REPLAY_INCOMPLETE : result;
}

// ------------------------------------------------------------
// What must hold between two parts of a session, and between a session and the state that it began with.

static void contradict(struct series *series, const struct series_log *log, const char *what) {
  series_add(series, SERIES_CONTRADICTION, "%.160s: %.90s", log->path, what);
}

static void compare_numbers(struct series *series, const struct series_log *log, const char *what,
                            uint64_t found, uint64_t expected) {
  if (found != expected)
    series_add(series, SERIES_CONTRADICTION, "%.120s: %s: %" PRIu64 ", the part before it ends with %" PRIu64,
               log->path, what, found, expected);
}

// The part before ended as it should, and next continues its session.
static void compare_ends(struct series *series, const struct series_log *before,
                         const struct series_log *next) {
  compare_numbers(series, next, "first step", next->first_step, before->last_step);
  if (next->initial_hash != before->end_hash)
    contradict(series, next, "its first state has another hash than the last state of the part before it");
  if (before->has_last_state &&
      memcmp(&before->last_state, &next->first_state, sizeof next->first_state) != 0)
    contradict(series, next, "its checkpoint is not the state with which the part before it ends");
  if (before->has_chain &&
      (!next->has_link || memcmp(&before->chain_end, &next->link, sizeof next->link) != 0))
    contradict(series, next, "its link is not the end of the chain of the part before it: one was exchanged");
  if (before->is_complete)
    compare_numbers(series, next, "commands before it", next->commands_before, before->last_command);
  if (!before->has_last_state || !before->has_chain)
    series_add(series, SERIES_MISSING, "%.160s: its joint to the part before it cannot be checked completely",
               next->path);
}

static void compare_parts(struct series *series, const struct series_log *before,
                          const struct series_log *next) {
  series->joints++;
  if (next->config_hash != before->config_hash || strcmp(next->build, before->build) != 0)
    contradict(series, next, "another configuration or program than in the part before it");
  if (!before->has_end)
    series_add(series, SERIES_MISSING,
               "%.160s: the part before it has no end, so that their joint is unknown", next->path);
  else if (!*before->continued_in)
    contradict(series, before, "it says that the session ends in it, but there is a part after it");
  else
    compare_ends(series, before, next);
}

static int is_usable(const struct series_log *log) {
  return !*log->unusable.text;
}

static int is_same_session(const struct series_log *a, const struct series_log *b) {
  return is_usable(a) && is_usable(b) && strcmp(a->session, b->session) == 0;
}

static void compare_neighbours(struct series *series, const struct series_log *before,
                               const struct series_log *next) {
  if (next->part == before->part)
    series_add(series, SERIES_CONTRADICTION, "%.120s: part %u of session %.32s is there twice, also as %.90s",
               next->path, next->part, next->session, before->path);
  else if (!next->part || !before->part)
    contradict(series, next, "one log of its session is in parts and one is not");
  else if (next->part == before->part + 1)
    compare_parts(series, before, next);
  else
    series_add(series, SERIES_MISSING, "session %.32s: parts %u to %u are missing", next->session,
               before->part + 1, next->part - 1);
}

static void check_ends_of_session(struct series *series, const struct series_log *first,
                                  const struct series_log *last) {
  if (first->part > 1)
    series_add(series, SERIES_MISSING, "session %.32s: %s before %.160s", first->session,
               first->part > 2 ? "parts are missing" : "a part is missing", first->path);
  if (*last->continued_in)
    series_add(series, SERIES_MISSING, "session %.32s: its end is missing, %.160s is continued in %.64s",
               last->session, last->path, last->continued_in);
}

static int has_session(const struct series *series, const char *session) {
  for (size_t i = 0; i < series->count; i++)
    if (is_usable(&series->logs[i]) && strcmp(series->logs[i].session, session) == 0)
      return 1;
  return 0;
}

// The sessions before and after this one, if it names any, are among the logs.
static void check_sessions_around(struct series *series, const struct series_log *first,
                                  const struct series_log *last) {
  if (*first->origin_session && !has_session(series, first->origin_session))
    series_add(series, SERIES_MISSING,
               "session %.32s begins with a state of session %.32s (%.16s), which is not among the logs",
               first->session, first->origin_session, first->origin_how);
  if (*last->next_session && !has_session(series, last->next_session))
    series_add(series, SERIES_MISSING,
               "session %.32s continues in session %.32s, which is not among the logs", last->session,
               last->next_session);
}

// The state that a session began with is one of the session that it names, if that is among the logs.
static void check_origin(struct series *series, const struct series_log *log) {
  int is_there = 0, found = 0, same = 0;
  if (!log->has_origin || !strcmp(log->origin_how, "reset"))
    return;
  for (size_t i = 0; i < series->count; i++) {
    const struct series_log *other = &series->logs[i];
    if (!is_usable(other) || strcmp(other->session, log->origin_session) != 0)
      continue;
    is_there = 1;
    for (size_t k = 0; k < other->capture_count; k++) {
      const struct replay_capture *capture = &other->captures[k];
      if (capture->step != log->origin_step || !capture->taken)
        continue;
      found = !capture->too_many;
      for (int s = 0; s < capture->taken; s++)
        same |= memcmp(&capture->state[s], &log->first_state, sizeof log->first_state) == 0;
    }
  }
  if (found && !same)
    series_add(series, SERIES_CONTRADICTION,
               "%.120s: its first state is not that of session %.32s at step %" PRIu64, log->path,
               log->origin_session, log->origin_step);
  if (is_there && !found && !same)
    series_add(series, SERIES_MISSING, "%.120s: the logs of session %.32s do not reach step %" PRIu64,
               log->path, log->origin_session, log->origin_step);
  series->joints += (size_t)found;
}

// all neighbours
static void series_compare(struct series *series) {
  for (size_t i = 0; i < series->count; i++) {
    const struct series_log *log = &series->logs[i];
    if (log->is_unreadable)
      series_add(series, SERIES_MISSING, "%.240s", log->unusable.text);
    if (!is_usable(log))
      continue;
    int is_first = !i || !is_same_session(&series->logs[i - 1], log);
    int is_last = i + 1 == series->count || !is_same_session(log, &series->logs[i + 1]);
    if (!is_first)
      compare_neighbours(series, &series->logs[i - 1], log);
    if (is_first)
      check_origin(series, log);
    if (is_last) {
      size_t first = i;
      while (first > 0 && is_same_session(&series->logs[first - 1], log))
        first--;
      check_ends_of_session(series, &series->logs[first], log);
      if (series->count > 1)
        check_sessions_around(series, &series->logs[first], log);
    }
  }
}

// ------------------------------------------------------------
static const char *const RESULTS[] = {"equal", "different", "incomplete"};

// What is wrong with one log, from its report.
static void print_details(const struct series_log *log) {
  static const char *const differences[] = {"contradiction", "first_difference"};
  for (size_t i = 0; i < sizeof differences / sizeof *differences; i++) {
    const cJSON *d = json_item(log->report, differences[i]);
    if (cJSON_IsObject(d))
      printf("%-20s %s: step %.0f, topic %s, field %s: logged %s, replayed %s\n", "", differences[i],
             json_number(d, "step"), shown(json_string(d, "topic")).text, shown(json_string(d, "field")).text,
             shown(json_string(d, "logged")).text, shown(json_string(d, "replayed")).text);
  }
  const cJSON *chain = json_item(log->report, "chain"), *gap;
  if (*json_string(chain, "broken"))
    printf("%-20s the chain is broken: %s\n", "", shown(json_string(chain, "broken")).text);
  if (*json_string(chain, "not_signed_because"))
    printf("%-20s not signed as asked for: %s\n", "", shown(json_string(chain, "not_signed_because")).text);
  cJSON_ArrayForEach(gap, json_item(log->report, "incomplete_reasons"))
      printf("%-20s not complete: %s\n", "", shown(cJSON_GetStringValue(gap)).text);
}

static void print_log(const struct series_log *log) {
  char label[32] = "log";
  if (log->part)
    snprintf(label, sizeof label, "part %u", log->part);
  if (*log->unusable.text) {
    printf("%-20s %s\n", "log", log->unusable.text);
    return;
  }
  printf("%-20s %s: steps %" PRIu64 " to %" PRIu64 ", %s\n", label, shown(log->path).text, log->first_step,
         log->last_step, RESULTS[log->result]);
  if (log->result != REPLAY_EQUAL)
    print_details(log);
}

static void print_session(const struct series_log *log) {
  printf("%-20s %s of %s", "session", shown(log->session).text, shown(json_string(log->report, "name")).text);
  if (log->has_origin)
    printf(", %s of session %s at step %" PRIu64, shown(log->origin_how).text,
           shown(log->origin_session).text, log->origin_step);
  putchar('\n');
}

static void print_table(const struct series *series) {
  const char *session = "";
  for (size_t i = 0; i < series->count; i++) {
    const struct series_log *log = &series->logs[i];
    if (!*log->unusable.text && strcmp(session, log->session) != 0)
      print_session(log);
    session = log->session;
    print_log(log);
  }
  printf("%-20s %zu compared\n", "joints", series->joints);
  for (size_t i = 0; i < series->finding_count; i++)
    printf("%-20s %s\n", series->findings[i].kind == SERIES_MISSING ? "not complete" : "contradiction",
           series->findings[i].text.text);
  printf("%-20s %s\n", "result", RESULTS[series_result(series)]);
}

static enum status print_json(const struct series *series, struct reason *why) {
  cJSON *root = json_begin(), *logs = cJSON_AddArrayToObject(root, "logs");
  for (size_t i = 0; i < series->count; i++) {
    const struct series_log *log = &series->logs[i];
    if (log->report) {
      cJSON_AddItemReferenceToArray(logs, log->report);
      continue;
    }
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(logs, o);
    cJSON_AddStringToObject(o, "log", log->path);
    cJSON_AddStringToObject(o, "not_usable_because", log->unusable.text);
  }
  cJSON_AddNumberToObject(root, "joints", (double)series->joints);
  cJSON *findings = cJSON_AddArrayToObject(root, "findings");
  for (size_t i = 0; i < series->finding_count; i++) {
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(findings, o);
    cJSON_AddStringToObject(o, "kind",
                            series->findings[i].kind == SERIES_MISSING ? "missing" : "contradiction");
    cJSON_AddStringToObject(o, "text", series->findings[i].text.text);
  }
  cJSON_AddStringToObject(root, "result", RESULTS[series_result(series)]);
  return json_put(root, why);
}

static enum status series_report(const struct series *series, struct reason *why) {
  if (series->options->json)
    return print_json(series, why);
  print_table(series);
  return STATUS_OK;
}

// ------------------------------------------------------------

static int any_is_usable(const struct series *series) {
  for (size_t i = 0; i < series->count; i++)
    if (!*series->logs[i].unusable.text)
      return 1;
  return 0;
}

static void release(struct series *series) {
  for (size_t i = 0; i < series->count; i++) {
    cJSON_Delete(series->logs[i].report);
    free(series->logs[i].captures);
    free(series->logs[i].path);
  }
  free(series->logs);
  free(series->findings);
}

enum status series_verify(const struct replay_options *options, enum replay_result *result, uint64_t *steps,
                          struct reason *why) {
  struct series series = {.options = options};
  enum status status = find_logs(&series, why);
  *steps = 0;
  if (status == STATUS_OK) {
    for (size_t i = 0; i < series.count; i++)
      if (!*series.logs[i].unusable.text)
        *steps += verify_log(&series, &series.logs[i]);
    series_compare(&series);
    if (series.has_lost_findings) // a report without them would look better than what was found
      status = fail(why, STATUS_NO_MEMORY, "out of memory for what was found");
  }
  if (status == STATUS_OK) {
    *result = series_result(&series);
    status = series_report(&series, why);
    for (size_t i = 0; i < series.count && status == STATUS_OK; i++)
      if (*series.logs[i].unusable.text && (!series.logs[i].is_unreadable || !any_is_usable(&series))) {
        *why = series.logs[i].unusable;
        status = STATUS_BAD_INPUT;
      }
  }
  release(&series);
  return status;
}
