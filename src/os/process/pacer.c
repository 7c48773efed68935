#include "os/process/pacer.h"

void pacer_init(struct pacer *p, uint64_t start_ns, uint64_t period_ns) {
  *p = (struct pacer){.start_ns = start_ns, .period_ns = period_ns};
}

void pacer_restart(struct pacer *p, uint64_t start_ns, uint64_t period_ns) {
  p->start_ns = start_ns;
  p->period_ns = period_ns;
  p->slot = 0;
}

uint64_t pacer_due_ns(const struct pacer *p) {
  return p->start_ns + p->slot * p->period_ns;
}

static void skip_to(struct pacer *p, uint64_t slot) {
  p->skipped += slot - p->slot;
  p->lag_ns += (slot - p->slot) * p->period_ns;
  p->slot = slot;
}

static void miss(struct pacer *p) {
  p->misses += !p->missed;
  p->missed = 1;
}

uint64_t pacer_begin(struct pacer *p, uint64_t now_ns) {
  uint64_t due_ns = pacer_due_ns(p);
  uint64_t ready_ns = due_ns > p->idle_ns ? due_ns : p->idle_ns;
  p->missed = 0;
  if (now_ns >= due_ns + p->period_ns) {
    miss(p);
    skip_to(p, (now_ns - p->start_ns) / p->period_ns);
  }
  return now_ns > ready_ns ? now_ns - ready_ns : 0;
}

void pacer_end(struct pacer *p, uint64_t now_ns) {
  p->slot++;
  p->idle_ns = now_ns;
  if (now_ns <= pacer_due_ns(p)) // the start of the next period is the deadline of this step
    return;
  miss(p);
  skip_to(p, (now_ns - p->start_ns) / p->period_ns);
}

double pacer_lag_s(const struct pacer *p) {
  return 1e-9 * (double)p->lag_ns;
}
