// A bump allocator over one block of memory: sized once, filled at start, never touched in a step.
// Measure with a null block (arena_init(&a, NULL, 0)), then lay out again over the real one.
#pragma once

#include <stddef.h>

struct arena {
  unsigned char *block; // NULL: only measure
  size_t size;          // bytes in block
  size_t used;          // bytes handed out, each piece aligned to 64
};

void arena_init(struct arena *a, void *block, size_t size);
void *arena_take(struct arena *a, size_t count, size_t item_size); // zeroed; NULL when measuring or when full
int arena_overflowed(const struct arena *a); // true if more was taken than the block holds
