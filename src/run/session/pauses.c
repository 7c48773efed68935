#include "run/session/pauses.h"

// The kept copy of the newest pause; NULL: there were too many before it.
static struct pause *kept_newest(struct pauses *p) {
  return p->count <= PAUSES_KEPT ? &p->kept[p->count - 1] : 0;
}

void pauses_begin(struct pauses *p, const struct pause *pause) {
  if (p->now)
    return;
  p->now = 1;
  p->count++;
  p->newest = *pause;
  p->newest.end_ns = 0;
  if (kept_newest(p))
    *kept_newest(p) = p->newest;
}

void pauses_end(struct pauses *p, uint64_t now_ns) {
  if (!p->now)
    return;
  p->now = 0;
  p->newest.end_ns = now_ns;
  p->over_ns += now_ns - p->newest.begin_ns;
  if (kept_newest(p))
    *kept_newest(p) = p->newest;
}

uint64_t pauses_ns(const struct pauses *p, uint64_t now_ns) {
  return p->over_ns + (p->now ? now_ns - p->newest.begin_ns : 0);
}

double pause_s(const struct pause *pause, uint64_t now_ns) {
  return 1e-9 * (double)((pause->end_ns ? pause->end_ns : now_ns) - pause->begin_ns);
}
