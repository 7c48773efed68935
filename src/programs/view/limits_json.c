#include "programs/view/limits_json.h"

#include <string.h>

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

cJSON *limits_json_of(const char *printed) {
  const char *json = printed && *printed != '{' ? strstr(printed, "\n{") : printed;
  cJSON *whole = json ? cJSON_Parse(json) : NULL, *answer = whole ? answer_of(whole) : NULL;
  cJSON_Delete(whole);
  return answer;
}
