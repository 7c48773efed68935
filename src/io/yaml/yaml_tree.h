// YAML text -> a tree of nodes that know their positions. Only what a configuration needs: one document of
// mappings, lists and scalars. Anchors, aliases, tags, duplicate keys, deep nesting and oversized texts are
// errors.
#pragma once

#include "io/yaml/error_list.h"

#include <stddef.h>

enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAP };

struct node {
  enum node_kind kind;
  struct node *parent, *first, *last, *next;
  struct node *allocated_before;
  char *key;              // in a mapping; NULL: item of a list, or the root
  int index;              // in the parent
  int count;              // of children
  char *text;             // of a scalar
  int plain;              // a scalar without quotes
  int bad;                // an error has been reported for it
  struct position at;     // of the value
  struct position key_at; // of the key; of the value where there is none
};

struct tree {
  struct node *root;
  struct node *newest; // of all nodes, for release
  int node_count;
};

// Reads the text; NULL (with at least one error added) if it cannot be used at all. Errors that leave the
// rest readable (a duplicate key, a tag) are added and the reading goes on. The node belongs to the tree.
struct node *tree_parse(struct tree *tree, const struct source *source, const char *text, size_t size,
                        struct error_list *errors);

struct node *node_new(struct tree *tree, enum node_kind kind, struct position at); // NULL: out of memory
void node_append(struct node *parent, struct node *child);

// Puts the value of "key.path=value" into the tree below tree->root; adds errors. Sets the source's
// column_offset.
void tree_override(struct tree *tree, struct source *source, const char *text, struct error_list *errors);

// Lays the mapping over upon base: sections key by key, everything else replaced. The nodes of over go into
// base.
void tree_merge(struct node *base, struct node *over);

struct node *tree_child(const struct node *map, const char *key);
struct node *tree_find(const struct node *root, const char *path); // "loads.0.start_s"; NULL: not there
int node_is_null(const struct node *n);                            // a plain null or ~
const char *node_kind_name(const struct node *n);                  // for messages

// "loads.0.start_s"
struct node_path {
  char text[256];
};
struct node_path node_path(const struct node *n);

void tree_free(struct tree *tree);
