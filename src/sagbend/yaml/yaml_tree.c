// The nodes of a configuration: making, finding and naming them.
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
  FILE *out = text_stream_open(&text, &size);
  if (!out)
    return NULL;
  put(out, node);
  if (fclose(out) == 0)
    return text;
  free(text);
  return NULL;
}
