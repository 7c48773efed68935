#include "log/mcap/bytes.h"

#include "log/mcap/mcap_format.h"

#include <stdlib.h>
#include <string.h>

uint8_t *bytes_room(struct bytes *bytes, size_t size) {
  if (bytes->failed || size > SIZE_MAX / 4 - bytes->size) {
    bytes->failed = 1;
    return NULL;
  }
  if (bytes->size + size > bytes->capacity) {
    size_t capacity = bytes->capacity < 256 ? 256 : bytes->capacity;
    while (capacity < bytes->size + size)
      capacity *= 2;
    uint8_t *data = realloc(bytes->data, capacity);
    if (!data) {
      bytes->failed = 1;
      return NULL;
    }
    bytes->data = data;
    bytes->capacity = capacity;
  }
  return bytes->data + bytes->size;
}

void bytes_put(struct bytes *bytes, const void *data, size_t size) {
  uint8_t *to = bytes_room(bytes, size);
  if (!to || !size)
    return;
  memcpy(to, data, size);
  bytes->size += size;
}

void bytes_put8(struct bytes *bytes, uint8_t value) {
  bytes_put(bytes, &value, 1);
}

void bytes_put16(struct bytes *bytes, uint16_t value) {
  uint8_t at[2];
  mcap_put16(at, value);
  bytes_put(bytes, at, sizeof at);
}

void bytes_put32(struct bytes *bytes, uint32_t value) {
  uint8_t at[4];
  mcap_put32(at, value);
  bytes_put(bytes, at, sizeof at);
}

void bytes_put64(struct bytes *bytes, uint64_t value) {
  uint8_t at[8];
  mcap_put64(at, value);
  bytes_put(bytes, at, sizeof at);
}

void bytes_put_text(struct bytes *bytes, const char *text) {
  size_t size = strlen(text);
  bytes_put32(bytes, (uint32_t)size);
  bytes_put(bytes, text, size);
}

void bytes_free(struct bytes *bytes) {
  free(bytes->data);
  *bytes = (struct bytes){0};
}
