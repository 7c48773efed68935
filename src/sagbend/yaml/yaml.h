// The schema of a file: one row per key gives the reader, the checks of values, the error texts, the defaults
// and the JSON Schema.
#pragma once

#include "sagbend/yaml/yaml_tree.h"

#include "sagbend/base/status.h"

// What a key accepts; several may be or-ed.
enum {
  AS_SECTION = 1 << 0, // a mapping; its keys are the rows below it
  AS_ITEMS = 1 << 1,   // a list of mappings; their keys are the rows "path[].key"
  AS_NUMBER = 1 << 2,  // double; where AS_VECTOR is accepted too, it sets all size numbers
  AS_VECTOR = 1 << 3,  // size doubles; where AS_MATRIX is accepted too, the diagonal
  AS_MATRIX = 1 << 4,  // size x size doubles, row by row
  AS_INTEGER = 1 << 5, // int
  AS_FLAG = 1 << 6,    // true or false, int
  AS_WORD = 1 << 7,    // one of words; its index in the list, plus word_first, goes to the int at word_offset
  AS_TEXT = 1 << 8,    // char[size]
  AS_ANY = 1 << 9      // anything; the caller reads the node
};

enum range { ANY, POSITIVE, NOT_NEGATIVE, LIMITED };

enum { MOST_WORDS = 8 };

struct key_def {
  const char *path; // dots between levels, "[]" behind a list: "loads[].start_s"
  unsigned accepts;
  int size;
  enum range range;     // of every number
  double low, high;     // LIMITED, both included
  int optional;         // may be absent, and there is no default
  int degrees;          // degrees in the text, stored in radians
  int outside_model;    // no step depends on it, nor on the keys below it
  const char *fallback; // default: the value of an absent key, as it would be written
  size_t offset;        // in the record being filled; below AS_ITEMS, in the item
  const char *words[MOST_WORDS];
  const char *(*word_at)(int); // in place of words, for a list of word_count that another room owns
  int word_count;
  size_t word_offset;
  int word_first;
  size_t item_size, count_offset; // AS_ITEMS: size is the largest number of items
  const char *unit;
  const char
      *doc;      // stands alone as a tooltip: a noun first, unit and sign conventions, what the default means
  size_t parent; // bytes of the path before its last dot, 0 at the top level; set by schema_add
};

// Where the value of a row goes: a member of a record, a word of one, a list of items and its count.
#define IN(record, member)      .offset = offsetof(struct record, member)
#define WORD_IN(record, member) .word_offset = offsetof(struct record, member)
#define ITEMS_IN(record, member, item, count)                                                                \
  .offset = offsetof(struct record, member), .item_size = sizeof(struct item),                               \
  .count_offset = offsetof(struct record, count)

struct key_rows {
  const struct key_def *keys;
  int count;
};
#define KEY_ROWS(keys) {keys, sizeof(keys) / sizeof *(keys)}

// Rows at a place in the schema, to which their paths and offsets are relative.
struct key_group {
  const struct key_rows *rows;
  const char *prefix; // of the paths; "" for the top level
  size_t offset;      // added to the rows' offsets
  int all_optional;   // every row may be absent and has no default
};

// A name that a key had. Errors name the present one.
struct removed_key {
  const char *path;    // as it was: "rig", "thrusters[].price"
  const char *current; // present name of the last step: "hil", "weight"
};

struct schema {
  const char *title;
  struct key_def *keys;
  int key_count;
  const struct removed_key *removed;
  int removed_count;
};

// Appends the rows of a group. STATUS_NO_MEMORY is the only failure. Release with schema_free.
enum status schema_add(struct schema *schema, const struct key_group *group);
void schema_free(struct schema *schema);

// Fills record from the tree. Nodes with an error are marked bad. Adds errors.
void schema_read(const struct schema *schema, struct node *root, void *record, struct error_list *errors);

// "finite number > 0", "list of 3 finite numbers"
struct expectation {
  char text[3584]; // room for the names of all quantities
};
struct expectation schema_expectation(const struct key_def *key);

// Whether a path such as "nmea.outputs.0.port", of size bytes, is a key outside the model or stands below
// one.
int schema_is_outside_model(const struct schema *schema, const char *path, size_t size);

// Iterates over the rows directly below prefix ("" for the top level); start with index -1. NULL at the end.
const struct key_def *schema_next_below(const struct schema *schema, const char *prefix, int *index);
const char *key_word(const struct key_def *key, int i); // NULL behind the last word
const char *key_leaf(const struct key_def *key);        // the last step of its path
int key_is_in_range(const struct key_def *key, double x);

// Whether the text is a finite decimal number and nothing else; *out is the number.
int is_number(const char *text, double *out);
