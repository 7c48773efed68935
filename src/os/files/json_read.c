#include "os/files/json_read.h"

#include <math.h>

const cJSON *json_item(const cJSON *object, const char *key) {
  return cJSON_GetObjectItemCaseSensitive(object, key);
}

const char *json_string(const cJSON *object, const char *key) {
  const char *text = cJSON_GetStringValue(json_item(object, key));
  return text ? text : "";
}

double json_number(const cJSON *object, const char *key) {
  const cJSON *value = json_item(object, key);
  return cJSON_IsNumber(value) ? value->valuedouble : (double)NAN;
}
