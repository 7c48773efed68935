// Errors found while a configuration is read, collected with their positions and printed in the order of the
// text. The form of a line: "file:line:column: error: KEY: EXPECTED expected, got FOUND".
#pragma once

#include <stdio.h>

// Source of a text: the main file (order 0), a file that it refers to (order < 0) or the i-th override
// (order i, from 1).
struct source {
  const char *name;     // printed before line:column
  const char *path;     // of a file that is referred to, from the main file's folder; NULL otherwise
  int order;            // errors are printed by source in this order
  int column_offset;    // number of columns before the first character of the text
  const char *override; // the whole text of an override; NULL for a file
  const char *place;    // of an override that stands in a file: "plan.yaml:3:9"; NULL: on the command line
  int withheld;         // others may not read the file: errors do not quote its text
};

struct position {
  const struct source *source;
  int line, column; // from 1
};

struct error_item {
  struct position at;
  int sequence; // order in which it was found
  char *text;
};

struct error_list {
  struct error_item *items;
  int count;  // number found
  int stored; // number kept for printing: the first few hundred
  int capacity;
};

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void error_add(struct error_list *list, struct position at, const char *format, ...);
void error_print(struct error_list *list,
                 FILE *out); // sorted, one line each: source:line:column: error: text
void error_list_free(struct error_list *list);

// The text in single quotes, shortened and without control characters, for an error text.
struct quoted {
  char text[96];
};
struct quoted quote(const char *text);
