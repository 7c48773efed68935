#include "view/server/header_of.h"

#include "sagbend/v1/header.pb-c.h"

#include <math.h>

// Reads a varint at *at; returns 0 at the end of the bytes.
static int take_varint(const uint8_t *bytes, size_t size, size_t *at, uint64_t *out) {
  *out = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (*at >= size)
      return 0;
    uint8_t byte = bytes[(*at)++];
    *out |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return 1;
  }
  return 0;
}

// Steps over a field of a wire type; returns 0 if it does not end within the bytes.
static int skip(const uint8_t *bytes, size_t size, size_t *at, unsigned type) {
  uint64_t count = 0;
  if (type == 0)
    return take_varint(bytes, size, at, &count);
  if (type == 2 && !take_varint(bytes, size, at, &count))
    return 0;
  count = type == 1 ? 8 : type == 5 ? 4 : count;
  if ((type != 1 && type != 2 && type != 5) || count > size - *at)
    return 0;
  *at += (size_t)count;
  return 1;
}

static void take_header(const uint8_t *bytes, size_t size, struct message_header *out) {
  Sagbend__V1__Header *h = sagbend__v1__header__unpack(NULL, size, bytes);
  if (!h)
    return;
  out->sequence = h->sequence;
  out->time_ns =
      isfinite(h->time_s) && h->time_s >= 0 && h->time_s <= 1e9 ? (uint64_t)llround(h->time_s * 1e9) : 0;
  sagbend__v1__header__free_unpacked(h, NULL);
}

void header_of(const void *data, size_t size, struct message_header *out) {
  const uint8_t *bytes = data;
  uint64_t tag, length;
  for (size_t at = 0; take_varint(bytes, size, &at, &tag);) {
    if (tag == 0x0a) { // field 1, with a length
      if (!take_varint(bytes, size, &at, &length) || length > size - at)
        return;
      take_header(bytes + at, (size_t)length, out);
      return;
    }
    if (!skip(bytes, size, &at, (unsigned)(tag & 7)))
      return;
  }
}
