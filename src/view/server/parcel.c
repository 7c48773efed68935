#include "view/server/parcel.h"

#include "sagbend/base/shown_text.h"

#include <stdlib.h>
#include <string.h>

struct parcel *parcel_create(int channel, uint64_t time_ns, const void *bytes, size_t size) {
  struct parcel *parcel = malloc(sizeof *parcel + size);
  if (!parcel)
    return NULL;
  parcel->users = 1;
  parcel->channel = channel;
  parcel->time_ns = time_ns;
  parcel->size = size;
  if (size > 0)
    memcpy(parcel->bytes, bytes, size);
  return parcel;
}

// What a browser gets as text must be UTF-8: it closes the connection otherwise.
struct parcel *parcel_create_json(const char *json) {
  char piece[SHOWN_PIECE];
  size_t size = 0;
  for (const char *at = json; *at;)
    size += text_show_next_json(&at, piece);
  struct parcel *parcel = malloc(sizeof *parcel + size);
  if (!parcel)
    return NULL;
  *parcel = (struct parcel){.users = 1, .channel = -1, .size = size};
  uint8_t *to = parcel->bytes;
  for (const char *at = json; *at;) {
    size_t length = text_show_next_json(&at, piece);
    memcpy(to, piece, length);
    to += length;
  }
  return parcel;
}

struct parcel *parcel_share(struct parcel *parcel) {
  if (parcel)
    parcel->users++;
  return parcel;
}

void parcel_drop(struct parcel *parcel) {
  if (parcel && --parcel->users == 0)
    free(parcel);
}

void parcel_replace(struct parcel **slot, struct parcel *parcel) {
  parcel_drop(*slot);
  *slot = parcel;
}

void parcel_queue_init(struct parcel_queue *queue, size_t max_messages, size_t max_bytes) {
  memset(queue, 0, sizeof *queue);
  queue->capacity = max_messages;
  queue->max_bytes = max_bytes;
}

void parcel_queue_clear(struct parcel_queue *queue) {
  struct parcel *parcel;
  while ((parcel = parcel_queue_pop(queue)))
    parcel_drop(parcel);
  free(queue->ring);
  parcel_queue_init(queue, queue->capacity, queue->max_bytes);
}

struct parcel *parcel_queue_at(const struct parcel_queue *queue, size_t index) {
  return index < queue->count ? queue->ring[(queue->first + index) % queue->allocated] : NULL;
}

struct parcel *parcel_queue_pop(struct parcel_queue *queue) {
  struct parcel *parcel = parcel_queue_at(queue, 0);
  if (!parcel)
    return NULL;
  queue->first = (queue->first + 1) % queue->allocated;
  queue->count--;
  queue->bytes -= parcel->size;
  return parcel;
}

static int grow(struct parcel_queue *queue) {
  size_t wanted = queue->allocated ? 2 * queue->allocated : 16;
  if (wanted > queue->capacity)
    wanted = queue->capacity;
  struct parcel **ring = malloc(wanted * sizeof(struct parcel *));
  if (!ring)
    return 0;
  for (size_t i = 0; i < queue->count; i++)
    ring[i] = parcel_queue_at(queue, i);
  free(queue->ring);
  queue->ring = ring;
  queue->first = 0;
  queue->allocated = wanted;
  return 1;
}

size_t parcel_queue_push(struct parcel_queue *queue, struct parcel *parcel) {
  size_t lost = 0;
  if (!parcel)
    return 0;
  while (queue->count > 0 &&
         (queue->count == queue->capacity || queue->bytes + parcel->size > queue->max_bytes)) {
    parcel_drop(parcel_queue_pop(queue));
    lost++;
  }
  if (queue->count == queue->allocated && !grow(queue)) {
    parcel_drop(parcel);
    return lost + 1;
  }
  queue->ring[(queue->first + queue->count) % queue->allocated] = parcel;
  queue->count++;
  queue->bytes += parcel->size;
  return lost;
}
