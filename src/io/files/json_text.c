#include "io/files/json_text.h"

#include <stdlib.h>

static int memory_ran_out;

static void *allocate(size_t size) {
  void *memory = malloc(size);
  if (!memory)
    memory_ran_out = 1;
  return memory;
}

cJSON *json_begin(void) {
  cJSON_Hooks hooks = {allocate, free};
  cJSON_InitHooks(&hooks);
  return cJSON_CreateObject();
}

static char *end(cJSON *root, char *text) {
  cJSON_Delete(root);
  if (!memory_ran_out)
    return text;
  memory_ran_out = 0;
  cJSON_free(text);
  return NULL;
}

char *json_end(cJSON *root) {
  return end(root, cJSON_Print(root));
}

char *json_end_in_line(cJSON *root) {
  return end(root, cJSON_PrintUnformatted(root));
}
