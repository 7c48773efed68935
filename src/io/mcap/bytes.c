#include "io/mcap/bytes.h"

#include "io/mcap/mcap_format.h"

#include <stdlib.h>
#include <string.h>

uint8_t *bytes_room(struct bytes *b, size_t size) {
  if (b->failed || size > SIZE_MAX / 4 - b->size) {
    b->failed = 1;
    return NULL;
  }
  if (b->size + size > b->capacity) {
    size_t capacity = b->capacity < 256 ? 256 : b->capacity;
    while (capacity < b->size + size)
      capacity *= 2;
    uint8_t *data = realloc(b->data, capacity);
    if (!data) {
      b->failed = 1;
      return NULL;
    }
    b->data = data;
    b->capacity = capacity;
  }
  return b->data + b->size;
}

void bytes_put(struct bytes *b, const void *data, size_t size) {
  uint8_t *to = bytes_room(b, size);
  if (!to || !size)
    return;
  memcpy(to, data, size);
  b->size += size;
}

void bytes_put8(struct bytes *b, uint8_t v) {
  bytes_put(b, &v, 1);
}

void bytes_put16(struct bytes *b, uint16_t v) {
  uint8_t at[2];
  mcap_put16(at, v);
  bytes_put(b, at, sizeof at);
}

void bytes_put32(struct bytes *b, uint32_t v) {
  uint8_t at[4];
  mcap_put32(at, v);
  bytes_put(b, at, sizeof at);
}

void bytes_put64(struct bytes *b, uint64_t v) {
  uint8_t at[8];
  mcap_put64(at, v);
  bytes_put(b, at, sizeof at);
}

void bytes_put_text(struct bytes *b, const char *text) {
  size_t size = strlen(text);
  bytes_put32(b, (uint32_t)size);
  bytes_put(b, text, size);
}

void bytes_free(struct bytes *b) {
  free(b->data);
  *b = (struct bytes){0};
}
