#define _GNU_SOURCE // memfd_create
#include "view/limits.h"

#include "rt/process.h"
#include "rt/program_file.h"

#include <cjson/cJSON.h>

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 600, MOST_BYTES = 16 << 20 };
static const double SPEED_STEP_MPS = 0.05, DIRECTION_STEP_DEG = 5; // a current is rounded to these

struct question {
  char current[32], external[8]; // words of --current and --external; empty: none
};

struct limits {
  struct limits_case of;
  struct process process;
  int file;                     // of what the process prints; negative: none runs
  struct question asked, known; // by the process, by the answer
  cJSON *answer;                // cases and limits; NULL: none yet
  struct question failed;       // has no answer, and why
  struct reason why;
};

enum status limits_open(const struct limits_case *of, struct limits **out, struct reason *why) {
  *out = calloc(1, sizeof **out);
  if (!*out)
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  (*out)->of = *of;
  (*out)->file = -1;
  return STATUS_OK;
}

void limits_close(struct limits *l) {
  if (!l)
    return;
  if (l->process.id) {
    process_signal(&l->process, SIGKILL);
    process_wait(&l->process);
  }
  if (l->file >= 0)
    close(l->file);
  cJSON_Delete(l->answer);
  free(l);
}

// ---- the process ----

static enum status start(struct limits *l, struct reason *why) {
  char program[PROGRAM_PATH], *words[MOST_ARGUMENTS];
  enum status status = program_beside("sagbend", program, why);
  int count = 0;
  const char *const begin[] = {"sagbend", "capability", l->of.config,     "--level",    "2",
                               "--json",  "--current",  l->asked.current, "--external", l->asked.external};
  for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
    words[count++] = (char *)begin[i];
  for (int i = 0; i < l->of.override_count && count + 3 < MOST_ARGUMENTS; i++) {
    words[count++] = (char *)"--set";
    words[count++] = l->of.overrides[i];
  }
  words[count] = NULL;
  l->file = status == STATUS_OK ? memfd_create("capability", MFD_CLOEXEC) : -1;
  if (status == STATUS_OK && l->file < 0)
    status = fail(why, STATUS_IO, "no memory for the output of sagbend capability");
  const struct process_start how = {.program = program, .arguments = words, .output = l->file, .is_apart = 1};
  if (status == STATUS_OK)
    status = process_start(&l->process, &how, why);
  if (status != STATUS_OK && l->file >= 0) {
    close(l->file);
    l->file = -1;
  }
  return status;
}

// All that it has printed; NULL: nothing that can be read. To be freed.
static char *printed(int file) {
  const off_t size = lseek(file, 0, SEEK_END);
  char *text = size > 0 && size < MOST_BYTES ? malloc((size_t)size + 1) : NULL;
  if (!text)
    return NULL;
  const ssize_t got = pread(file, text, (size_t)size, 0);
  text[got > 0 ? got : 0] = '\0';
  return text;
}

// ---- its answer ----

static void copy(const cJSON *from, cJSON *to, const char *name) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(from, name);
  if (item)
    cJSON_AddItemToObject(to, name, cJSON_Duplicate(item, 1));
}

// What the plot needs of a case: its name, and for each direction the wind and whether it lies beyond the
// table.
static cJSON *case_of(const cJSON *from) {
  cJSON *to = cJSON_CreateObject(), *winds = cJSON_CreateArray(), *beyond = cJSON_CreateArray();
  const cJSON *point;
  copy(from, to, "name");
  cJSON_ArrayForEach(point, cJSON_GetObjectItemCaseSensitive(from, "directions")) {
    const cJSON *wind = cJSON_GetObjectItemCaseSensitive(point, "limit_wind_mps");
    cJSON_AddItemToArray(winds, cJSON_CreateNumber(cJSON_IsNumber(wind) ? wind->valuedouble : 0));
    cJSON_AddItemToArray(
        beyond, cJSON_CreateBool(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(point, "beyond_table"))));
  }
  cJSON_AddItemToObject(to, "limit_wind_mps", winds);
  cJSON_AddItemToObject(to, "beyond_table", beyond);
  return to;
}

static cJSON *answer_of(const cJSON *from) {
  static const char *const kept[] = {"name",     "model_hash", "dynamic_factor",
                                     "external", "current",    "published"};
  const cJSON *cases = cJSON_GetObjectItemCaseSensitive(from, "cases"), *one;
  if (!cJSON_IsArray(cases))
    return NULL;
  cJSON *to = cJSON_CreateObject();
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    copy(from, to, kept[i]);
  cJSON *list = cJSON_AddArrayToObject(to, "cases");
  cJSON_ArrayForEach(one, cases) cJSON_AddItemToArray(list, case_of(one));
  return to;
}

// The last line that it has printed is why it has failed.
static void keep_failure(struct limits *l, char *text) {
  size_t size = text ? strlen(text) : 0;
  while (size && text[size - 1] == '\n')
    text[--size] = '\0';
  const char *line = size ? strrchr(text, '\n') : NULL;
  l->failed = l->asked;
  snprintf(l->why.text, sizeof l->why.text, "%s",
           line   ? line + 1
           : size ? text
                  : "sagbend capability has ended without an answer");
}

// Notices stand before the JSON, which begins a line. A status of 1 with JSON is a finding about declared
// failures, not a failure.
void limits_turn(struct limits *l) {
  int wait_status;
  if (l->file < 0 || !process_has_ended(&l->process, &wait_status))
    return;
  char *text = printed(l->file);
  const char *json = text && *text != '{' ? strstr(text, "\n{") : text;
  cJSON *whole = json ? cJSON_Parse(json) : NULL, *answer = whole ? answer_of(whole) : NULL;
  cJSON_Delete(whole);
  process_forget(&l->process);
  close(l->file);
  l->file = -1;
  if (answer) {
    cJSON_Delete(l->answer);
    l->answer = answer;
    l->known = l->asked;
    l->failed = (struct question){"", ""};
  } else {
    keep_failure(l, text);
  }
  free(text);
}

// ---- the question of a page ----

static enum status read_query(const char *query, struct question *out, struct reason *why) {
  char *end = NULL;
  const double speed = !strncmp(query, "current=", 8) ? strtod(query + 8, &end) : (double)NAN;
  const double from = end && *end == ',' ? strtod(end + 1, &end) : (double)NAN;
  const char *external = end && !strncmp(end, "&external=", 10) ? end + 10 : "";
  const int is_known = !strcmp(external, "pipe") || !strcmp(external, "none");
  if (!(speed >= 0 && speed <= 10 && fabs(from) <= 360) || !is_known)
    return fail(why, STATUS_BAD_INPUT, "current=SPEED,DIRECTION&external=pipe or none expected");
  const double rounded = SPEED_STEP_MPS * round(speed / SPEED_STEP_MPS);
  const double turned =
      rounded > 0 ? fmod(DIRECTION_STEP_DEG * round(from / DIRECTION_STEP_DEG) + 360, 360) : 0;
  *out = (struct question){"", ""};
  snprintf(out->current, sizeof out->current, "%.2f,%.0f", rounded, turned);
  snprintf(out->external, sizeof out->external, "%s", external);
  return STATUS_OK;
}

static int is_same(const struct question *a, const struct question *b) {
  return !strcmp(a->current, b->current) && !strcmp(a->external, b->external);
}

enum status limits_answer(struct limits *l, const char *path, const char *query, char **out,
                          struct reason *why) {
  struct question wanted;
  if (strcmp(path, "capability") != 0)
    return STATUS_OK;
  if (!l->of.config) {
    *out = strdup("{\"state\":\"none\"}");
    return *out ? STATUS_OK : fail(why, STATUS_NO_MEMORY, "out of memory");
  }
  enum status status = read_query(query, &wanted, why);
  if (status != STATUS_OK)
    return status;
  limits_turn(l);
  const int is_known = l->answer && is_same(&l->known, &wanted);
  if (!is_known && !is_same(&l->failed, &wanted) && l->file < 0) {
    l->asked = wanted;
    if (start(l, &l->why) != STATUS_OK)
      l->failed = wanted;
  }
  const int has_failed = !is_known && is_same(&l->failed, &wanted);
  cJSON *root = l->answer ? cJSON_Duplicate(l->answer, 1) : cJSON_CreateObject();
  cJSON_AddStringToObject(root, "state", is_known ? "ready" : has_failed ? "failed" : "computing");
  if (has_failed)
    cJSON_AddStringToObject(root, "reason", l->why.text);
  *out = cJSON_PrintUnformatted(root);
  cJSON_Delete(root);
  return *out ? STATUS_OK : fail(why, STATUS_NO_MEMORY, "out of memory");
}
