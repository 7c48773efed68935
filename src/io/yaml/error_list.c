#include "io/yaml/error_list.h"

#include "core/base/shown_text.h"

#include <stdarg.h>
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

  char text[4096];
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

void error_print(struct error_list *list, FILE *out) {
  if (list->stored > 1)
    qsort(list->items, (size_t)list->stored, sizeof *list->items, by_position);
  for (int i = 0; i < list->stored; i++) {
    const struct error_item *item = &list->items[i];
    if (!item->at.source)
      fprintf(out, "error: %s", item->text); // of no place in a file
    else if (item->at.source->place)
      fprintf(out, "%s: error: %s", shown(item->at.source->place).text, item->text);
    else
      fprintf(out, "%s:%d:%d: error: %s", shown(item->at.source->name).text, item->at.line, item->at.column,
              item->text);
    if (item->at.source && item->at.source->override)
      fprintf(out, " (in %s)", quote(item->at.source->override).text);
    fputc('\n', out);
  }
  if (list->count > list->stored)
    fprintf(out, "and %d more errors\n", list->count - list->stored);
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
