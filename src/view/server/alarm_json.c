#include "view/server/alarm_json.h"

#include <cjson/cJSON.h>

static const char *const KINDS[] = {[ALARM_LIMIT] = "limit", [ALARM_VERDICT] = "verdict",
                                    [ALARM_FAULT] = "fault", [ALARM_CONTROLLER] = "controller",
                                    [ALARM_EVENT] = "event", [ALARM_LATE] = "late"};
static const char *const CATEGORIES[] = {
    [ALARM_CAUTION] = "caution", [ALARM_WARNING] = "warning", [ALARM_ALARM] = "alarm"};

static cJSON *item_of(const struct alarm *a) {
  cJSON *item = cJSON_CreateObject();
  cJSON_AddStringToObject(item, "kind", KINDS[a->kind]);
  cJSON_AddStringToObject(item, "category", CATEGORIES[a->category]);
  cJSON_AddStringToObject(item, "name", a->name);
  cJSON_AddStringToObject(item, "text", a->text);
  cJSON_AddBoolToObject(item, "active", a->is_active);
  cJSON_AddNumberToObject(item, "from_s", a->from_s);
  cJSON_AddNumberToObject(item, "to_s", a->to_s);
  cJSON_AddNumberToObject(item, "count", (double)a->count);
  if (a->has_limit)
    cJSON_AddNumberToObject(item, "limit", a->limit);
  if (a->has_value) {
    cJSON_AddNumberToObject(item, "first", a->first);
    cJSON_AddNumberToObject(item, "worst", a->worst);
    cJSON_AddNumberToObject(item, "worst_s", a->worst_s);
  }
  return item;
}

char *alarm_json(const struct alarm_list *list) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "op", "sagbendAlarms");
  cJSON_AddNumberToObject(object, "left_out", (double)list->left_out);
  cJSON *items = cJSON_AddArrayToObject(object, "alarms");
  for (int i = 0; items && i < list->count; i++)
    cJSON_AddItemToArray(items, item_of(&list->alarm[i]));
  char *text = items ? cJSON_PrintUnformatted(object) : NULL;
  cJSON_Delete(object);
  return text;
}
