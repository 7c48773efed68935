// Members of JSON that another program, or this one before, has written. What is missing, or is of another
// kind, reads as nothing.
#pragma once

#include <cjson/cJSON.h>

const cJSON *json_item(const cJSON *object, const char *key);  // NULL: none
const char *json_string(const cJSON *object, const char *key); // "": none
double json_number(const cJSON *object, const char *key);      // NaN: none
