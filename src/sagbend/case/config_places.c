#define _POSIX_C_SOURCE 200809L
#include "sagbend/case/config_places.h"

#include "sagbend/case/config_loading.h"
#include "sagbend/case/config_sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct config_places {
  struct loading loading;
};

struct config_places *config_places_open(const char *path, const char *const *overrides, int override_count,
                                         enum config_file_kind kind) {
  struct config_places *places = calloc(1, sizeof *places);
  const size_t size = kind == DP_CONFIG_FILE ? sizeof(struct dp_draft) : sizeof(struct config_draft);
  void *draft = calloc(1, size);
  struct stat found;
  int is_read = 0;
  if (places && draft && stat(path, &found) == 0 && S_ISREG(found.st_mode)) { // a pipe has been read
    places->loading = (struct loading){.path = path,
                                       .overrides = overrides,
                                       .override_count = override_count,
                                       .is_dp = kind == DP_CONFIG_FILE,
                                       .is_beside = kind == DP_CONFIG_FILE};
    places->loading.file = (struct source){.name = path};
    places->loading.schema = kind == DP_CONFIG_FILE ? dp_schema() : config_schema(NULL);
    is_read = loading_read(&places->loading, draft) == STATUS_OK && places->loading.tree.root;
  }
  free(draft);
  if (is_read)
    return places;
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
