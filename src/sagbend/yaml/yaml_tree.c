#include "sagbend/yaml/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node *node_new(struct tree *tree, enum node_kind kind, struct position at) {
  struct node *node = calloc(1, sizeof *node);
  if (!node)
    return NULL;
  node->kind = kind;
  node->at = node->key_at = at;
  node->allocated_before = tree->newest;
  tree->newest = node;
  tree->node_count++;
  return node;
}

void node_append(struct node *parent, struct node *child) {
  child->parent = parent;
  child->index = parent->count++;
  if (parent->last)
    parent->last->next = child;
  else
    parent->first = child;
  parent->last = child;
}

// from its parent; the tree still owns it
static void node_remove(struct node *child) {
  struct node *parent = child->parent, *before = NULL;
  if (!parent)
    return;

  for (struct node *node = parent->first; node && node != child; node = node->next)
    before = node;
  if (before)
    before->next = child->next;
  else
    parent->first = child->next;
  if (parent->last == child)
    parent->last = before;
  parent->count--;
  child->parent = child->next = NULL;
}

// Returns the node at one step of an override's path, created if it is missing; NULL after an error.
static struct node *override_step(struct tree *tree, struct node *at, const char *key, struct position key_at,
                                  struct error_list *errors) {
  if (at->kind == NODE_LIST) {
    char *end;
    long wanted = strtol(key, &end, 10);
    struct node *node = at->first;
    while (node && node->index != wanted)
      node = node->next;
    if (node && end != key && !*end && key[0] != '-' && key[0] != '+')
      return node;
    error_add(errors, key_at, "%s: an index from 0 to %d expected, got %s", node_path(at).text, at->count - 1,
              quote(key).text);
    return NULL;
  }

  if (at->kind == NODE_SCALAR && node_is_null(at))
    at->kind = NODE_MAP; // an override may fill a section that the file set to null
  if (at->kind != NODE_MAP) {
    error_add(errors, key_at, "%s: a section that contains %s expected, got %s", node_path(at).text,
              quote(key).text, node_found(at).text);
    return NULL;
  }

  struct node *node = tree_child(at, key);
  if (node)
    return node;
  node = node_new(tree, NODE_MAP, key_at);
  if (!node || !(node->key = strdup(key))) {
    error_add(errors, key_at, "out of memory");
    return NULL;
  }

  node_append(at, node);
  return node;
}

static void replace_value(struct node *node, struct node *value, struct position key_at) {
  free(node->text);
  node->kind = value->kind;
  node->text = value->text;
  node->plain = value->plain;
  node->bad = value->bad;
  node->first = value->first;
  node->last = value->last;
  node->count = value->count;
  node->at = value->at;
  node->key_at = key_at;
  for (struct node *c = node->first; c; c = c->next)
    c->parent = node;
  value->text = NULL;
}

// The same for one node of base; removes over from its parent.
static void tree_replace(struct node *below, struct node *over) {
  if (below->kind == NODE_MAP && over->kind == NODE_MAP) {
    tree_merge(below, over);
    below->key_at = over->key_at;
  } else {
    replace_value(below, over, over->key_at);
  }
  node_remove(over);
}

void tree_merge(struct node *base, struct node *over) {
  while (over->first) {
    struct node *child = over->first, *below = tree_child(base, child->key);

    if (below) {
      tree_replace(below, child);
    } else {
      node_remove(child);
      node_append(base, child);
    }
  }
}

void tree_override(struct tree *tree, struct source *source, const char *text, struct error_list *errors) {
  struct position start = {source, 1, 1};
  size_t key_size = strcspn(text, "=");
  for (const char *c = text; *c; c++)
    if ((unsigned char)*c < 0x20) {
      error_add(errors, (struct position){source, 1, (int)(c - text) + 1},
                "one line without control characters expected, got byte 0x%02x", (unsigned char)*c);
      return;
    }
  if (!text[key_size] || key_size == 0 || strspn(text, " ") > 0) {
    error_add(errors, start, "KEY=VALUE expected, got %s", quote(text).text);
    return;
  }

  source->column_offset = (int)key_size + 1; // of the value; keys are counted from the start
  const char *value_text = text + key_size + 1;
  int count_before = errors->count;
  struct node *value = tree_parse(tree, source, value_text, strlen(value_text), errors);
  if (!value && errors->count == count_before) { // nothing after the "="
    value = node_new(tree, NODE_SCALAR, (struct position){source, 1, (int)key_size + 2});
    if (value && (value->text = strdup("")))
      value->plain = 1;
    else
      value = NULL;
  }

  struct node *node = tree->root;
  char *path = strndup(text, key_size);
  if ((!value || !path) && errors->count == count_before)
    error_add(errors, start, "out of memory");
  for (char *step = path; step && node && value;) {
    struct position key_at = {source, 1, (int)(step - path) + 1};
    char *dot = strchr(step, '.');
    if (dot)
      *dot = '\0';
    node = override_step(tree, node, step, key_at, errors);
    step = dot ? dot + 1 : NULL;
    if (node && !step)
      replace_value(node, value, key_at);
  }

  free(path);
}

struct node *tree_child(const struct node *map, const char *key) {
  if (map->kind != NODE_MAP)
    return NULL;
  struct node *node = map->first;
  while (node && strcmp(node->key, key) != 0)
    node = node->next;
  return node;
}

struct node *tree_find(const struct node *root, const char *path) {
  const struct node *node = root;
  char step[128];
  while (node && *path) {
    size_t size = strcspn(path, ".");
    if (size >= sizeof step)
      return NULL;
    memcpy(step, path, size);
    step[size] = '\0';
    path += size + (path[size] == '.');
    if (node->kind == NODE_LIST) {
      long wanted = strtol(step, NULL, 10);
      for (node = node->first; node && node->index != wanted;)
        node = node->next;
    } else {
      node = tree_child(node, step);
    }
  }

  return (struct node *)node;
}

int node_is_null(const struct node *node) {
  return node->kind == NODE_SCALAR && node->plain &&
         (!strcmp(node->text, "null") || !strcmp(node->text, "~"));
}

struct found node_found(const struct node *node) {
  struct found found;

  if (!node)
    snprintf(found.text, sizeof found.text, "nothing");
  else if (node->kind == NODE_SCALAR)
    snprintf(found.text, sizeof found.text, "%s%s", node->plain ? "" : "the quoted text ",
             quote(node->text).text);
  else
    snprintf(found.text, sizeof found.text, "%s of %d", node->kind == NODE_MAP ? "a section" : "a list",
             node->count);
  return found;
}

struct node_path node_path(const struct node *node) {
  struct node_path path;
  size_t start = sizeof path.text - 1;
  path.text[start] = '\0';
  for (; node && node->parent; node = node->parent) {
    char number[16];
    snprintf(number, sizeof number, "%d", node->index);
    const char *step = node->key ? node->key : number;
    size_t size = strlen(step), dot = path.text[start] ? 1 : 0;
    if (size + dot > start)
      break;
    if (dot)
      path.text[--start] = '.';
    start -= size;
    for (size_t i = 0; i < size; i++)
      path.text[start + i] = (unsigned char)step[i] < 0x20 ? '?' : step[i];
  }

  memmove(path.text, path.text + start, sizeof path.text - start);
  return path;
}

void tree_free(struct tree *tree) {
  for (struct node *node = tree->newest; node;) {
    struct node *before = node->allocated_before;
    free(node->key);
    free(node->text);
    free(node);
    node = before;
  }
  *tree = (struct tree){0};
}

// ------------------------------------------------------------
// Tree -> YAML text in flow style, on one line.

static void put_quoted(FILE *out, const char *text) {
  fputc('"', out);
  for (const char *c = text; *c; c++) {
    if ((unsigned char)*c < 0x20 || *c == 0x7f)
      fprintf(out, "\\x%02x", (unsigned char)*c);
    else if (*c == '"' || *c == '\\')
      fprintf(out, "\\%c", *c);
    else
      fputc(*c, out);
  }
  fputc('"', out);
}

// Whether a text without quotes stays the same text in flow style. Others get quotes, which no number, flag
// or null needs.
static int is_safe_plain(const char *text) {
  static const char characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-/~ ";
  return strspn(text, characters) == strlen(text) && strncmp(text, "- ", 2) != 0 && strcmp(text, "-") != 0;
}

static void put(FILE *out, const struct node *node) {
  if (node->kind == NODE_SCALAR) {
    if (node->plain && is_safe_plain(node->text))
      fputs(node->text, out);
    else
      put_quoted(out, node->text);
    return;
  }

  int is_map = node->kind == NODE_MAP;
  fputc(is_map ? '{' : '[', out);
  for (const struct node *child = node->first; child; child = child->next) {
    if (child != node->first)
      fputs(", ", out);
    if (is_map) {
      if (is_safe_plain(child->key))
        fputs(child->key, out);
      else
        put_quoted(out, child->key);
      fputs(": ", out);
    }
    put(out, child);
  }
  fputc(is_map ? '}' : ']', out);
}

char *node_flow_text(const struct node *node) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return NULL;
  put(out, node);
  if (fclose(out) == 0)
    return text;
  free(text);
  return NULL;
}
