// What a client gets that subscribes late: the newest message of a channel, of events the newest 500.
#pragma once

#include "view/server/client.h"

struct history {
  const struct view_channel *channels;
  int count;
  struct parcel *newest[GATEWAY_CHANNELS];
  struct parcel_queue events[GATEWAY_CHANNELS];
};

void history_init(struct history *h, const struct view_channel *channels, int count);
void history_clear(struct history *h);
void history_keep(struct history *h, struct parcel *parcel); // shared
void history_offer(const struct history *h, int channel, struct client *c, int64_t now_ms);
