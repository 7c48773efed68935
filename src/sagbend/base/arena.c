#include "sagbend/base/arena.h"

#include <string.h>

enum { ALIGNMENT = 64 };

void arena_init(struct arena *arena, void *block, size_t size) {
  arena->block = block;
  arena->size = size;
  arena->used = 0;
}

void *arena_take(struct arena *arena, size_t count, size_t item_size) {
  size_t bytes = (count * item_size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  size_t start = arena->used;

  arena->used += bytes;
  if (!arena->block || arena->used > arena->size)
    return NULL;
  return memset(arena->block + start, 0, bytes);
}

int arena_is_overflowed(const struct arena *arena) {
  return arena->block && arena->used > arena->size;
}
