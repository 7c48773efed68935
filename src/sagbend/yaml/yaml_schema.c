// What a row accepts: numbers, ranges, and the text of an expectation.
#include "sagbend/yaml/yaml.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// [+-] digits [. digits] [e [+-] digits] without leading zeros: every YAML reader reads the same number.
int is_number(const char *text, double *out) {
  const char *c = text + (*text == '+' || *text == '-');
  const char *whole = c;
  while (isdigit((unsigned char)*c))
    c++;
  long digits = c - whole;
  if (digits > 1 && *whole == '0')
    return 0;
  if (*c == '.') {
    const char *fraction = ++c;
    while (isdigit((unsigned char)*c))
      c++;
    digits += c - fraction;
  }

  if (digits == 0)
    return 0;
  if (*c == 'e' || *c == 'E') {
    c++;
    c += *c == '+' || *c == '-';
    if (!isdigit((unsigned char)*c))
      return 0;
    while (isdigit((unsigned char)*c))
      c++;
  }

  if (*c)
    return 0;
  errno = 0;
  *out = strtod(text, NULL);
  return errno == 0 && isfinite(*out);
}

int key_is_in_range(const struct key_def *key, double x) {
  switch (key->range) {
  case POSITIVE:
    return x > 0;
  case NOT_NEGATIVE:
    return x >= 0;
  case LIMITED:
    return x >= key->low && x <= key->high;
  default:
    return 1;
  }
}

static void number_text(const struct key_def *key, int several, char *out, size_t size) {
  const char *noun = key->accepts & AS_INTEGER ? "whole number" : "finite number";
  int used = snprintf(out, size, "%s%s", noun, several ? "s" : "");
  if (key->range == LIMITED)
    snprintf(out + used, size - (size_t)used, " from %g to %g", key->low, key->high);
  else if (key->range != ANY)
    snprintf(out + used, size - (size_t)used, key->range == POSITIVE ? " > 0" : " >= 0");
}

static void add_choice(struct expectation *e, const char *text) {
  size_t used = strlen(e->text);
  snprintf(e->text + used, sizeof e->text - used, "%s%s", used ? " or " : "", text);
}

struct expectation schema_expectation(const struct key_def *key) {
  struct expectation e = {""};
  char number[64], choice[128];
  if (key->accepts & (AS_NUMBER | AS_INTEGER)) {
    number_text(key, 0, number, sizeof number);
    add_choice(&e, number);
  }

  number_text(key, 1, number, sizeof number);
  if (key->accepts & AS_VECTOR) {
    snprintf(choice, sizeof choice, "list of %d %s", key->size, number);
    add_choice(&e, choice);
  }

  if (key->accepts & AS_MATRIX) {
    snprintf(choice, sizeof choice, "%d rows of %d %s", key->size, key->size, number);
    add_choice(&e, choice);
  }

  if (key->accepts & AS_FLAG)
    add_choice(&e, "true or false");
  if (key->accepts & AS_WORD)
    for (int i = 0; key_word(key, i); i++)
      add_choice(&e, key_word(key, i));
  if (key->accepts & AS_TEXT) {
    snprintf(choice, sizeof choice, "text of 1 to %d bytes", key->size - 1);
    add_choice(&e, choice);
  }

  if (key->accepts & AS_SECTION)
    add_choice(&e, "section of key: value lines");
  if (key->accepts & AS_ITEMS) {
    snprintf(choice, sizeof choice, "list of at most %d sections", key->size);
    add_choice(&e, choice);
  }

  if (key->accepts & AS_ANY)
    add_choice(&e, "a value");
  return e;
}

const char *key_word(const struct key_def *key, int i) {
  if (key->word_at)
    return i < key->word_count ? key->word_at(i) : NULL;
  return i < MOST_WORDS ? key->words[i] : NULL;
}

const char *key_leaf(const struct key_def *key) {
  const char *dot = strrchr(key->path, '.');
  return dot ? dot + 1 : key->path;
}

const struct key_def *schema_next_below(const struct schema *schema, const char *prefix, int *index) {
  size_t size = strlen(prefix);
  while (++*index < schema->key_count) {
    const struct key_def *key = &schema->keys[*index];
    if (key->parent == size && memcmp(key->path, prefix, size) == 0)
      return key;
  }

  return NULL;
}

// Groups of rows -> one table with whole paths.
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

    const char *last_dot = strrchr(key->path, '.');
    key->parent = last_dot ? (size_t)(last_dot - key->path) : 0;

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

// Steps along a path of a row and one of a value, in which numbers count items: "a[].b" and "a.0.b". Returns
// whether the row's ends first, at the end of a step of the other.
static int is_at_or_above(const char *row, const char *path, const char *end) {
  while (*row) {
    const size_t step = strcspn(row, ".["), other = strcspn(path, ".=");
    if (path >= end || step != other || strncmp(row, path, step) != 0)
      return 0;
    row += step;
    path += other;
    if (row[0] == '[') {
      if (*path != '.' || !isdigit((unsigned char)path[1]))
        return 0;
      path += 1 + strcspn(path + 1, ".=");
      row += 2;
    }
    row += *row == '.';
    if (!*row)
      continue;
    if (path >= end || *path != '.')
      return 0;
    path++;
  }
  return path >= end || *path == '.' || *path == '=';
}

int schema_is_outside_model(const struct schema *schema, const char *path, size_t size) {
  for (int i = 0; i < schema->key_count; i++)
    if (schema->keys[i].outside_model && is_at_or_above(schema->keys[i].path, path, path + size))
      return 1;
  return 0;
}
