// The limits of wind for the page: 'sagbend capability' in a process of its own, its answers kept.
#define _GNU_SOURCE // memfd_create
#include "programs/view/view_program_internal.h"

#include "os/process/process.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 600, MOST_BYTES = 16 << 20, KEPT = 16, BELOW_A_SESSION = 10 };
static const double SPEED_STEP_MPS = 0.05, DIRECTION_STEP_DEG = 5; // a current is rounded to these

struct question {
  double speed_mps, from_deg;
  char current[32], external[8]; // words of --current and --external
};

// One that has been answered.
struct known {
  struct question of;
  cJSON *answer;     // cases and limits; NULL: it has failed
  struct reason why; // of a failure
  uint64_t at_ns;    // 0: free
};

struct limits {
  struct limits_case of;
  struct process process;
  int file; // of what the process prints; negative: none runs
  uint64_t begin_ns;
  int is_late;           // it has been ended
  struct question asked; // by the process
  struct known known[KEPT];
  int next; // of these, the oldest
};

enum status limits_open(const struct limits_case *of, struct limits **out, struct reason *why) {
  *out = calloc(1, sizeof **out);
  if (!*out)
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  struct limits *l = *out;
  l->of = *of;
  l->of.patience_s = of->patience_s > 0 ? of->patience_s : LIMITS_PATIENCE_S;
  l->of.failure_s = of->failure_s > 0 ? of->failure_s : LIMITS_FAILURE_S;
  l->file = -1;
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
  for (int i = 0; i < KEPT; i++)
    cJSON_Delete(l->known[i].answer);
  free(l);
}

static double seconds_since(uint64_t moment_ns) {
  return 1e-9 * (double)(os_now_ns() - moment_ns);
}

// ---- what has been answered ----

static int is_same(const struct question *a, const struct question *b) {
  return !strcmp(a->current, b->current) && !strcmp(a->external, b->external);
}

static struct known *remember(struct limits *l, const struct question *of, cJSON *answer) {
  struct known *to = &l->known[l->next];
  for (int i = 0; i < KEPT; i++)
    if (l->known[i].at_ns && is_same(&l->known[i].of, of))
      to = &l->known[i];
  if (to == &l->known[l->next])
    l->next = (l->next + 1) % KEPT;
  cJSON_Delete(to->answer);
  *to = (struct known){.of = *of, .answer = answer, .at_ns = os_now_ns()};
  return to;
}

static const struct known *find(const struct limits *l, const struct question *of) {
  for (int i = 0; i < KEPT; i++) {
    const struct known *k = &l->known[i];
    if (k->at_ns && is_same(&k->of, of) && (k->answer || seconds_since(k->at_ns) < l->of.failure_s))
      return k;
  }
  return NULL;
}

static double distance_mps(const struct question *a, const struct question *b) {
  const double rad = acos(-1) / 180;
  return hypot(a->speed_mps * cos(a->from_deg * rad) - b->speed_mps * cos(b->from_deg * rad),
               a->speed_mps * sin(a->from_deg * rad) - b->speed_mps * sin(b->from_deg * rad));
}

static const struct known *nearest(const struct limits *l, const struct question *to) {
  const struct known *best = NULL;
  for (int i = 0; i < KEPT; i++) {
    const struct known *k = &l->known[i];
    if (k->answer && !strcmp(k->of.external, to->external) &&
        (!best || distance_mps(&k->of, to) < distance_mps(&best->of, to)))
      best = k;
  }
  return best;
}

// ---- the process ----

static enum status spawn(struct limits *l, const char *program, struct reason *why) {
  char *words[MOST_ARGUMENTS];
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
  l->file = memfd_create("capability", MFD_CLOEXEC);
  if (l->file < 0)
    return fail(why, STATUS_IO, "no memory for the output of sagbend capability");
  const struct process_start how = {.program = program, .arguments = words, .output = l->file, .is_apart = 1};
  enum status status = process_start(&l->process, &how, why);
  if (status != STATUS_OK) {
    close(l->file);
    l->file = -1;
    return status;
  }
  setpriority(PRIO_PROCESS, (id_t)l->process.id, BELOW_A_SESSION);
  return STATUS_OK;
}

static void begin(struct limits *l, const struct question *wanted) {
  char beside[PROGRAM_PATH];
  const char *program = l->of.program ? l->of.program : beside;
  struct reason why = {""};
  l->asked = *wanted;
  l->begin_ns = os_now_ns();
  l->is_late = 0;
  enum status status = l->of.program ? STATUS_OK : program_beside("sagbend", beside, &why);
  if (status == STATUS_OK)
    status = spawn(l, program, &why);
  if (status != STATUS_OK)
    remember(l, wanted, NULL)->why = why;
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

// The last line that it has printed is why it has failed.
static void say_why(const struct limits *l, char *text, struct reason *why) {
  size_t size = text ? strlen(text) : 0;
  while (size && text[size - 1] == '\n')
    text[--size] = '\0';
  const char *line = size ? strrchr(text, '\n') : NULL;
  if (l->is_late)
    snprintf(why->text, sizeof why->text, "sagbend capability took longer than %g s", l->of.patience_s);
  else
    snprintf(why->text, sizeof why->text, "%s",
             line   ? line + 1
             : size ? text
                    : "sagbend capability has ended without an answer");
}

static cJSON *limits_json_of(const char *printed);

// A status of 1 with an answer is a finding about declared failures, not a failure.
void limits_turn(struct limits *l) {
  int wait_status;
  if (l->file < 0)
    return;
  if (!process_has_ended(&l->process, &wait_status)) {
    if (!l->is_late && seconds_since(l->begin_ns) > l->of.patience_s) {
      l->is_late = 1;
      process_signal(&l->process, SIGKILL);
    }
    return;
  }
  char *text = printed(l->file);
  cJSON *answer = limits_json_of(text);
  struct known *known = remember(l, &l->asked, answer);
  if (!answer)
    say_why(l, text, &known->why);
  free(text);
  process_forget(&l->process);
  close(l->file);
  l->file = -1;
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
  const double rounded = SPEED_STEP_MPS * round(speed / SPEED_STEP_MPS) + 0.0;
  const double turned =
      rounded > 0 ? fmod(DIRECTION_STEP_DEG * round(from / DIRECTION_STEP_DEG) + 360, 360) : 0;
  *out = (struct question){.speed_mps = rounded, .from_deg = turned};
  snprintf(out->current, sizeof out->current, "%.2f,%.0f", rounded, turned);
  snprintf(out->external, sizeof out->external, "%s", external);
  return STATUS_OK;
}

enum status limits_response(struct limits *l, const char *path, const char *query, char **out,
                            struct reason *why) {
  struct question wanted = {0};
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
  if (!find(l, &wanted) && l->file < 0)
    begin(l, &wanted);
  const struct known *known = find(l, &wanted), *shown = known && known->answer ? known : nearest(l, &wanted);
  cJSON *root = shown ? cJSON_Duplicate(shown->answer, 1) : cJSON_CreateObject();
  cJSON_AddStringToObject(root, "state", !known ? "computing" : known->answer ? "ready" : "failed");
  if (known && !known->answer)
    cJSON_AddStringToObject(root, "reason", known->why.text);
  *out = cJSON_PrintUnformatted(root);
  cJSON_Delete(root);
  return *out ? STATUS_OK : fail(why, STATUS_NO_MEMORY, "out of memory");
}

// ------------------------------------------------------------
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

// Cases and limits of a printed text, in which notices may stand before the JSON, which begins a line. NULL:
// it has no answer.
static cJSON *limits_json_of(const char *printed) {
  const char *json = printed && *printed != '{' ? strstr(printed, "\n{") : printed;
  cJSON *whole = json ? cJSON_Parse(json) : NULL, *answer = whole ? answer_of(whole) : NULL;
  cJSON_Delete(whole);
  return answer;
}
