// Tree -> YAML text in flow style, on one line.
#include "sagbend/yaml/yaml_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
