// The list of failures: room for it, identifiers and patterns.
#include "lab/sweep/failures_parts.h"

#include <stdlib.h>
#include <string.h>

const char *failure_group_name(enum failure_group group) {
  static const char *const names[] = {"without a failure", "single", "common cause", "hidden and second",
                                      "operation"};
  return names[group];
}

struct failure *failures_add(struct failures *all) {
  if (all->count == all->capacity) {
    int capacity = all->capacity ? 2 * all->capacity : 64;
    struct failure *items = realloc(all->item, (size_t)capacity * sizeof *items);
    if (!items)
      return NULL;
    all->item = items;
    all->capacity = capacity;
  }
  all->item[all->count] = (struct failure){.name_count = 0};
  return &all->item[all->count++];
}

int failures_leave_out(struct failures *all, const char *id, const char *why) {
  if (all->excluded_count == all->excluded_capacity) {
    int capacity = all->excluded_capacity ? 2 * all->excluded_capacity : 64;
    struct failure_excluded *items = realloc(all->excluded, (size_t)capacity * sizeof *items);
    if (!items)
      return 0;
    all->excluded = items;
    all->excluded_capacity = capacity;
  }
  struct failure_excluded *item = &all->excluded[all->excluded_count++];
  snprintf(item->id, sizeof item->id, "%s", id);
  snprintf(item->why, sizeof item->why, "%s", why);
  item->is_by_plan = 0;
  return 1;
}

void failures_free(struct failures *all) {
  free(all->item);
  free(all->excluded);
  *all = (struct failures){.item = NULL};
}

int failure_matches(const char *id, const char *pattern) {
  for (; *pattern && *pattern != '*'; id++, pattern++)
    if (*id != *pattern)
      return 0;
  if (!*pattern)
    return !*id;
  for (;; id++) {
    if (failure_matches(id, pattern + 1))
      return 1;
    if (!*id)
      return 0;
  }
}

int failures_exclude(struct failures *all, const char *pattern, const char *why) {
  int kept = 0, matched = 0;
  for (int i = 0; i < all->count; i++) {
    const struct failure *f = &all->item[i];
    if (f->group != FAILURE_NONE && failure_matches(f->id, pattern) && failures_leave_out(all, f->id, why)) {
      all->excluded[all->excluded_count - 1].is_by_plan = f->group != FAILURE_OPERATION;
      matched++;
    } else if (kept++ != i)
      all->item[kept - 1] = *f;
  }
  all->count = kept;
  return matched;
}

int failures_count(const struct failures *all, const char *pattern) {
  int count = 0;
  for (int i = 0; i < all->count; i++)
    count += all->item[i].group != FAILURE_NONE && failure_matches(all->item[i].id, pattern);
  return count;
}

int failures_find(const struct failures *all, const char *id) {
  for (int i = 0; i < all->count; i++)
    if (!strcmp(all->item[i].id, id))
      return i;
  return -1;
}
