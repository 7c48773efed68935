#include "io/config/config_loading.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST_EXTENDS = 8 };

struct position loading_start(const struct loading *l) {
  return (struct position){&l->file, 1, 1};
}

static struct node *parse(struct loading *l, const struct source *source, const char *text, size_t size,
                          int depth);

// The tree of the file that the node extends names; NULL after an error.
static struct node *parse_extended(struct loading *l, const struct node *extends, int depth) {
  if (depth == DEEPEST_EXTENDS) {
    error_add(
        &l->errors, extends->at,
        "extends: at most %d files that extend one another expected, got more (does one extend itself?)",
        DEEPEST_EXTENDS);
    return NULL;
  }

  const struct source *source;
  const struct config_file *file =
      config_files_take(&l->beside, extends->at, extends->text, LARGEST_CONFIG, &source, &l->errors);
  struct node *root = file ? parse(l, source, file->text, file->size, depth + 1) : NULL;
  if (root && root->kind != NODE_MAP)
    error_add(&l->errors, root->at, "sections of key: value lines expected, got %s", node_found(root).text);
  return root && root->kind == NODE_MAP ? root : NULL;
}

// The text as a tree, laid over the one that it extends.
static struct node *parse(struct loading *l, const struct source *source, const char *text, size_t size,
                          int depth) {
  int errors_before = l->errors.count;
  struct node *root = tree_parse(&l->tree, source, text, size, &l->errors);

  if (!root && l->errors.count == errors_before)
    error_add(&l->errors, (struct position){source, 1, 1},
              "sections of key: value lines expected, got nothing");
  if (root)
    schema_apply_aliases(&l->schema, root, &l->errors);

  const struct node *extends = root ? tree_child(root, "extends") : NULL;
  if (!extends || extends->bad || extends->kind != NODE_SCALAR || !*extends->text || node_is_null(extends))
    return root; // none, or one that the schema refuses

  struct node *base = parse_extended(l, extends, depth);
  if (!base)
    return NULL;
  tree_merge(base, root);
  base->at = root->at;
  base->key_at = root->key_at;
  return base;
}

static void override_all(struct loading *l) {
  for (int i = 0; i < l->override_count; i++) {
    struct source *source = &l->override_sources[i];
    const char *override = l->overrides[i];

    *source = (struct source){.name = "--set", .order = i + 1, .override = override};
    if (strncmp(override, "extends=", 8) == 0) {
      error_add(&l->errors, (struct position){source, 1, 1},
                "extends: nothing expected in an override, got a path");
    } else {
      tree_override(&l->tree, source, override, &l->errors);
      schema_apply_aliases(&l->schema, l->tree.root, &l->errors);
    }
  }
}

int loading_read(struct loading *l, void *record) {
  l->file = (struct source){.name = l->path};
  l->beside.main_path = l->path;
  l->override_sources =
      calloc((size_t)(l->override_count > 0 ? l->override_count : 1), sizeof *l->override_sources);
  if (!l->override_sources || !l->schema.keys) {
    error_add(&l->errors, loading_start(l), "out of memory");
    return 0;
  }

  if (!l->from_memory)
    l->text = config_files_read(l->path, LARGEST_CONFIG, &l->text_size, loading_start(l),
                                l->is_beside ? &l->file : NULL, &l->errors);
  if (!l->text)
    return 0;
  l->tree.root = parse(l, &l->file, l->text, l->text_size, 0);
  if (!l->tree.root)
    return 0;

  override_all(l);
  schema_read(&l->schema, l->tree.root, record, &l->errors);
  return l->tree.root->kind == NODE_MAP;
}

int loading_finish(struct loading *l, FILE *errors) {
  int count = l->errors.count;

  if (errors)
    error_print(&l->errors, errors);
  error_list_free(&l->errors);
  tree_free(&l->tree);
  schema_free(&l->schema);
  for (int i = 0; i < MAX_CONFIG_FILES; i++)
    free((char *)l->beside.sources[i].name);
  config_files_free(&l->beside.files);
  free(l->override_sources);
  free(l->text);
  return count;
}
