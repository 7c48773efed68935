// point.json: how a point ended.
#define _POSIX_C_SOURCE 200809L
#include "sweep/point_folder.h"

#include "io/files/json_read.h"
#include "io/files/json_text.h"
#include "io/files/output_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const OUTCOMES[] = {"missing", "passed", "failed", "broken"};
static const char *const CAUSES[] = {"", "run", "controller", "machine"};

const char *point_outcome_word(enum point_outcome outcome) {
  return OUTCOMES[outcome];
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

void point_record_free(struct point_record *record) {
  free(record->inputs);
  record->inputs = NULL;
}
