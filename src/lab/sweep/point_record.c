// point.json: how a point ended.
#define _POSIX_C_SOURCE 200809L
#include "lab/sweep/point_folder.h"

#include "sagbend/base/fnv.h"
#include "os/files/json_read.h"
#include "os/files/json_text.h"
#include "os/files/output_file.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

enum status point_record_write(const struct sweep_folder *f, const struct plan_point *point,
                               const struct point_record *record, struct reason *why) {
  struct sweep_path path = sweep_point_path(f, point->number, "point.json");
  struct output_file file = {.stream = NULL};
  cJSON *root = json_begin();
  cJSON_AddNumberToObject(root, "point", point->number);
  cJSON *list = cJSON_AddArrayToObject(root, "overrides");
  for (int i = 0; i < point->setting_count; i++)
    cJSON_AddItemToArray(list, cJSON_CreateString(point->text[i]));
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
