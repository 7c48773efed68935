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

static int key_is_in_range(const struct key_def *key, double x) {
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

static void expected_number_text(const struct key_def *key, int several, char *out, size_t size) {
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
    expected_number_text(key, 0, number, sizeof number);
    add_choice(&e, number);
  }

  expected_number_text(key, 1, number, sizeof number);
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
  char *whole = malloc(strlen(prefix) + 1 + strlen(path) + 1), *at = whole;
  if (!whole)
    return NULL;
  if (*prefix) {
    at = stpcpy(whole, prefix);
    *at++ = '.';
  }
  strcpy(at, path);
  return whole;
}

static int is_in_item(const char *path) {
  return strstr(path, "[].") != NULL;
}

// The room doubles: a case has a thousand rows in eighty groups, and to copy them for each costs more than to
// read the case.
static enum status make_room(struct schema *schema, int count) {
  int room = schema->key_room ? schema->key_room : 256;
  while (room < count)
    room *= 2;
  if (room == schema->key_room)
    return STATUS_OK;
  struct key_def *keys = realloc(schema->keys, (size_t)room * sizeof *keys);
  if (!keys)
    return STATUS_NO_MEMORY;
  schema->keys = keys;
  schema->key_room = room;
  return STATUS_OK;
}

enum status schema_add(struct schema *schema, const struct key_group *group) {
  if (make_room(schema, schema->key_count + group->rows->count) != STATUS_OK)
    return STATUS_NO_MEMORY;

  for (int i = 0; i < group->rows->count; i++) {
    struct key_def *key = &schema->keys[schema->key_count];
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

// ------------------------------------------------------------
// The tree of a file -> the record that the rows describe.

static const double radians_per_degree = 3.14159265358979323846 / 180.0;

struct reading {
  const struct schema *schema;
  struct error_list *errors;
};

// Reports an error at the innermost node. The mark lets checks between keys skip what could not be read.
static enum status refuse(struct reading *reading, struct node *node, const char *expected) {
  if (!node->bad) {
    struct node_path path = node_path(node);
    error_add(reading->errors, node->at, "%s%s%s expected, got %s", path.text, *path.text ? ": " : "",
              expected, node_found(node).text);
  }

  node->bad = 1;
  return STATUS_BAD_INPUT;
}

static enum status read_number(struct reading *reading, const struct key_def *key, struct node *node,
                               double *out) {
  double x;
  if (node->bad || node->kind != NODE_SCALAR || !node->plain || !is_number(node->text, &x) ||
      !key_is_in_range(key, x)) {
    struct key_def alone = *key;
    alone.accepts = AS_NUMBER | (key->accepts & AS_INTEGER);
    return refuse(reading, node, schema_expectation(&alone).text);
  }
  *out = key->degrees ? x * radians_per_degree : x;
  return STATUS_OK;
}

static enum status read_vector(struct reading *reading, const struct key_def *key, struct node *node,
                               double *out, int stride) {
  if (node->kind != NODE_LIST || node->count != key->size)
    return refuse(reading, node, schema_expectation(key).text);
  enum status status = STATUS_OK;
  int i = 0;
  for (struct node *c = node->first; c; c = c->next, i++)
    if (read_number(reading, key, c, &out[i * stride]) != STATUS_OK)
      status = STATUS_BAD_INPUT;
  node->bad |= status != STATUS_OK;
  return status;
}

static void read_matrix(struct reading *reading, const struct key_def *key, struct node *node, double *out) {
  if (node->kind != NODE_LIST || node->count != key->size) {
    refuse(reading, node, schema_expectation(key).text);
    return;
  }

  for (int i = 0; i < key->size * key->size; i++)
    out[i] = 0;
  if ((key->accepts & AS_VECTOR) && node->first->kind == NODE_SCALAR) {
    read_vector(reading, key, node, out, key->size + 1);
    return;
  }

  struct key_def row_key = *key;
  row_key.accepts = AS_VECTOR;
  int row = 0;
  for (struct node *c = node->first; c; c = c->next, row++)
    if (read_vector(reading, &row_key, c, out + row * key->size, 1) != STATUS_OK)
      node->bad = 1;
}

// The present name of what was a key of this section; NULL: nothing was called so.
static const char *present_name(const struct schema *schema, const char *prefix, const char *key) {
  char path[256];
  snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "." : "", key);
  return former_name(schema->keys_were, path);
}

// Without memory the text keeps its former name, and is refused.
static void replace_text(char **text, const char *present) {
  char *copy = strdup(present);
  if (!copy)
    return;
  free(*text);
  *text = copy;
}

// Gives the keys of a section of a log's text the names that they have now.
static void rename_former(const struct schema *schema, const char *prefix, struct node *section) {
  for (struct node *node = section->first; node; node = node->next) {
    const char *present = present_name(schema, prefix, node->key);
    if (present && !tree_child(section, present))
      replace_text(&node->key, present);
  }
}

// Whether the node is one of the key's words; writes its number. In the text of a log it may have a former
// name.
static int is_word(const struct reading *reading, const struct key_def *key, struct node *node, void *base) {
  if (node->kind != NODE_SCALAR || node->bad)
    return 0;
  const char *present = reading->schema->has_former_names ? former_name(key->words_were, node->text) : NULL;
  if (present)
    replace_text(&node->text, present);
  for (int i = 0; key_word(key, i); i++)
    if (strcmp(key_word(key, i), node->text) == 0) {
      *(int *)((char *)base + key->word_offset) = key->word_first + i;
      return 1;
    }
  return 0;
}

static void read_text(struct reading *reading, const struct key_def *key, struct node *node, char *out) {
  int good = node->kind == NODE_SCALAR && !node->bad && *node->text &&
             strlen(node->text) < (size_t)key->size && !node_is_null(node);
  for (const char *c = good ? node->text : ""; *c; c++)
    good &= (unsigned char)*c >= 0x20 && *c != 0x7f;
  if (good)
    strcpy(out, node->text);
  else
    refuse(reading, node, schema_expectation(key).text);
}

// Refuses a value that no word of the key is, and names its present name or the nearest word. A long list of
// words stands in a page only.
static void refuse_value(struct reading *reading, const struct key_def *key, struct node *node) {
  struct expectation expected = schema_expectation(key);
  const char *given = node->kind == NODE_SCALAR ? node->text : "";
  struct nearest nearest = nearest_to(given);
  int count = 0;
  for (; (key->accepts & AS_WORD) && key_word(key, count); count++)
    nearest_try(&nearest, key_word(key, count));
  const int is_long = count > MOST_WORDS && key->accepts == AS_WORD;
  const struct nearest_hint hint = nearest_hint(&nearest);
  if (node->bad)
    return;
  if (former_name(key->words_were, given))
    error_add(reading->errors, node->at, "%s: a name in use expected, got '%s'%s", node_path(node).text,
              given, former_hint(key->words_were, given).text);
  else if (is_long)
    error_add(reading->errors, node->at, "%s: one of %d words expected, got %s%s%s %s lists them",
              node_path(node).text, count, node_found(node).text, hint.text, *hint.text ? "" : ";",
              key->listed_in ? key->listed_in : "docs/configuration-keys.md");
  else
    error_add(reading->errors, node->at, "%s: %s expected, got %s%s", node_path(node).text, expected.text,
              node_found(node).text, hint.text);
  node->bad = 1;
}

static void read_value(struct reading *reading, const struct key_def *key, struct node *node, char *base) {
  double *numbers = (double *)(void *)(base + key->offset), x;
  int *integer = (int *)(void *)(base + key->offset);
  if ((key->accepts & AS_ANY) || ((key->accepts & AS_WORD) && is_word(reading, key, node, base)))
    return;
  if (key->accepts & AS_TEXT) {
    read_text(reading, key, node, base + key->offset);
  } else if (key->accepts & AS_FLAG) {
    int yes = node->kind == NODE_SCALAR && node->plain && strcmp(node->text, "true") == 0;
    int no = node->kind == NODE_SCALAR && node->plain && strcmp(node->text, "false") == 0;
    if (yes || no)
      *integer = yes;
    else
      refuse(reading, node, schema_expectation(key).text);
  } else if (key->accepts & AS_INTEGER) {
    if (node->kind == NODE_SCALAR && node->plain && is_number(node->text, &x) && key_is_in_range(key, x) &&
        x == floor(x) && fabs(x) < 1e9)
      *integer = (int)x;
    else
      refuse(reading, node, schema_expectation(key).text);
  } else if (node->kind == NODE_LIST && (key->accepts & AS_MATRIX)) {
    read_matrix(reading, key, node, numbers);
  } else if (node->kind == NODE_LIST && (key->accepts & AS_VECTOR)) {
    read_vector(reading, key, node, numbers, 1);
  } else if ((key->accepts & AS_NUMBER) && node->kind == NODE_SCALAR && node->plain &&
             is_number(node->text, &x) && read_number(reading, key, node, &x) == STATUS_OK) {
    for (int i = 0; i < (key->accepts & AS_VECTOR ? key->size : 1); i++)
      numbers[i] = x;
  } else {
    refuse_value(reading, key, node);
  }
}

// Suggests a key of this section with a similar name, or the same key of another section.
static void refuse_unknown(struct reading *reading, const char *prefix, struct node *node) {
  const char *present = present_name(reading->schema, prefix, node->key);
  struct nearest nearest = nearest_to(node->key);
  int index = -1;
  for (const struct key_def *key; (key = schema_next_below(reading->schema, prefix, &index));)
    nearest_try(&nearest, key_leaf(key));
  for (int i = 0; i < reading->schema->key_count && !nearest.word; i++)
    if (strcmp(key_leaf(&reading->schema->keys[i]), node->key) == 0)
      nearest.word = reading->schema->keys[i].path;
  if (present)
    error_add(reading->errors, node->key_at, "%s: unknown key, its present name is %s", node_path(node).text,
              present);
  else
    error_add(reading->errors, node->key_at, "%s: unknown key%s", node_path(node).text,
              nearest_hint(&nearest).text);
  node->bad = 1;
}

static void read_section(struct reading *reading, const char *prefix, struct node *section, char *base);

static void read_items(struct reading *reading, const struct key_def *key, struct node *node, char *base) {
  if (node->kind != NODE_LIST || node->count > key->size) {
    refuse(reading, node, schema_expectation(key).text);
    return;
  }

  char prefix[128];
  snprintf(prefix, sizeof prefix, "%s[]", key->path);
  *(int *)(void *)(base + key->count_offset) = node->count;
  for (struct node *c = node->first; c; c = c->next) {
    if (c->kind == NODE_MAP)
      read_section(reading, prefix, c, base + key->offset + (size_t)c->index * key->item_size);
    else
      refuse(reading, c, "section of key: value lines");
  }
}

static void read_missing(struct reading *reading, const struct key_def *key, struct node *section,
                         char *base) {
  if (key->accepts & AS_SECTION) {
    read_section(reading, key->path, NULL, base);
  } else if (key->fallback) {
    struct node node = {.kind = NODE_SCALAR, .text = (char *)key->fallback, .plain = 1};
    struct key_def by_number = *key;
    by_number.accepts |= key->accepts & AS_VECTOR ? AS_NUMBER : 0;
    read_value(reading, &by_number, &node, base);
  }

  if (section && !key->optional && !key->fallback) {
    struct node_path path = node_path(section);
    error_add(reading->errors, section->key_at, "%s%s%s: %s expected, got nothing", path.text,
              *path.text ? "." : "", key_leaf(key), schema_expectation(key).text);
    section->bad = 1;
  }
}

// section NULL: the section is absent; only defaults are applied.
static void read_section(struct reading *reading, const char *prefix, struct node *section, char *base) {
  int index = -1;
  if (section && reading->schema->has_former_names)
    rename_former(reading->schema, prefix, section);
  for (const struct key_def *key; (key = schema_next_below(reading->schema, prefix, &index));) {
    struct node *node = section ? tree_child(section, key_leaf(key)) : NULL;
    if (node)
      node->known = 1;
    if (node && node_is_null(node) && (key->optional || key->fallback) && !node->bad)
      node = NULL; // "pipe: null" removes the section
    if (!node) {
      read_missing(reading, key, section, base);
    } else if (key->accepts & AS_SECTION) {
      if (node->kind == NODE_MAP)
        read_section(reading, key->path, node, base);
      else if (!(key->accepts & AS_WORD) || !is_word(reading, key, node, base))
        refuse_value(reading, key, node);
    } else if (key->accepts & AS_ITEMS) {
      read_items(reading, key, node, base);
    } else {
      read_value(reading, key, node, base);
    }
  }

  for (struct node *node = section ? section->first : NULL; node; node = node->next)
    if (!node->known)
      refuse_unknown(reading, prefix, node);
}

void schema_read(const struct schema *schema, struct node *root, void *record, struct error_list *errors) {
  struct reading reading = {schema, errors};
  if (root->kind == NODE_MAP)
    read_section(&reading, "", root, record);
  else
    refuse(&reading, root, "sections of key: value lines");
}
