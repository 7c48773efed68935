// Bump allocator over one block of memory. All memory of the simulator is taken when it is created; a step
// never allocates. To size the block, lay out with a NULL block first and read used, then lay out again over
// the real one.
#pragma once

#include <stddef.h>

struct arena {
  unsigned char *block; // borrowed; NULL: the arena only measures
  size_t size;          // bytes in block
  size_t used;          // bytes taken so far; each piece is aligned to 64 bytes
};

// Starts with nothing taken. The block must be aligned to 64 bytes and outlive everything taken from it.
void arena_init(struct arena *arena, void *block, size_t size);

// Memory for count items of item_size bytes, zeroed. NULL while measuring and when the block is full;
// arena_is_overflowed distinguishes the two.
void *arena_take(struct arena *arena, size_t count, size_t item_size);

// Whether more was taken than the block holds; 0 while measuring.
int arena_is_overflowed(const struct arena *arena);
