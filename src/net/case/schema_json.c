// The schema as a JSON Schema (draft 2020-12), for completion, units and ranges in editors.
//
// A file that extends another holds only what differs, and null removes a key that the other has. Of such a
// schema null is allowed for every key outside lists, and what a file must have is asked for only where it
// does not extend another.
#include "net/case/case.h"
#include "os/files/files.h"

#include <stdlib.h>
#include <string.h>

static cJSON *number_schema(const struct key_def *key) {
  cJSON *s = cJSON_CreateObject();
  cJSON_AddStringToObject(s, "type", key->accepts & AS_INTEGER ? "integer" : "number");
  if (key->range == POSITIVE)
    cJSON_AddNumberToObject(s, "exclusiveMinimum", 0);
  if (key->range == NOT_NEGATIVE)
    cJSON_AddNumberToObject(s, "minimum", 0);
  if (key->range == LIMITED) {
    cJSON_AddNumberToObject(s, "minimum", key->low);
    cJSON_AddNumberToObject(s, "maximum", key->high);
  }
  return s;
}

static cJSON *array_schema(cJSON *items, int size) {
  cJSON *s = cJSON_CreateObject();
  cJSON_AddStringToObject(s, "type", "array");
  cJSON_AddItemToObject(s, "items", items);
  cJSON_AddNumberToObject(s, "minItems", size);
  cJSON_AddNumberToObject(s, "maxItems", size);
  return s;
}

static cJSON *section_schema(const struct schema *schema, const char *prefix, int is_partial);

static cJSON *type_schema(const char *type) {
  cJSON *s = cJSON_CreateObject();
  cJSON_AddStringToObject(s, "type", type);
  return s;
}

static cJSON *items_schema(const struct schema *schema, const struct key_def *key) {
  char prefix[128];
  snprintf(prefix, sizeof prefix, "%s[]", key->path);
  cJSON *s = type_schema("array");
  cJSON_AddItemToObject(s, "items", section_schema(schema, prefix, 0));
  cJSON_AddNumberToObject(s, "maxItems", key->size);
  return s;
}

// Array of the JSON Schemas of all forms that the key accepts.
static cJSON *choices(const struct schema *schema, const struct key_def *key, int is_partial) {
  cJSON *all = cJSON_CreateArray();
  if (key->accepts & AS_SECTION)
    cJSON_AddItemToArray(all, section_schema(schema, key->path, is_partial));
  if (key->accepts & AS_ITEMS)
    cJSON_AddItemToArray(all, items_schema(schema, key));
  if (key->accepts & (AS_NUMBER | AS_INTEGER))
    cJSON_AddItemToArray(all, number_schema(key));
  if (key->accepts & AS_VECTOR)
    cJSON_AddItemToArray(all, array_schema(number_schema(key), key->size));
  if (key->accepts & AS_MATRIX)
    cJSON_AddItemToArray(all, array_schema(array_schema(number_schema(key), key->size), key->size));
  if (key->accepts & AS_FLAG)
    cJSON_AddItemToArray(all, type_schema("boolean"));
  if (key->accepts & AS_TEXT) {
    cJSON *s = type_schema("string");
    cJSON_AddNumberToObject(s, "minLength", 1);
    cJSON_AddNumberToObject(s, "maxLength", key->size - 1);
    cJSON_AddItemToArray(all, s);
  }

  if (key->accepts & AS_WORD) {
    cJSON *s = cJSON_CreateObject(), *words = cJSON_AddArrayToObject(s, "enum");
    for (int i = 0; key_word(key, i); i++)
      cJSON_AddItemToArray(words, cJSON_CreateString(key_word(key, i)));
    cJSON_AddItemToArray(all, s);
  }

  if (key->accepts & AS_ANY)
    cJSON_AddItemToArray(all, cJSON_CreateObject());
  else if (is_partial || key->optional || (key->fallback && key->accepts & (AS_SECTION | AS_ITEMS)))
    cJSON_AddItemToArray(all, type_schema("null"));

  return all;
}

static void add_default(cJSON *s, const struct key_def *key) {
  double x;
  if (!is_number(key->fallback, &x)) {
    cJSON_AddItemToObject(s, "default",
                          key->accepts & AS_FLAG ? cJSON_CreateBool(strcmp(key->fallback, "true") == 0)
                                                 : cJSON_CreateString(key->fallback));
  } else if (key->accepts & AS_VECTOR) {
    cJSON *list = cJSON_AddArrayToObject(s, "default");
    for (int i = 0; i < key->size; i++)
      cJSON_AddItemToArray(list, cJSON_CreateNumber(x));
  } else {
    cJSON_AddNumberToObject(s, "default", x);
  }
}

static cJSON *key_schema(const struct schema *schema, const struct key_def *key, int is_partial) {
  cJSON *all = choices(schema, key, is_partial), *s;
  if (cJSON_GetArraySize(all) == 1) {
    s = cJSON_DetachItemFromArray(all, 0);
    cJSON_Delete(all);
  } else {
    s = cJSON_CreateObject();
    cJSON_AddItemToObject(s, "anyOf", all);
  }

  char text[640];
  snprintf(text, sizeof text, "%s%s%s%s", key->doc, key->unit ? " [" : "", key->unit ? key->unit : "",
           key->unit ? "]" : "");
  cJSON_AddStringToObject(s, "description", text);
  if (key->fallback)
    add_default(s, key);

  return s;
}

static int is_needed(const struct key_def *key) {
  return !key->optional && !key->fallback;
}

static void fill_section(cJSON *s, const struct schema *schema, const char *prefix, int is_partial) {
  cJSON_AddStringToObject(s, "type", "object");
  cJSON_AddBoolToObject(s, "additionalProperties", 0);
  cJSON *required = cJSON_CreateArray(), *properties = cJSON_AddObjectToObject(s, "properties");
  int index = -1;
  for (const struct key_def *key; (key = schema_next_below(schema, prefix, &index));) {
    cJSON_AddItemToObject(properties, key_leaf(key), key_schema(schema, key, is_partial));
    if (is_needed(key) && !is_partial)
      cJSON_AddItemToArray(required, cJSON_CreateString(key_leaf(key)));
  }
  cJSON_AddItemToObject(s, "required", required);
}

static cJSON *section_schema(const struct schema *schema, const char *prefix, int is_partial) {
  cJSON *s = cJSON_CreateObject();
  fill_section(s, schema, prefix, is_partial);
  return s;
}

// What a file that extends no other must have: keys that are needed, not null, and those of its sections.
// NULL: nothing.
static cJSON *needs(const struct schema *schema, const char *prefix) {
  cJSON *s = cJSON_CreateObject(), *required = cJSON_CreateArray(), *properties = cJSON_CreateObject();
  int index = -1;
  for (const struct key_def *key; (key = schema_next_below(schema, prefix, &index));) {
    cJSON *below = key->accepts & AS_SECTION ? needs(schema, key->path) : NULL;
    if (is_needed(key)) {
      cJSON_AddItemToArray(required, cJSON_CreateString(key_leaf(key)));
      if (!below)
        below = cJSON_CreateObject();
      cJSON_AddItemToObject(below, "not", type_schema("null"));
    }
    if (below)
      cJSON_AddItemToObject(properties, key_leaf(key), below);
  }
  if (cJSON_GetArraySize(required) == 0 && cJSON_GetArraySize(properties) == 0) {
    cJSON_Delete(s);
    cJSON_Delete(required);
    cJSON_Delete(properties);
    return NULL;
  }
  cJSON_AddItemToObject(s, "required", required);
  cJSON_AddItemToObject(s, "properties", properties);
  return s;
}

static void add_needs(const struct schema *schema, cJSON *s) {
  cJSON *whole = needs(schema, ""), *extends = cJSON_CreateObject(), *list = cJSON_CreateArray();
  if (!whole) {
    cJSON_Delete(extends);
    cJSON_Delete(list);
    return;
  }
  cJSON_AddItemToArray(list, cJSON_CreateString("extends"));
  cJSON_AddItemToObject(extends, "required", list);
  cJSON_AddItemToObject(s, "if", extends);
  cJSON_AddBoolToObject(s, "then", 1);
  cJSON_AddItemToObject(s, "else", whole);
}

enum status schema_write_json(const struct schema *schema, FILE *out, struct reason *why) {
  int is_partial = 0, index = -1;
  for (const struct key_def *key; (key = schema_next_below(schema, "", &index));)
    is_partial |= strcmp(key->path, "extends") == 0;
  cJSON *s = json_begin();
  fill_section(s, schema, "", is_partial);
  if (is_partial)
    add_needs(schema, s);
  cJSON_AddStringToObject(s, "$schema", "https://json-schema.org/draft/2020-12/schema");
  cJSON_AddStringToObject(s, "title", schema->title);
  char *text = schema->title ? json_end(s) : NULL;
  if (!schema->title)
    cJSON_Delete(s);
  if (!text)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the schema");
  fprintf(out, "%s\n", text);
  cJSON_free(text);
  return STATUS_OK;
}
