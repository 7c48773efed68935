// YAML text -> tree, from the events of libyaml, which keep the marks, tags and anchors that its document
// interface drops.
#include "sagbend/yaml/yaml.h"

#include "sagbend/base/base.h"

#include <stdarg.h>
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

// ---- Overrides ----

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
