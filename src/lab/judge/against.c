#include "lab/judge/against.h"

#include "sagbend/base/shown_text.h"
#include "os/files/json_read.h"
#include "lab/sweep/summary_read.h"

#include <stdlib.h>
#include <string.h>

static int is_text(const cJSON *object, const char *key, const char *wanted) {
  return !strcmp(json_string(object, key), wanted);
}

static const cJSON *run_of(const cJSON *root, const char *id) {
  const cJSON *run;
  cJSON_ArrayForEach(run, json_item(root, "runs")) {
    if (is_text(run, "id", id))
      return run;
  }
  return NULL;
}

static int held(const cJSON *run, const char *criterion) {
  const cJSON *c;
  cJSON_ArrayForEach(c, json_item(run, "criteria")) {
    if (is_text(c, "name", criterion))
      return is_text(c, "result", "pass");
  }
  return 0;
}

// What no criterion judges, and is much worse than there.
static int print_worse(const struct judged_run *run, const char *id, const cJSON *other) {
  double now[MEASURE_COUNT], then[MEASURE_COUNT];
  int count = 0;
  judgement_measures(run, now);
  measures_read(other, then);
  for (int m = 0; (m = (int)measures_worse(now, then, m)) < MEASURE_COUNT; m++, count++)
    printf("%-20s %s, %s\n", "worse", id, measures_text((enum measure)m, now, then).text);
  return count;
}

enum status against_print(const struct judgement *j, const char *other_folder, struct against *out,
                          struct reason *why) {
  char path[SWEEP_PATH], id[FAILURE_ID + 32];
  int missing = 0;
  *out = (struct against){0};
  snprintf(path, sizeof path, "%s/results.json", other_folder);
  cJSON *root = summary_open(path);
  if (!is_text(root, "schema", "sagbend-trials/2")) {
    cJSON_Delete(root);
    return fail(why, STATUS_BAD_INPUT,
                "--against: a folder of trials with its results.json expected, got '%.200s'", other_folder);
  }
  for (int i = 0; i < j->run_count; i++) {
    const struct judged_run *run = &j->run[i];
    snprintf(id, sizeof id, "%s@%s", run->failure->id, j->plan->condition[run->condition].id);
    const cJSON *other = run_of(root, id);
    missing += other == NULL;
    out->without_result += other && !run->seen.is_there;
    for (int c = 0; other && c < CRITERION_COUNT; c++)
      if (run->criterion[c].result == CRITERION_FAIL && held(other, criteria[c].name)) {
        printf("%-20s %s, %s: %s\n", "worse", id, criteria[c].name, shown(run->criterion[c].text).text);
        out->criteria++;
        out->unjudged += !judgement_run(j, run->condition, 0)->seen.is_there;
      }
    if (other && run->seen.is_there)
      out->measures += print_worse(run, id, other);
  }
  printf("%-20s %d criteria fail that held in %s, %d measures are worse; %d runs are not there\n", "against",
         out->criteria, shown(other_folder).text, out->measures, missing);
  cJSON_Delete(root);
  return STATUS_OK;
}
