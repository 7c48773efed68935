// YAML text -> tree, from the events of libyaml, which keep the marks, tags and anchors that its document
// interface drops.
#include "sagbend/yaml/yaml_tree.h"

#include "sagbend/base/status.h"

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

// Stores a key until its value arrives. A failure means that the text cannot be used.
static enum status take_key(struct builder *builder, const yaml_event_t *event) {
  struct position at = position_at(builder->source, event->start_mark);
  if (event->type != YAML_SCALAR_EVENT ||
      strlen((const char *)event->data.scalar.value) != event->data.scalar.length) {
    error_add(builder->errors, at, "a key expected, got %s",
              event->type == YAML_ALIAS_EVENT ? "an alias" : "something that is not plain text");
    return STATUS_BAD_INPUT;
  }

  if (event->data.scalar.tag || event->data.scalar.anchor)
    error_add(builder->errors, at, "a plain key expected, got %s",
              event->data.scalar.tag ? "a YAML tag" : "a YAML anchor");
  builder->key = strdup((const char *)event->data.scalar.value);
  builder->key_at = at;
  return builder->key ? STATUS_OK : STATUS_NO_MEMORY;
}

// Appends n to the innermost open node. A duplicate key is reported; it and its children stay outside the
// tree.
static void place(struct builder *builder, struct node *node) {
  if (builder->depth == 0) {
    builder->root = node;
    return;
  }

  struct node *parent = builder->open[builder->depth - 1];
  struct node *first = parent->kind == NODE_MAP ? tree_child(parent, builder->key) : NULL;
  if (parent->kind == NODE_MAP) {
    node->key = builder->key;
    node->key_at = builder->key_at;
    builder->key = NULL;
  }

  if (first) {
    error_add(builder->errors, node->key_at, "%s: duplicate key, first given at line %d",
              node_path(first).text, first->key_at.line);
    node->parent = parent;
  } else {
    node_append(parent, node);
  }
}

// The value of an override is still outside the tree and has no path.
static void refuse(struct builder *builder, struct node *node, const char *what) {
  struct node_path path = node_path(node);
  error_add(builder->errors, node->at, "%s%sa plain value expected, got %s", path.text,
            *path.text ? ": " : "", what);
  node->bad = 1;
}

static void refuse_tag_and_anchor(struct builder *builder, struct node *node, const void *tag,
                                  const void *anchor) {
  if (tag || anchor)
    refuse(builder, node, tag ? "a YAML tag" : "a YAML anchor");
}

static enum status take_value(struct builder *builder, const yaml_event_t *event) {
  struct position at = position_at(builder->source, event->start_mark);
  enum node_kind kind = event->type == YAML_MAPPING_START_EVENT    ? NODE_MAP
                        : event->type == YAML_SEQUENCE_START_EVENT ? NODE_LIST
                                                                   : NODE_SCALAR;
  if (builder->tree->node_count >= MOST_NODES) {
    error_add(builder->errors, at, "at most %d values expected, got more", MOST_NODES);
    return STATUS_BAD_INPUT;
  }

  struct node *node = node_new(builder->tree, kind, at);
  if (!node)
    return STATUS_NO_MEMORY;
  place(builder, node);
  switch (event->type) {
  case YAML_ALIAS_EVENT:
    node->text = strdup("");
    refuse(builder, node, "a YAML alias");
    return node->text ? STATUS_OK : STATUS_NO_MEMORY;
  case YAML_SCALAR_EVENT:
    node->text = strdup((const char *)event->data.scalar.value);
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    refuse_tag_and_anchor(builder, node, event->data.scalar.tag, event->data.scalar.anchor);
    if (node->text && strlen(node->text) != event->data.scalar.length)
      refuse(builder, node, "text with a NUL character");
    return node->text ? STATUS_OK : STATUS_NO_MEMORY;
  case YAML_SEQUENCE_START_EVENT:
    refuse_tag_and_anchor(builder, node, event->data.sequence_start.tag, event->data.sequence_start.anchor);
    break;
  default:
    refuse_tag_and_anchor(builder, node, event->data.mapping_start.tag, event->data.mapping_start.anchor);
  }

  if (builder->depth == DEEPEST) {
    error_add(builder->errors, at, "at most %d levels of nesting expected, got more", DEEPEST);
    return STATUS_BAD_INPUT;
  }

  builder->open[builder->depth++] = node;
  return STATUS_OK;
}

// A failure means that the text cannot be used.
static enum status take_event(struct builder *builder, const yaml_event_t *event) {
  switch (event->type) {
  case YAML_DOCUMENT_START_EVENT:
    if (!builder->root)
      return STATUS_OK;
    error_add(builder->errors, position_at(builder->source, event->start_mark),
              "one YAML document expected, got a second one");
    return STATUS_BAD_INPUT;
  case YAML_ALIAS_EVENT:
  case YAML_SCALAR_EVENT:
  case YAML_SEQUENCE_START_EVENT:
  case YAML_MAPPING_START_EVENT:
    if (builder->depth && builder->open[builder->depth - 1]->kind == NODE_MAP && !builder->key)
      return take_key(builder, event);
    return take_value(builder, event);
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT:
    builder->depth--;
    return STATUS_OK;
  default:
    return STATUS_OK;
  }
}

static void add_syntax_error(const struct builder *builder, const yaml_parser_t *parser, const char *text) {
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
    error_add(builder->errors, position_at(builder->source, mark),
              "UTF-8 text expected, got a binary byte (%s)",
              parser->problem ? parser->problem : "unreadable");
    return;
  }

  error_add(builder->errors, position_at(builder->source, mark), "syntax: %s%s%s",
            parser->problem ? parser->problem : "out of memory", parser->context ? " " : "",
            parser->context ? parser->context : "");
}

struct node *tree_parse(struct tree *tree, const struct source *source, const char *text, size_t size,
                        struct error_list *errors) {
  struct builder builder = {.tree = tree, .source = source, .errors = errors};
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
      add_syntax_error(&builder, &parser, text);
      break;
    }
    ended = event.type == YAML_STREAM_END_EVENT;
    going = take_event(&builder, &event) == STATUS_OK;
    yaml_event_delete(&event);
  }

  yaml_parser_delete(&parser);
  free(builder.key);
  if (!ended && errors->count == count_before)
    error_add(errors, start, "out of memory");

  return ended ? builder.root : NULL;
}
