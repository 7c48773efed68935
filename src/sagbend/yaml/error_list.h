// Errors found while a configuration is read, collected with their positions. They leave as data, in the
// order of the text, to a sink of the caller. One sink prints them as lines: "file:line:column: error: KEY:
// EXPECTED expected, got FOUND".
#pragma once

#include <stdio.h>

// One error as data. The texts are the loader's: who keeps them copies them.
struct error_report {
  const char *file; // or "--set", of an override on the command line; NULL: of no place
  int line, column; // from 1; 0: the whole file
  int key_bytes;    // the key that the text begins with; 0: it names none
  const char *text;
  int more;             // nonzero: no error, but how many there are beyond those that were kept
  const char *override; // the whole text of the override that contains it; NULL: a file does
};

// Where errors go. take is called once for each while the file is loaded, in the order of the text.
struct error_sink {
  void (*take)(void *context, const struct error_report *error);
  void *context;
};
struct error_sink error_to(FILE *out); // prints a line for each; NULL: takes nothing

// Passes on an error of the place "FILE:LINE:COLUMN". sink NULL: nowhere.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void error_pass(const struct error_sink *sink, const char *place, const char *format, ...);

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
void error_deliver(struct error_list *list, const struct error_sink *sink); // sorted. NULL: nowhere
void error_list_free(struct error_list *list);

// The text in single quotes, shortened and without control characters, for an error text.
struct quoted {
  char text[96];
};
struct quoted quote(const char *text);
