#include "lab/judge/sharpness.h"

#include "os/files/json_read.h"
#include "lab/sweep/summary_read.h"

#include <math.h>
#include <string.h>

int sharp_is_found(const struct sharp_controller *c) {
  return c->criteria > 0 || c->measures > 0;
}

void sharpness_folder(const struct sweep_folder *good, const struct trial_wrong *wrong, char *out,
                      size_t size) {
  snprintf(out, size, "%s/wrong/%s", good->path, wrong->name);
}

// Observed and required, of a criterion that fails; NULL: it does not.
static const char *failure_text(const cJSON *run, const char *criterion) {
  const cJSON *c;
  cJSON_ArrayForEach(c, json_item(run, "criteria")) {
    if (!strcmp(json_string(c, "name"), criterion) && !strcmp(json_string(c, "result"), "fail"))
      return json_string(c, "text");
  }
  return NULL;
}

// The runs of both folders stand in the same order where both are of this plan.
static void compare(const struct judgement *good, const cJSON *root, struct sharp_controller *out) {
  const cJSON *run;
  int i = 0, is_tried = 0; // its run without a failure in this condition has a result
  cJSON_ArrayForEach(run, json_item(root, "runs")) {
    char id[FAILURE_ID + 32];
    int before = out->criteria;
    if (i >= good->run_count)
      break;
    const struct judged_run *own = &good->run[i++];
    judgement_id(good, own, id, sizeof id);
    const char *theirs = cJSON_GetStringValue(json_item(run, "id"));
    double now[MEASURE_COUNT], then[MEASURE_COUNT];
    judgement_measures(own, then);
    measures_read(run, now);
    if (own->failure->group == FAILURE_NONE)
      is_tried = isfinite(now[MEASURE_OFFSET]);
    if (!is_tried)
      continue;
    for (int c = 0; c < CRITERION_COUNT && theirs && !strcmp(theirs, id); c++) {
      const char *text =
          own->criterion[c].result == CRITERION_PASS ? failure_text(run, criteria[c].name) : NULL;
      if (text && !out->criteria++)
        snprintf(out->first, sizeof out->first, "%s: %s: %.150s", id, criteria[c].name, text);
    }
    const enum measure worse = measures_worse(now, then, 0);
    if (theirs && !strcmp(theirs, id) && isfinite(now[MEASURE_OFFSET]) && worse < MEASURE_COUNT &&
        !out->measures++ && !out->criteria)
      snprintf(out->first, sizeof out->first, "%s: %s", id, measures_text(worse, now, then).text);
    out->runs += out->criteria > before;
  }
}

void sharpness_read(const struct judgement *good, const struct sweep_folder *folder, struct sharpness *out) {
  *out = (struct sharpness){.count = good->plan->wrong_count};
  for (int i = 0; i < out->count; i++) {
    struct sharp_controller *c = &out->item[i];
    char path[SWEEP_PATH + 300];
    c->wrong = &good->plan->wrong[i];
    sharpness_folder(folder, c->wrong, path, sizeof path - 20);
    strcat(path, "/results.json");
    cJSON *root = summary_open(path);
    c->is_tried = root != NULL;
    if (root)
      compare(good, root, c);
    cJSON_Delete(root);
    out->tried += c->is_tried;
    out->found += sharp_is_found(c);
  }
}
