// Former names of keys.
#include "io/yaml/schema.h"

#include <stdlib.h>
#include <string.h>

// A key in the tree that has a former name.
struct renaming {
  struct node *parent, *node;
  const char *current;
  struct error_list *errors;
};

static int is_before(struct position a, struct position b) {
  return a.line < b.line || (a.line == b.line && a.column < b.column);
}

static void refuse_both(const struct renaming *r, struct node *current) {
  int is_second = is_before(current->key_at, r->node->key_at);
  struct node *second = is_second ? r->node : current;

  error_add(r->errors, second->key_at, "%s: only one of %s and its former name %s expected, got both",
            node_path(second).text, r->current, r->node->key);
  current->bad = 1;
}

static void rename_node(const struct renaming *r) {
  struct node *current = tree_child(r->parent, r->current);
  char *name = strdup(r->current);

  if (!name) {
    error_add(r->errors, r->node->key_at, "out of memory");
    return;
  }

  if (current && current->key_at.source == r->node->key_at.source) {
    refuse_both(r, current);
    node_remove(r->node);
    free(name);
    return;
  }

  free(r->node->key);
  r->node->key = name;
  if (current) // of an earlier text
    tree_replace(current, r->node);
}

// Follows the path from a node; the last step is the former name.
static void apply(struct node *at, const char *path, const char *current, struct error_list *errors) {
  size_t size = strcspn(path, ".");
  int is_list = size > 2 && strncmp(path + size - 2, "[]", 2) == 0;
  char step[64];

  snprintf(step, sizeof step, "%.*s", (int)(is_list ? size - 2 : size), path);
  struct node *node = tree_child(at, step);
  if (!node)
    return;
  if (!path[size]) {
    struct renaming renaming = {at, node, current, errors};
    rename_node(&renaming);
  } else if (!is_list) {
    apply(node, path + size + 1, current, errors);
  } else if (node->kind == NODE_LIST) {
    for (struct node *item = node->first; item; item = item->next)
      apply(item, path + size + 1, current, errors);
  }
}

void schema_apply_aliases(const struct schema *schema, struct node *root, struct error_list *errors) {
  for (int i = 0; i < schema->alias_count; i++)
    apply(root, schema->aliases[i].path, schema->aliases[i].current, errors);
}
