// The tree of a file -> the record that the rows describe.
#include "io/yaml/schema.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double radians_per_degree = 3.14159265358979323846 / 180.0;

struct reading {
  const struct schema *schema;
  struct error_list *errors;
};

// Reports an error at the innermost node. The mark lets checks between keys skip what could not be read.
static int refuse(struct reading *r, struct node *n, const char *expected) {
  if (!n->bad) {
    struct node_path path = node_path(n);
    error_add(r->errors, n->at, "%s%s%s expected, got %s", path.text, *path.text ? ": " : "", expected,
              node_found(n).text);
  }
  n->bad = 1;
  return 0;
}

static int read_number(struct reading *r, const struct key_def *key, struct node *n, double *out) {
  double x;
  if (n->bad || n->kind != NODE_SCALAR || !n->plain || !parse_number(n->text, &x) || !key_in_range(key, x)) {
    struct key_def alone = *key;
    alone.accepts = AS_NUMBER | (key->accepts & AS_INTEGER);
    return refuse(r, n, schema_expectation(&alone).text);
  }
  *out = key->degrees ? x * radians_per_degree : x;
  return 1;
}

static int read_vector(struct reading *r, const struct key_def *key, struct node *n, double *out,
                       int stride) {
  if (n->kind != NODE_LIST || n->count != key->size)
    return refuse(r, n, schema_expectation(key).text);
  int good = 1, i = 0;
  for (struct node *c = n->first; c; c = c->next, i++)
    good &= read_number(r, key, c, &out[i * stride]);
  n->bad |= !good;
  return good;
}

static void read_matrix(struct reading *r, const struct key_def *key, struct node *n, double *out) {
  if (n->kind != NODE_LIST || n->count != key->size) {
    refuse(r, n, schema_expectation(key).text);
    return;
  }
  for (int i = 0; i < key->size * key->size; i++)
    out[i] = 0;
  if ((key->accepts & AS_VECTOR) && n->first->kind == NODE_SCALAR) {
    read_vector(r, key, n, out, key->size + 1);
    return;
  }
  struct key_def row_key = *key;
  row_key.accepts = AS_VECTOR;
  int row = 0;
  for (struct node *c = n->first; c; c = c->next, row++)
    if (!read_vector(r, &row_key, c, out + row * key->size, 1))
      n->bad = 1;
}

static int read_word(const struct key_def *key, const struct node *n, void *base) {
  if (n->kind != NODE_SCALAR || n->bad)
    return 0;
  for (int i = 0; key_word(key, i); i++)
    if (strcmp(key_word(key, i), n->text) == 0) {
      *(int *)((char *)base + key->word_offset) = key->word_first + i;
      return 1;
    }
  return 0;
}

static void read_text(struct reading *r, const struct key_def *key, struct node *n, char *out) {
  int good = n->kind == NODE_SCALAR && !n->bad && *n->text && strlen(n->text) < (size_t)key->size &&
             !node_is_null(n);
  for (const char *c = good ? n->text : ""; *c; c++)
    good &= (unsigned char)*c >= 0x20 && *c != 0x7f;
  if (good)
    strcpy(out, n->text);
  else
    refuse(r, n, schema_expectation(key).text);
}

static void read_value(struct reading *r, const struct key_def *key, struct node *n, char *base) {
  double *numbers = (double *)(void *)(base + key->offset), x;
  int *integer = (int *)(void *)(base + key->offset);
  int number_or_more = key->accepts & (AS_NUMBER | AS_VECTOR | AS_MATRIX);
  if ((key->accepts & AS_WORD) && read_word(key, n, base))
    return;
  if (key->accepts & AS_TEXT) {
    read_text(r, key, n, base + key->offset);
  } else if (key->accepts & AS_FLAG) {
    int yes = n->kind == NODE_SCALAR && n->plain && strcmp(n->text, "true") == 0;
    int no = n->kind == NODE_SCALAR && n->plain && strcmp(n->text, "false") == 0;
    if (yes || no)
      *integer = yes;
    else
      refuse(r, n, schema_expectation(key).text);
  } else if (key->accepts & AS_INTEGER) {
    if (n->kind == NODE_SCALAR && n->plain && parse_number(n->text, &x) && key_in_range(key, x) &&
        x == floor(x) && fabs(x) < 1e9)
      *integer = (int)x;
    else
      refuse(r, n, schema_expectation(key).text);
  } else if (n->kind == NODE_LIST && (key->accepts & AS_MATRIX)) {
    read_matrix(r, key, n, numbers);
  } else if (n->kind == NODE_LIST && (key->accepts & AS_VECTOR)) {
    read_vector(r, key, n, numbers, 1);
  } else if ((key->accepts & AS_NUMBER) && n->kind == NODE_SCALAR && n->plain && parse_number(n->text, &x) &&
             read_number(r, key, n, &x)) {
    for (int i = 0; i < (key->accepts & AS_VECTOR ? key->size : 1); i++)
      numbers[i] = x;
  } else {
    refuse(r, n, number_or_more || (key->accepts & AS_WORD) ? schema_expectation(key).text : "a value");
  }
}

static int edit_distance(const char *a, const char *b) {
  int row[64];
  int n = (int)strlen(b);
  if (n >= 64 || strlen(a) >= 64)
    return 64;
  for (int j = 0; j <= n; j++)
    row[j] = j;
  for (int i = 1; *a; a++, i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= n; j++) {
      int above = row[j];
      int best = diagonal + (*a != b[j - 1]);
      best = above + 1 < best ? above + 1 : best;
      row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
      diagonal = above;
    }
  }
  return row[n];
}

// Suggests a key of this section with a similar name, or the same key of another section.
static void refuse_unknown(struct reading *r, const char *prefix, struct node *n) {
  const char *nearest = NULL;
  int best = 2 + (int)strlen(n->key) / 4, index = -1; // largest edit distance of a suggestion, plus 1
  for (const struct key_def *key; (key = schema_next_below(r->schema, prefix, &index));) {
    int distance = edit_distance(n->key, key_leaf(key));
    if (distance < best ||
        (distance < 64 && strncmp(key_leaf(key), n->key, strlen(n->key)) == 0 && !nearest)) {
      best = distance;
      nearest = key_leaf(key);
    }
  }
  for (int i = 0; i < r->schema->key_count && !nearest; i++)
    if (strcmp(key_leaf(&r->schema->keys[i]), n->key) == 0)
      nearest = r->schema->keys[i].path;
  error_add(r->errors, n->key_at, "%s: unknown key%s%s%s", node_path(n).text,
            nearest ? ", did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
  n->bad = 1;
}

static void read_section(struct reading *r, const char *prefix, struct node *section, char *base);

static void read_items(struct reading *r, const struct key_def *key, struct node *n, char *base) {
  if (n->kind != NODE_LIST || n->count > key->size) {
    refuse(r, n, schema_expectation(key).text);
    return;
  }
  char prefix[128];
  snprintf(prefix, sizeof prefix, "%s[]", key->path);
  *(int *)(void *)(base + key->count_offset) = n->count;
  for (struct node *c = n->first; c; c = c->next) {
    if (c->kind == NODE_MAP)
      read_section(r, prefix, c, base + key->offset + (size_t)c->index * key->item_size);
    else
      refuse(r, c, "section of key: value lines");
  }
}

static void read_missing(struct reading *r, const struct key_def *key, struct node *section, char *base) {
  if (key->accepts & AS_SECTION) {
    read_section(r, key->path, NULL, base);
  } else if (key->fallback) {
    struct node n = {.kind = NODE_SCALAR, .text = (char *)key->fallback, .plain = 1};
    struct key_def by_number = *key;
    by_number.accepts |= key->accepts & AS_VECTOR ? AS_NUMBER : 0;
    read_value(r, &by_number, &n, base);
  }
  if (section && !key->optional && !key->fallback) {
    struct node_path path = node_path(section);
    error_add(r->errors, section->key_at, "%s%s%s: %s expected, got nothing", path.text,
              *path.text ? "." : "", key_leaf(key), schema_expectation(key).text);
    section->bad = 1;
  }
}

// section NULL: the section is absent; only defaults are applied.
static void read_section(struct reading *r, const char *prefix, struct node *section, char *base) {
  int index = -1;
  for (const struct key_def *key; (key = schema_next_below(r->schema, prefix, &index));) {
    struct node *n = section ? tree_child(section, key_leaf(key)) : NULL;
    if (n && node_is_null(n) && (key->optional || key->fallback) && !n->bad)
      n = NULL; // "pipe: null" removes the section
    if (!n) {
      read_missing(r, key, section, base);
    } else if (key->accepts & AS_SECTION) {
      if (n->kind == NODE_MAP)
        read_section(r, key->path, n, base);
      else
        refuse(r, n, schema_expectation(key).text);
    } else if (key->accepts & AS_ITEMS) {
      read_items(r, key, n, base);
    } else {
      read_value(r, key, n, base);
    }
  }
  for (struct node *n = section ? section->first : NULL; n; n = n->next) {
    int known = 0;
    index = -1;
    for (const struct key_def *key; !known && (key = schema_next_below(r->schema, prefix, &index));)
      known = strcmp(key_leaf(key), n->key) == 0;
    if (!known)
      refuse_unknown(r, prefix, n);
  }
}

void schema_read(const struct schema *schema, struct node *root, void *record, struct error_list *errors) {
  struct reading r = {schema, errors};
  if (root->kind == NODE_MAP)
    read_section(&r, "", root, record);
  else
    refuse(&r, root, "sections of key: value lines");
}
