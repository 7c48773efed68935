#define _POSIX_C_SOURCE 200809L
#include "lab/sweep/summary_read.h"

#include "os/files/json_read.h"
#include "lab/sweep/point_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

cJSON *summary_open(const char *path) {
  int error;
  char *text = sweep_read_text(path, &error);
  cJSON *root = text ? cJSON_Parse(text) : NULL;
  free(text);
  return root;
}

// The first reason for which the run failed. Of a failed verdict its own words say more than the count.
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

// What the session says of its end; of a controller that was there and never commanded, in its own words.
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

const cJSON *summary_find(const cJSON *root, const char *path) {
  const cJSON *node = root;
  char step[PLAN_NAME];
  if (!strchr(path, '.')) {
    const cJSON *found = json_item(root, path);
    for (node = root ? root->child : NULL; node && !found; node = node->next)
      if (cJSON_IsObject(node))
        found = json_item(node, path);
    return found;
  }
  while (node && *path) {
    size_t size = strcspn(path, ".");
    snprintf(step, sizeof step, "%.*s", (int)size, path);
    char *end;
    long index = strtol(step, &end, 10);
    node = cJSON_IsArray(node) ? (*end ? NULL : cJSON_GetArrayItem(node, (int)index)) : json_item(node, step);
    path += size + (path[size] == '.');
  }
  return node;
}
