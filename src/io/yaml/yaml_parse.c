// YAML text -> tree, from the events of libyaml, which keep the marks, tags and anchors that its document
// interface drops.
#include "io/yaml/yaml_tree.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { DEEPEST = 32, MOST_NODES = 10000 };

struct builder {
  struct tree *tree;
  const struct source *source;
  struct error_list *errors;
  struct node *root;
  struct node *open[DEEPEST]; // mappings and lists not yet closed
  int depth;
  char *key; // key of the next value of the innermost mapping
  struct position key_at;
};

static struct position position_at(const struct source *source, yaml_mark_t mark) {
  int offset = mark.line == 0 ? source->column_offset : 0;
  return (struct position){source, (int)mark.line + 1, (int)mark.column + 1 + offset};
}

// Stores a key until its value arrives. Returns 0 if the text cannot be used.
static int take_key(struct builder *b, const yaml_event_t *event) {
  struct position at = position_at(b->source, event->start_mark);
  if (event->type != YAML_SCALAR_EVENT ||
      strlen((const char *)event->data.scalar.value) != event->data.scalar.length) {
    error_add(b->errors, at, "a key expected, got %s",
              event->type == YAML_ALIAS_EVENT ? "an alias" : "something that is not plain text");
    return 0;
  }
  if (event->data.scalar.tag || event->data.scalar.anchor)
    error_add(b->errors, at, "a plain key expected, got %s",
              event->data.scalar.tag ? "a YAML tag" : "a YAML anchor");
  b->key = strdup((const char *)event->data.scalar.value);
  b->key_at = at;
  return b->key != NULL;
}

// Appends n to the innermost open node. A duplicate key is reported; it and its children stay outside the
// tree.
static void place(struct builder *b, struct node *n) {
  if (b->depth == 0) {
    b->root = n;
    return;
  }
  struct node *parent = b->open[b->depth - 1];
  struct node *first = parent->kind == NODE_MAP ? tree_child(parent, b->key) : NULL;
  if (parent->kind == NODE_MAP) {
    n->key = b->key;
    n->key_at = b->key_at;
    b->key = NULL;
  }
  if (first) {
    error_add(b->errors, n->key_at, "%s: duplicate key, first given at line %d", node_path(first).text,
              first->key_at.line);
    n->parent = parent;
  } else {
    node_append(parent, n);
  }
}

// The value of an override is still outside the tree and has no path.
static void refuse(struct builder *b, struct node *n, const char *what) {
  struct node_path path = node_path(n);
  error_add(b->errors, n->at, "%s%sa plain value expected, got %s", path.text, *path.text ? ": " : "", what);
  n->bad = 1;
}

static void refuse_tag_and_anchor(struct builder *b, struct node *n, const void *tag, const void *anchor) {
  if (tag || anchor)
    refuse(b, n, tag ? "a YAML tag" : "a YAML anchor");
}

static int take_value(struct builder *b, const yaml_event_t *event) {
  struct position at = position_at(b->source, event->start_mark);
  enum node_kind kind = event->type == YAML_MAPPING_START_EVENT    ? NODE_MAP
                        : event->type == YAML_SEQUENCE_START_EVENT ? NODE_LIST
                                                                   : NODE_SCALAR;
  if (b->tree->node_count >= MOST_NODES) {
    error_add(b->errors, at, "at most %d values expected", MOST_NODES);
    return 0;
  }
  struct node *n = node_new(b->tree, kind, at);
  if (!n)
    return 0;
  place(b, n);
  switch (event->type) {
  case YAML_ALIAS_EVENT:
    n->text = strdup("");
    refuse(b, n, "a YAML alias");
    return n->text != NULL;
  case YAML_SCALAR_EVENT:
    n->text = strdup((const char *)event->data.scalar.value);
    n->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    refuse_tag_and_anchor(b, n, event->data.scalar.tag, event->data.scalar.anchor);
    if (n->text && strlen(n->text) != event->data.scalar.length)
      refuse(b, n, "text with a NUL character");
    return n->text != NULL;
  case YAML_SEQUENCE_START_EVENT:
    refuse_tag_and_anchor(b, n, event->data.sequence_start.tag, event->data.sequence_start.anchor);
    break;
  default:
    refuse_tag_and_anchor(b, n, event->data.mapping_start.tag, event->data.mapping_start.anchor);
  }
  if (b->depth == DEEPEST) {
    error_add(b->errors, at, "at most %d levels of nesting expected", DEEPEST);
    return 0;
  }
  b->open[b->depth++] = n;
  return 1;
}

// Returns 0 if the text cannot be used.
static int take_event(struct builder *b, const yaml_event_t *event) {
  switch (event->type) {
  case YAML_DOCUMENT_START_EVENT:
    if (!b->root)
      return 1;
    error_add(b->errors, position_at(b->source, event->start_mark),
              "one YAML document expected, got a second one");
    return 0;
  case YAML_ALIAS_EVENT:
  case YAML_SCALAR_EVENT:
  case YAML_SEQUENCE_START_EVENT:
  case YAML_MAPPING_START_EVENT:
    if (b->depth && b->open[b->depth - 1]->kind == NODE_MAP && !b->key)
      return take_key(b, event);
    return take_value(b, event);
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT:
    b->depth--;
    return 1;
  default:
    return 1;
  }
}

static void add_syntax_error(const struct builder *b, const yaml_parser_t *parser, const char *text) {
  yaml_mark_t mark = parser->problem_mark;
  if (parser->error == YAML_READER_ERROR) { // libyaml gives only the offset
    mark = (yaml_mark_t){0};
    for (size_t i = 0; i < parser->problem_offset; i++) {
      if (text[i] == '\n') {
        mark.line++;
        mark.column = 0;
      } else if (((unsigned char)text[i] & 0xc0) != 0x80) {
        mark.column++;
      }
    }
    error_add(b->errors, position_at(b->source, mark), "UTF-8 text expected, got a binary byte (%s)",
              parser->problem ? parser->problem : "unreadable");
    return;
  }
  error_add(b->errors, position_at(b->source, mark), "syntax: %s%s%s",
            parser->problem ? parser->problem : "out of memory", parser->context ? " " : "",
            parser->context ? parser->context : "");
}

struct node *tree_parse(struct tree *tree, const struct source *source, const char *text, size_t size,
                        struct error_list *errors) {
  struct builder b = {.tree = tree, .source = source, .errors = errors};
  struct position start = {source, 1, 1 + source->column_offset};
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) {
    error_add(errors, start, "out of memory");
    return NULL;
  }
  yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
  int count_before = errors->count, going = 1, ended = 0;
  while (going && !ended) {
    yaml_event_t event;
    if (!yaml_parser_parse(&parser, &event)) {
      add_syntax_error(&b, &parser, text);
      break;
    }
    ended = event.type == YAML_STREAM_END_EVENT;
    going = take_event(&b, &event);
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&parser);
  free(b.key);
  if (!ended && errors->count == count_before)
    error_add(errors, start, "out of memory");
  return ended ? b.root : NULL;
}
