// A growing buffer of bytes with little-endian numbers. Running out of memory is remembered in failed; what
// is put after that is ignored.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct bytes {
  uint8_t *data;
  size_t size, capacity;
  int failed;
};

void bytes_put(struct bytes *b, const void *data, size_t size);
void bytes_put8(struct bytes *b, uint8_t v);
void bytes_put16(struct bytes *b, uint16_t v);
void bytes_put32(struct bytes *b, uint32_t v);
void bytes_put64(struct bytes *b, uint64_t v);
void bytes_put_text(struct bytes *b, const char *text); // length in 32 bits, then the text

// Room for size more bytes, to be filled by the caller; NULL without memory.
uint8_t *bytes_room(struct bytes *b, size_t size);
void bytes_free(struct bytes *b);
