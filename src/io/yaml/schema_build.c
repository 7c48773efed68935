// Groups of rows -> one table with whole paths.
#include "io/yaml/schema.h"

#include <stdlib.h>
#include <string.h>

static char *joined_path(const char *prefix, const char *path) {
  size_t bytes = strlen(prefix) + 1 + strlen(path) + 1;
  char *whole = malloc(bytes);

  if (whole)
    snprintf(whole, bytes, "%s%s%s", prefix, *prefix ? "." : "", path);
  return whole;
}

static int is_in_item(const char *path) {
  return strstr(path, "[].") != NULL;
}

enum status schema_add(struct schema *schema, const struct key_group *group) {
  size_t count = (size_t)schema->key_count + (size_t)group->rows->count;
  struct key_def *keys = realloc(schema->keys, count * sizeof *keys);

  if (!keys)
    return STATUS_NO_MEMORY;
  schema->keys = keys;

  for (int i = 0; i < group->rows->count; i++) {
    struct key_def *key = &keys[schema->key_count];
    *key = group->rows->keys[i];
    key->path = joined_path(group->prefix, group->rows->keys[i].path);
    if (!key->path)
      return STATUS_NO_MEMORY;

    if (!is_in_item(group->rows->keys[i].path)) { // the offsets of an item's keys start at the item
      key->offset += group->offset;
      key->word_offset += group->offset;
      key->count_offset += group->offset;
    }
    if (group->all_optional) {
      key->optional = 1;
      key->fallback = NULL;
    }
    schema->key_count++;
  }

  return STATUS_OK;
}

void schema_free(struct schema *schema) {
  for (int i = 0; i < schema->key_count; i++)
    free((char *)schema->keys[i].path);
  free(schema->keys);
  *schema = (struct schema){0};
}
