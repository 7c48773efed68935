// Closing the publishing socket after its subscribers have received what is queued.
#include "io/net/publisher_parts.h"

#include <sodium.h>
#include <stdlib.h>
#include <unistd.h>

static void linger(struct publisher *publisher, int linger_ms) {
  struct lingering all[PUBLISHER_SUBSCRIBERS];
  int count = 0;
  for (int i = 0; i < PUBLISHER_SUBSCRIBERS; i++)
    if (publisher->subscriber[i].file >= 0)
      all[count++] = (struct lingering){publisher->subscriber[i].file, &publisher->subscriber[i].queue};
  outbox_linger(all, count, linger_ms);
}

void publisher_guard_forget(struct publisher_guard *guard) {
  sodium_memzero(guard, sizeof *guard);
}

void publisher_close(struct publisher *publisher, int linger_ms) {
  if (!publisher)
    return;
  if (linger_ms > 0)
    linger(publisher, linger_ms);

  for (int i = 0; i < PUBLISHER_SUBSCRIBERS; i++)
    if (publisher->subscriber[i].file >= 0)
      subscriber_leave(publisher, &publisher->subscriber[i]);
  listener_close(&publisher->listener);
  if (publisher->events >= 0)
    close(publisher->events);
  publisher_guard_forget(&publisher->guard);
  free(publisher);
}
