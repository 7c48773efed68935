// What is asked of a configuration by a key: a number, and the place of the key in its file.
#include "sagbend/case/case.h"
#include "sagbend/case/case_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

// ------------------------------------------------------------
// The places of keys in a file, for what is known only after it has been read.

struct config_places {
  struct loading loading;
};

struct config_places *config_places_open(const char *path, const char *const *overrides, int override_count,
                                         enum config_file_kind kind) {
  struct config_places *places = calloc(1, sizeof *places);
  struct stat found;
  if (places && stat(path, &found) == 0 && S_ISREG(found.st_mode)) { // a pipe has been read
    places->loading = (struct loading){.path = path,
                                       .overrides = overrides,
                                       .override_count = override_count,
                                       .is_dp = kind == DP_CONFIG_FILE,
                                       .is_beside = kind == DP_CONFIG_FILE};
    if (loading_parse(&places->loading) == STATUS_OK)
      return places;
  }
  config_places_close(places);
  return NULL;
}

void config_places_close(struct config_places *places) {
  if (!places)
    return;
  loading_finish(&places->loading, NULL);
  free(places);
}

static const struct node *node_of(const struct config_places *places, const char *key) {
  return tree_find(places->loading.tree.root, key);
}

int config_place_is_given(const struct config_places *places, const char *key) {
  const struct node *node = places ? node_of(places, key) : NULL;
  return node && !node_is_null(node);
}

struct config_place config_place_of(const struct config_places *places, const char *key) {
  struct config_place out = {.is_withheld = 0};
  char path[256];
  if (!places)
    return out;
  snprintf(path, sizeof path, "%s", key);
  const struct node *node = node_of(places, path);
  for (char *dot; !node && (dot = strrchr(path, '.')); node = node_of(places, path))
    *dot = '\0';
  const struct position at = node ? node->at : places->loading.tree.root->at;
  snprintf(out.text, sizeof out.text, "%.150s:%d:%d", at.source ? at.source->name : places->loading.path,
           at.line, at.column);
  out.is_withheld = at.source && at.source->withheld;
  return out;
}

static int is_in_degrees(const struct node *node) {
  const char *key = NULL;
  for (; node && !key; node = node->parent) // a number in a list has the key of its list
    key = node->key;
  const size_t size = key ? strlen(key) : 0;
  return size > 4 && strcmp(key + size - 4, "_deg") == 0;
}

void config_places_turns(const struct config_places *places,
                         void (*found)(void *context, const char *key, double degrees), void *context) {
  const struct node *node = places ? places->loading.tree.root : NULL;
  while (node) {
    double degrees;
    if (node->kind == NODE_SCALAR && is_in_degrees(node) && is_number(node->text, &degrees) &&
        fabs(degrees) > 360)
      found(context, node_path(node).text, degrees);
    if (node->first) {
      node = node->first;
      continue;
    }
    while (node && !node->next)
      node = node->parent;
    node = node ? node->next : NULL;
  }
}
