// What must hold between two parts of a session, and between a session and the state that it began with.
#include "run/replay/replay.h"

#include "os/files/files.h"
#include "sagbend/base/base.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

void series_compare(struct series *series) {
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

enum status series_report(const struct series *series, struct reason *why) {
  if (series->options->json)
    return print_json(series, why);
  print_table(series);
  return STATUS_OK;
}
