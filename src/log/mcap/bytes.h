// A growing buffer of bytes with little-endian numbers. If memory runs out, failed is set and everything put
// afterwards is ignored, so that a caller can check once at the end.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct bytes { // all zero: empty
  uint8_t *data;
  size_t size, capacity;
  int failed;
};

void bytes_put(struct bytes *bytes, const void *data, size_t size);
void bytes_put8(struct bytes *bytes, uint8_t value);
void bytes_put16(struct bytes *bytes, uint16_t value);
void bytes_put32(struct bytes *bytes, uint32_t value);
void bytes_put64(struct bytes *bytes, uint64_t value);
void bytes_put_text(struct bytes *bytes, const char *text); // length in 32 bits, then the text

// Room for size more bytes behind the content, for the caller to fill and to add to size. NULL: out of
// memory.
uint8_t *bytes_room(struct bytes *bytes, size_t size);
void bytes_free(struct bytes *bytes); // empty afterwards
