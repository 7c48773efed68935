#include "session/descriptors.h"

#include "cli/options.h"

#include "rt/os.h"

static const uint64_t LOOK_EVERY_NS = 20000000;
enum { CLOSE_AT = 16, OPEN_AT = 32 };

int descriptors_ask(struct console *console, int needed) {
  struct reason why = {""};
  if (os_ask_for_descriptors(needed, &why) == STATUS_OK)
    return -1;
  console_line(console, "%s", why.text);
  return EXIT_USAGE;
}

int descriptors_look(struct descriptors *d, struct server *server) {
  struct reason why;
  uint64_t now_ns = os_now_ns();
  if (!server || now_ns - d->looked_ns < LOOK_EVERY_NS)
    return 0;
  d->looked_ns = now_ns;
  d->left = os_free_descriptors(OPEN_AT);
  if (d->closed ? d->left < OPEN_AT : d->left >= CLOSE_AT)
    return 0;
  if (server_admit(server, d->closed, &why) != STATUS_OK)
    return 0; // the next look tries again
  d->closed = !d->closed;
  d->closed_count += (uint64_t)d->closed;
  return 1;
}

const char *descriptors_event(const struct descriptors *d) {
  return d->closed ? "descriptors_short" : "descriptors_again";
}

const char *descriptors_text(const struct descriptors *d) {
  return d->closed ? "too few descriptors are left: no new connections until others have left"
                   : "there are descriptors again: new connections are let in";
}
