#include "core/base/arena.h"

#include <string.h>

enum { ALIGNMENT = 64 };

void arena_init(struct arena *a, void *block, size_t size) {
  a->block = block;
  a->size = size;
  a->used = 0;
}

void *arena_take(struct arena *a, size_t count, size_t item_size) {
  size_t bytes = (count * item_size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  size_t start = a->used;
  a->used += bytes;
  if (!a->block || a->used > a->size)
    return NULL;
  return memset(a->block + start, 0, bytes);
}

int arena_overflowed(const struct arena *a) {
  return a->block && a->used > a->size;
}
