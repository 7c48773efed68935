// YAML text -> a tree of nodes with their positions. A configuration is one document of mappings, lists and
// scalars. Anchors, aliases, tags, duplicate keys, deep nesting and oversized texts are errors.
#pragma once

#include "sagbend/yaml/error_list.h"

#include <stddef.h>

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
void node_remove(struct node *child); // from its parent; the tree still owns it

// Puts the value of "key.path=value" into the tree below tree->root. Adds errors. Sets the source's
// column_offset.
void tree_override(struct tree *tree, struct source *source, const char *text, struct error_list *errors);

// Lays the mapping over onto base: sections key by key, everything else replaced. The nodes of over move into
// base.
void tree_merge(struct node *base, struct node *over);
// The same for one node of base; removes over from its parent.
void tree_replace(struct node *below, struct node *over);

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
