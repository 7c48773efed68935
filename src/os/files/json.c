// JSON and markup: small helpers for writing and reading.
#include "os/files/files.h"

#include "sagbend/base/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

// ------------------------------------------------------------
static int memory_ran_out;

static void *allocate(size_t size) {
  void *memory = malloc(size);
  if (!memory)
    memory_ran_out = 1;
  return memory;
}

static void count_what_runs_out(void) {
  cJSON_Hooks hooks = {allocate, free};
  cJSON_InitHooks(&hooks);
}

cJSON *json_begin(void) {
  count_what_runs_out();
  return cJSON_CreateObject();
}

cJSON *json_begin_list(void) {
  count_what_runs_out();
  return cJSON_CreateArray();
}

// Names of files need not be UTF-8, and cJSON copies what they are: then it would be no JSON.
static char *as_utf8(char *text) {
  size_t size = 1;
  char piece[SHOWN_PIECE];
  for (const char *at = text; *at;)
    size += text_show_next_json(&at, piece);
  char *out = size == strlen(text) + 1 ? NULL : allocate(size);
  if (!out)
    return text;
  size_t used = 0;
  for (const char *at = text; *at; used += strlen(piece)) {
    text_show_next_json(&at, piece);
    memcpy(out + used, piece, strlen(piece));
  }
  out[used] = '\0';
  cJSON_free(text);
  return out;
}

static char *end(cJSON *root, char *text) {
  cJSON_Delete(root);
  text = text ? as_utf8(text) : NULL;
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

static enum status put(char *text, struct reason *why) {
  if (!text)
    return fail(why, STATUS_NO_MEMORY, "out of memory for what is printed");
  puts(text);
  cJSON_free(text);
  return STATUS_OK;
}

enum status json_put(cJSON *root, struct reason *why) {
  return put(json_end(root), why);
}

enum status json_put_in_line(cJSON *root, struct reason *why) {
  return put(json_end_in_line(root), why);
}

// ------------------------------------------------------------
void markup_put(FILE *out, const char *text) {
  while (*text) {
    char piece[SHOWN_PIECE];
    if (*text == '\n' || *text == '\t') { // all that XML allows of what text_show replaces
      fputc(*text++, out);
      continue;
    }
    text_show_next(&text, piece);
    switch (*piece) {
    case '&':
      fputs("&amp;", out);
      break;
    case '<':
      fputs("&lt;", out);
      break;
    case '>':
      fputs("&gt;", out);
      break;
    case '"':
      fputs("&quot;", out);
      break;
    default:
      fputs(piece, out);
    }
  }
}
