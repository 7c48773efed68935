#include "run/setup/descriptors.h"

#include "sagbend/rig/host_event.h"
#include "os/process/process.h"

static const uint64_t CHECK_EVERY_NS = 20000000;
enum { CLOSE_BELOW = 16, END_BELOW = 8, OPEN_AT = 32 };

enum status descriptors_require(int needed, struct reason *why) {
  return os_ask_for_descriptors(needed, why) == STATUS_OK ? STATUS_OK : STATUS_BAD_INPUT;
}

int descriptors_check(struct descriptors *d, struct server *server) {
  uint64_t now_ns = os_now_ns();
  if (!server || now_ns - d->checked_ns < CHECK_EVERY_NS)
    return 0;

  d->checked_ns = now_ns;
  d->left = os_free_descriptors(OPEN_AT);
  if (d->closed ? d->left < OPEN_AT : d->left >= CLOSE_BELOW)
    return 0;
  server_admit(server, d->closed);
  if (!d->closed && d->left < END_BELOW) // a flood: log and checkpoints need the rest
    server_end_connections(server);
  d->closed = !d->closed;
  d->closed_count += (uint64_t)d->closed;
  return 1;
}

const char *descriptors_event(const struct descriptors *d) {
  return d->closed ? EVENT_NAME(descriptors_short) : EVENT_NAME(descriptors_again);
}

const char *descriptors_text(const struct descriptors *d) {
  return d->closed ? "fewer than 16 descriptors are left: new connections are refused until others end"
                   : "32 or more descriptors are left: new connections are accepted again";
}
