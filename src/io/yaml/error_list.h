// Errors of one reading, collected with their positions and printed in the order of the text.
#pragma once

#include <stdio.h>

// Where a text came from: a file that the main one refers to (order < 0), the main file (order 0) or the i-th
// override (order i).
struct source {
  const char *name; // what stands before line:column
  const char
      *path; // of a file that is referred to, from the main file's folder; NULL: the main file, an override
  int order; // of printing
  int column_offset;    // columns before the text's first character
  const char *override; // the override's whole text; NULL: a file
  int withheld; // others may not read the file: errors say where and what was expected, nothing of its text
};

struct position {
  const struct source *source;
  int line, column; // from 1
};

struct error_item {
  struct position at;
  int sequence; // as found
  char *text;
};

struct error_list {
  struct error_item *items;
  int count;  // found
  int stored; // kept for printing, the first few hundred
  int capacity;
};

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void error_add(struct error_list *list, struct position at, const char *format, ...);
void error_print(struct error_list *list,
                 FILE *out); // sorted, one line each: source:line:column: error: text
void error_list_free(struct error_list *list);

// text in single quotes, shortened and without control characters, for a message.
struct quoted {
  char text[96];
};
struct quoted quote(const char *text);
