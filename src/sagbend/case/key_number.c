// A number of a configuration by its key.
#include "sagbend/case/case.h"
#include "sagbend/case/case_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// "loads.0.start_s" -> "loads[].start_s", as the schema names it.
static void row_path(const char *key, char *out, size_t size) {
  size_t n = 0;
  while (*key && n + 3 < size) {
    const size_t digits = *key == '.' ? strspn(key + 1, "0123456789") : 0;
    if (digits && (key[1 + digits] == '.' || !key[1 + digits])) {
      out[n++] = '[';
      out[n++] = ']';
      key += 1 + digits;
    } else {
      out[n++] = *key++;
    }
  }
  out[n] = '\0';
}

static const struct key_def *find_row(const struct schema *schema, const char *key) {
  char path[256];
  row_path(key, path, sizeof path);
  for (int i = 0; i < schema->key_count; i++)
    if (!strcmp(schema->keys[i].path, path))
      return &schema->keys[i];
  return NULL;
}

static enum status take(const struct loading *l, const char *key, struct key_number *out,
                        struct reason *why) {
  const struct key_def *row = find_row(&l->schema, key);
  if (!row || !(row->accepts & (AS_NUMBER | AS_INTEGER)))
    return fail(why, STATUS_BAD_INPUT, "%s: a key of a number expected, got %s", key,
                row ? "one of something else" : "none");
  if (row->outside_model || schema_is_outside_model(&l->schema, key, strlen(key)))
    return fail(why, STATUS_BAD_INPUT, "%s: a key on which the steps depend expected", key);
  const struct node *node = tree_find(l->tree.root, key);
  const char *text = node && node->kind == NODE_SCALAR && !node_is_null(node) ? node->text
                     : node && node->kind != NODE_SCALAR                      ? NULL
                                                                              : row->fallback;
  if (!text || !is_number(text, &out->value))
    return fail(why, STATUS_BAD_INPUT, "%s: a number expected, got %s in this case", key,
                node ? node_found(node).text : "none");
  out->is_whole = !(row->accepts & AS_NUMBER);
  out->least = row->range == LIMITED ? row->low : row->range == ANY ? -(double)INFINITY : 0;
  out->most = row->range == LIMITED ? row->high : (double)INFINITY;
  out->unit = row->unit;
  out->doc = row->doc;
  return STATUS_OK;
}

enum status config_key_number(const struct config_request *request, const char *key, struct key_number *out,
                              struct reason *why) {
  struct loading loading = {.path = request->path,
                            .overrides = request->overrides,
                            .override_count = request->override_count,
                            .schema = config_schema(NULL)};
  struct config_draft *draft = calloc(1, MORE_DRAFT);
  enum status status = fail(why, STATUS_NO_MEMORY, "out of memory");
  if (draft)
    status = loading_read(&loading, draft) == STATUS_OK && !loading.errors.count
                 ? take(&loading, key, out, why)
                 : fail(why, STATUS_BAD_INPUT, "%s: a case without errors expected", request->path);
  free(draft);
  loading_finish(&loading, NULL);
  return status;
}
