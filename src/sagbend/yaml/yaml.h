// YAML as a tree: reading, merging, overrides, and the errors found on the way.
#pragma once

#include "sagbend/base/base.h"

#include <stddef.h>
#include <stdio.h>

// ------------------------------------------------------------
// Errors found while a configuration is read, collected with their positions. They leave as data, in the
// order of the text, to a sink of the caller. One sink prints them as lines: "file:line:column: error: TEXT".

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

// What stands behind the key in the text of an error, which has one of three forms:
//   KEY: X expected, got FOUND       of "X expected"; FOUND stands before the reason of "X expected: REASON"
//   and
//                                    before ", did you mean Y?"
//   KEY needs OTHER, KEY is ...      of a text that begins with "needs" or "is"
//   KEY: a sentence                  of any other text
// key "": no link to it. found NULL: the text states it itself.
struct error_text {
  char text[1024];
};
struct error_text error_text(const char *key, const char *text, const char *found);
// Whether a text is of the second form: it goes on behind the name of a key, and names nothing that was
// found.
int error_is_predicate(const char *text);

// The text in single quotes, shortened and without control characters, for an error text.
struct quoted {
  char text[96];
};
struct quoted quote(const char *text);

// ------------------------------------------------------------
// YAML text -> a tree of nodes with their positions. A configuration is one document of mappings, lists and
// scalars. Anchors, aliases, tags, duplicate keys, deep nesting and oversized texts are errors.

enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAP };

struct node {
  enum node_kind kind;
  struct node *parent, *first, *last, *next;
  struct node *allocated_before;
  char *key;              // in a mapping; NULL for an item of a list and for the root
  int index;              // position in the parent, from 0
  int count;              // number of children
  char *text;             // text of a scalar
  int plain;              // a scalar without quotes
  int bad;                // an error has been reported for it
  int known;              // the schema has its key
  struct position at;     // position of the value
  struct position key_at; // position of the key, or of the value where there is no key
};

struct tree {
  struct node *root;
  struct node *newest; // last node allocated, for tree_free
  int node_count;
};

// Reads the text. Returns NULL, after adding at least one error, if the text cannot be used at all. After an
// error that leaves the rest readable (a duplicate key, a tag) reading continues. The node belongs to the
// tree.
struct node *tree_parse(struct tree *tree, const struct source *source, const char *text, size_t size,
                        struct error_list *errors);

struct node *node_new(struct tree *tree, enum node_kind kind, struct position at); // NULL: out of memory
void node_append(struct node *parent, struct node *child);

// Puts the value of "key.path=value" into the tree below tree->root. Adds errors. Sets the source's
// column_offset.
void tree_override(struct tree *tree, struct source *source, const char *text, struct error_list *errors);

// Lays the mapping over onto base: sections key by key, everything else replaced. The nodes of over move into
// base.
void tree_merge(struct node *base, struct node *over);

struct node *tree_child(const struct node *map, const char *key);
struct node *tree_find(const struct node *root, const char *path); // "loads.0.start_s"; NULL if absent
int node_is_null(const struct node *n);                            // a plain null or ~

// The FOUND of error texts: "nothing", "'heavy'", "the quoted text '5'", "a list of 3", "a section of 2".
struct found {
  char text[128];
};
struct found node_found(const struct node *n);

// "loads.0.start_s"
struct node_path {
  char text[256];
};
struct node_path node_path(const struct node *n);

// The node in YAML's flow style on one line, as the value of an override: "[1, 2]", "{kind: 'off'}". The
// caller frees it; NULL: out of memory.
char *node_flow_text(const struct node *n);

void tree_free(struct tree *tree);

// ------------------------------------------------------------
// The schema of a file: one row per key gives the reader, the checks of values, the error texts, the defaults
// and the JSON Schema.

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
  const char *listed_in; // a long list of words: page or command that lists them; NULL: the page of keys
  size_t word_offset;
  int word_first;
  size_t item_size, count_offset; // AS_ITEMS: size is the largest number of items
  enum former_kind words_were;    // former names of its words
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

struct schema {
  const char *title;
  struct key_def *keys;
  int key_count, key_room;    // rows; rows that keys has memory for
  enum former_kind keys_were; // former names of its keys; FORMER_NONE: there are none
  int has_former_names; // the text is of a log: former names of keys and words are read as the present ones
};

// Appends the rows of a group. STATUS_NO_MEMORY is the only failure. Release with schema_free.
enum status schema_add(struct schema *schema, const struct key_group *group);
void schema_free(struct schema *schema);

// Fills record from the tree. Nodes with an error are marked bad. Adds errors.
void schema_read(const struct schema *schema, struct node *root, void *record, struct error_list *errors);

// "finite number > 0", "list of 3 finite numbers"
struct expectation {
  char text[4096]; // room for the names of all quantities
};
struct expectation schema_expectation(const struct key_def *key);

// Whether a path such as "nmea.outputs.0.port", of size bytes, is a key outside the model or stands below
// one.
int schema_is_outside_model(const struct schema *schema, const char *path, size_t size);

// Iterates over the rows directly below prefix ("" for the top level); start with index -1. NULL at the end.
const struct key_def *schema_next_below(const struct schema *schema, const char *prefix, int *index);
const char *key_word(const struct key_def *key, int i); // NULL behind the last word
const char *key_leaf(const struct key_def *key);        // the last step of its path

// Whether the text is a finite decimal number and nothing else; *out is the number.
int is_number(const char *text, double *out);
