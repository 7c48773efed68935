// The errors of a configuration: collected, sorted by their place, shown.
#include "sagbend/yaml/yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
