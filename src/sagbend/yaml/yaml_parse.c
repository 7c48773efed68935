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

// ------------------------------------------------------------
enum { MOST_STORED = 500, LONGEST_QUOTE = 48 };

// Removes what comes from the file: the key at the start and what was found.
static void withhold(char *text, size_t size, const char *key) {
  static const char note[] = " (its text is not shown: others may not read this file)";
  size_t skip = strncmp(text, key, strlen(key)) == 0 ? strlen(key) : 0;
  skip += strspn(text + skip, ":. ");
  memmove(text, text + skip, strlen(text + skip) + 1);
  char *got = strstr(text, "got ");
  if (got && got - text >= 2)
    got[-2] = '\0'; // and the comma before it
  size_t used = strlen(text);
  if (used > size - sizeof note)
    used = size - sizeof note;
  memcpy(text + used, note, sizeof note);
}

void error_add(struct error_list *list, struct position at, const char *format, ...) {
  int sequence = list->count++;
  if (list->stored == MOST_STORED)
    return;
  if (list->stored == list->capacity) {
    int capacity = list->capacity ? 2 * list->capacity : 16;
    struct error_item *items = realloc(list->items, (size_t)capacity * sizeof *items);
    if (!items)
      return;
    list->items = items;
    list->capacity = capacity;
  }

  char text[4608];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (at.source && at.source->withheld) {
    va_start(args, format);
    withhold(text, sizeof text, strncmp(format, "%s", 2) ? "" : va_arg(args, const char *));
    va_end(args);
  }

  char line[sizeof text];
  text_show(text, line, sizeof line);
  char *copy = strdup(line);
  if (copy)
    list->items[list->stored++] = (struct error_item){.at = at, .sequence = sequence, .text = copy};
}

static int by_position(const void *left, const void *right) {
  const struct error_item *a = left, *b = right;
  const int first = a->at.source ? a->at.source->order : -1, second = b->at.source ? b->at.source->order : -1;
  if (first != second)
    return first < second ? -1 : 1;
  if (a->at.line != b->at.line)
    return a->at.line < b->at.line ? -1 : 1;
  if (a->at.column != b->at.column)
    return a->at.column < b->at.column ? -1 : 1;
  return a->sequence < b->sequence ? -1 : 1;
}

int error_is_predicate(const char *text) {
  return !strncmp(text, "needs ", 6) || !strncmp(text, "is ", 3);
}

// Of "KEY: text" and "KEY needs OTHER", where a key contains no blank.
static int key_bytes_of(const char *text) {
  const size_t length = strcspn(text, ": ");
  const char *behind = text + length;
  const int is_key = (behind[0] == ':' && behind[1] == ' ') || !strncmp(behind, " needs ", 7) ||
                     !strncmp(behind, " is not allowed ", 16);
  return is_key ? (int)length : 0;
}

// "FILE:LINE:COLUMN" into its parts; without both numbers all of it is the file.
static void read_place(char *place, struct error_report *out) {
  char *column = strrchr(place, ':'), *line = NULL;
  out->file = place;
  if (!column || column[1 + strspn(column + 1, "0123456789")] || !column[1])
    return;
  *column = '\0';
  line = strrchr(place, ':');
  if (!line || line[1 + strspn(line + 1, "0123456789")] || !line[1]) {
    *column = ':';
    return;
  }
  *line = '\0';
  out->line = atoi(line + 1);
  out->column = atoi(column + 1);
}

static void pass(const struct error_sink *sink, struct error_report report) {
  report.key_bytes = key_bytes_of(report.text);
  sink->take(sink->context, &report);
}

static void pass_at(const struct error_sink *sink, const char *place, const char *text,
                    const char *override) {
  struct error_report report = {.text = text, .override = override};
  char *copy = strdup(place);
  if (copy)
    read_place(copy, &report);
  pass(sink, report);
  free(copy);
}

void error_pass(const struct error_sink *sink, const char *place, const char *format, ...) {
  char text[4608];
  va_list args;
  if (!sink || !sink->take)
    return;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  pass_at(sink, place, text, NULL);
}

static void pass_item(const struct error_sink *sink, const struct error_item *item) {
  const struct source *source = item->at.source;
  if (source && source->place)
    pass_at(sink, source->place, item->text, source->override);
  else
    pass(sink, (struct error_report){.file = source ? source->name : NULL,
                                     .line = source ? item->at.line : 0,
                                     .column = source ? item->at.column : 0,
                                     .text = item->text,
                                     .override = source ? source->override : NULL});
}

void error_deliver(struct error_list *list, const struct error_sink *sink) {
  char more[64];
  if (!sink || !sink->take)
    return;
  if (list->stored > 1)
    qsort(list->items, (size_t)list->stored, sizeof *list->items, by_position);
  for (int i = 0; i < list->stored; i++)
    pass_item(sink, &list->items[i]);
  snprintf(more, sizeof more, "and %d more errors", list->count - list->stored);
  if (list->count > list->stored)
    pass(sink, (struct error_report){.text = more, .more = list->count - list->stored});
}

static void print(void *context, const struct error_report *e) {
  FILE *out = context;
  if (e->file && e->line)
    fprintf(out, "%s:%d:%d: ", shown(e->file).text, e->line, e->column);
  else if (e->file)
    fprintf(out, "%s: ", shown(e->file).text);
  fprintf(out, "%s%s", e->more ? "" : "error: ", e->text);
  if (e->override)
    fprintf(out, " (in %s)", quote(e->override).text);
  fputc('\n', out);
}

struct error_sink error_to(FILE *out) {
  return (struct error_sink){.take = out ? print : NULL, .context = out};
}

struct error_text error_text(const char *key, const char *text, const char *found) {
  static const char word[] = " expected";
  struct error_text out;
  const char *link = !*key ? "" : error_is_predicate(text) ? " " : ": ";
  const char *at = found ? strstr(text, word) : NULL, *end = at ? at + sizeof word - 1 : text;
  if (!at)
    snprintf(out.text, sizeof out.text, "%s%s", link, text);
  else if (*end == ':' || !strncmp(end, ", did you mean ", 15))
    snprintf(out.text, sizeof out.text, "%s%.*s, got %s%s", link, (int)(end - text), text, found, end);
  else
    snprintf(out.text, sizeof out.text, "%s%s, got %s", link, text, found);
  return out;
}

void error_list_free(struct error_list *list) {
  for (int i = 0; i < list->stored; i++)
    free(list->items[i].text);
  free(list->items);
  *list = (struct error_list){0};
}

struct quoted quote(const char *text) {
  struct quoted quoted;
  size_t used = 0;
  quoted.text[used++] = '\'';
  while (*text) {
    char piece[SHOWN_PIECE];
    size_t length = text_show_next(&text, piece);
    if (used + length > LONGEST_QUOTE) {
      memcpy(quoted.text + used, "...", 3);
      used += 3;
      break;
    }
    memcpy(quoted.text + used, piece, length);
    used += length;
  }
  quoted.text[used++] = '\'';
  quoted.text[used] = '\0';
  return quoted;
}
