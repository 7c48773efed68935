#include "os/files/json_read.h"
#include "os/files/json_text.h"

#include "sagbend/base/shown_text.h"
#include "run/replay/series.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
