// The schema table: one row per key makes the reader, the checks, the messages, the defaults and the JSON
// Schema.
#pragma once

#include "io/yaml/yaml_tree.h"

// What a key accepts; several may be or-ed.
enum {
  AS_SECTION = 1 << 0, // a mapping; its keys are the rows below it
  AS_ITEMS = 1 << 1,   // a list of mappings; their keys are the rows "path[].key"
  AS_NUMBER = 1 << 2,  // double; where AS_VECTOR is accepted too, all size numbers get it
  AS_VECTOR = 1 << 3,  // size doubles; where AS_MATRIX is accepted too, the diagonal
  AS_MATRIX = 1 << 4,  // size x size doubles, row by row
  AS_INTEGER = 1 << 5, // int
  AS_FLAG = 1 << 6,    // true or false, int
  AS_WORD = 1 << 7,    // one of words, the int at word_offset becomes its place (from word_first) in the list
  AS_TEXT = 1 << 8     // char[size]
};

enum range { ANY, POSITIVE, NOT_NEGATIVE, LIMITED };

enum { MOST_WORDS = 8 };

struct key_def {
  const char *path;
  unsigned accepts;
  int size;
  enum range range;     // of every number
  double low, high;     // LIMITED, both included
  int optional;         // may be absent, and there is no fallback
  int degrees;          // in the text; stored in radians
  const char *fallback; // the value of an absent key, as it would be written
  size_t offset;        // in the record being filled; below AS_ITEMS, in the item
  const char *words[MOST_WORDS];
  const char *(*word_at)(int); // in place of words, for a list of word_count that is elsewhere
  int word_count;
  size_t word_offset;
  int word_first;
  size_t item_size, count_offset; // AS_ITEMS: size is the most that fit
  const char *unit;
  const char *doc;
};

struct schema {
  const char *title;
  const struct key_def *keys;
  int key_count;
};

// Fills record from the tree by the table; nodes with an error are marked bad. Adds errors.
void schema_read(const struct schema *schema, struct node *root, void *record, struct error_list *errors);

// "finite number > 0", "list of 3 finite numbers"
struct expectation {
  char text[3072]; // room for the names of all quantities
};
struct expectation schema_expectation(const struct key_def *key);

void schema_write_json(const struct schema *schema, FILE *out);

// Iterates over the rows directly below prefix ("" for the top level); start with index -1.
const struct key_def *schema_next_below(const struct schema *schema, const char *prefix, int *index);
const char *key_word(const struct key_def *key, int i); // NULL: there are no more
const char *key_leaf(const struct key_def *key);        // the last step of its path
int key_in_range(const struct key_def *key, double x);

int parse_number(const char *text,
                 double *out); // a plain decimal number and nothing else, finite; 0: it is not
