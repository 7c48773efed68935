#include "sagbend/case/config_loading.h"

#include "sagbend/case/config_sections.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST_EXTENDS = 8 };

struct position loading_start(const struct loading *loading) {
  return (struct position){&loading->file, 1, 1};
}

static struct node *parse(struct loading *loading, const struct source *source, const char *text, size_t size,
                          int depth);

// The tree of the file that the node extends names; NULL after an error.
static struct node *parse_extended(struct loading *loading, const struct node *extends, int depth) {
  if (depth == DEEPEST_EXTENDS) {
    error_add(
        &loading->errors, extends->at,
        "extends: at most %d files that extend one another expected, got more (does one extend itself?)",
        DEEPEST_EXTENDS);
    return NULL;
  }

  const struct source *source;
  const struct config_file *file = config_files_take(&loading->beside, extends->at, extends->text,
                                                     LARGEST_CONFIG, &source, &loading->errors);
  struct node *root = file ? parse(loading, source, file->text, file->size, depth + 1) : NULL;
  if (root && root->kind != NODE_MAP)
    error_add(&loading->errors, root->at, "sections of key: value lines expected, got %s",
              node_found(root).text);
  return root && root->kind == NODE_MAP ? root : NULL;
}

// The text as a tree, laid over the one that it extends.
static struct node *parse(struct loading *loading, const struct source *source, const char *text, size_t size,
                          int depth) {
  int errors_before = loading->errors.count;
  struct node *root = tree_parse(&loading->tree, source, text, size, &loading->errors);

  if (!root && loading->errors.count == errors_before)
    error_add(&loading->errors, (struct position){source, 1, 1},
              "sections of key: value lines expected, got nothing");

  const struct node *extends = root ? tree_child(root, "extends") : NULL;
  if (!extends || extends->bad || extends->kind != NODE_SCALAR || !*extends->text || node_is_null(extends))
    return root; // none, or one that the schema refuses

  struct node *base = parse_extended(loading, extends, depth);
  if (!base)
    return NULL;
  tree_merge(base, root);
  base->at = root->at;
  base->key_at = root->key_at;
  return base;
}

static void override_all(struct loading *loading) {
  for (int i = 0; i < loading->override_count; i++) {
    struct source *source = &loading->override_sources[i];
    const char *override = loading->overrides[i];

    *source = (struct source){.name = "--set",
                              .order = i + 1,
                              .override = override,
                              .place = loading->override_places ? loading->override_places[i] : NULL};
    if (strncmp(override, "extends=", 8) == 0) {
      error_add(&loading->errors, (struct position){source, 1, 1},
                "extends: nothing expected in an override, got a path");
    } else {
      tree_override(&loading->tree, source, override, &loading->errors);
    }
  }
}

static int is_top_key(const struct schema *schema, const char *key) {
  int index = -1;
  for (const struct key_def *row; (row = schema_next_below(schema, "", &index));)
    if (!strcmp(row->path, key))
      return 1;
  return 0;
}

// Whether the file is of the other kind: it has a key that only that kind has, and none that only this one
// has. Then one error says so, in place of one for each key.
static int is_of_other_kind(struct loading *loading) {
  const char *found = NULL;
  struct position at = {0};
  const struct node *root = loading->tree.root;
  for (const struct node *n = root->kind == NODE_MAP ? root->first : NULL; n && !found; n = n->next)
    if (n->key && !is_top_key(&loading->schema, n->key))
      found = n->key, at = n->key_at;
  if (!found)
    return 0;
  struct schema other = loading->is_dp ? config_schema(NULL) : dp_schema();
  int theirs = 0, ours = 0;
  for (const struct node *n = root->first; n && other.keys; n = n->next) {
    int is_ours = is_top_key(&loading->schema, n->key), is_theirs = is_top_key(&other, n->key);
    if (is_theirs && !is_ours && !theirs++)
      found = n->key, at = n->key_at;
    ours += is_ours && !is_theirs;
  }
  schema_free(&other);
  if (!theirs || ours)
    return 0;
  error_add(
      &loading->errors, at,
      loading->is_dp
          ? "a DP file expected, got a case (it has %s): 'sagbend run' runs it, 'sagbend check' checks it"
          : "a case expected, got a DP file (it has %s): name it in controller.dp_file of a case, or give it "
            "to "
            "sagbend-dp; 'sagbend check --dp' checks it",
      found);
  return 1;
}

enum status loading_read(struct loading *loading, void *record) {
  loading->file = (struct source){.name = loading->path};
  loading->beside.main_path = loading->path;
  loading->override_sources = calloc((size_t)(loading->override_count > 0 ? loading->override_count : 1),
                                     sizeof *loading->override_sources);
  if (!loading->override_sources || !loading->schema.keys) {
    error_add(&loading->errors, loading_start(loading), "out of memory");
    return STATUS_NO_MEMORY;
  }

  if (!loading->from_memory)
    loading->text =
        config_files_read(loading->path, LARGEST_CONFIG, &loading->text_size, loading_start(loading),
                          loading->is_beside ? &loading->file : NULL, &loading->errors);
  if (!loading->text)
    return STATUS_BAD_INPUT;
  loading->tree.root = parse(loading, &loading->file, loading->text, loading->text_size, 0);
  if (!loading->tree.root)
    return STATUS_BAD_INPUT;

  if (is_of_other_kind(loading))
    return STATUS_BAD_INPUT;
  override_all(loading);
  schema_read(&loading->schema, loading->tree.root, record, &loading->errors);
  return loading->tree.root->kind == NODE_MAP ? STATUS_OK : STATUS_BAD_INPUT;
}

enum status loading_finish(struct loading *loading, const struct error_sink *errors) {
  enum status status = loading->errors.count > 0 ? STATUS_BAD_INPUT : STATUS_OK;

  error_deliver(&loading->errors, errors);
  error_list_free(&loading->errors);
  tree_free(&loading->tree);
  schema_free(&loading->schema);
  for (int i = 0; i < MAX_CONFIG_FILES; i++)
    free((char *)loading->beside.sources[i].name);
  config_files_free(&loading->beside.files);
  free(loading->override_sources);
  free(loading->text);
  return status;
}
