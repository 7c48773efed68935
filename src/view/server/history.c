#include "view/server/history.h"

#include <string.h>

void history_init(struct history *h, const struct view_channel *channels, int count) {
  memset(h, 0, sizeof *h);
  h->channels = channels;
  h->count = count;
  for (int i = 0; i < count; i++)
    parcel_queue_init(&h->events[i], GATEWAY_EVENTS, GATEWAY_QUEUE_BYTES / 2);
}

void history_clear(struct history *h) {
  for (int i = 0; i < h->count; i++) {
    parcel_replace(&h->newest[i], NULL);
    parcel_queue_clear(&h->events[i]);
  }
}

void history_keep(struct history *h, struct parcel *parcel) {
  if (h->channels[parcel->channel].is_event)
    parcel_queue_push(&h->events[parcel->channel], parcel_share(parcel));
  else
    parcel_replace(&h->newest[parcel->channel], parcel_share(parcel));
}

void history_offer(const struct history *h, int channel, struct client *c, int64_t now_ms) {
  const struct parcel_queue *events = &h->events[channel];
  for (size_t i = 0; i < events->count; i++)
    client_offer(c, parcel_queue_at(events, i), 0, now_ms);
  if (h->newest[channel])
    client_offer(c, h->newest[channel], 0, now_ms);
}
