#include "os/process/supervisor.h"

#include "os/process/process.h"

#include <inttypes.h>
#include <stdlib.h>
#include <systemd/sd-daemon.h>

enum {
  STACK_BYTES = 256 * 1024,
  LOOK_NS = 50000000,    // between two looks, at most
  STATE_NS = 1000000000, // between two state lines
  FEEDS_PER_PERIOD = 4   // of the watchdog
};

struct supervisor {
  struct pulse *pulse;
  FILE *messages;
  struct os_thread thread;
  atomic_int end;

  uint64_t look_ns, feed_ns; // feed 0: no watchdog
  atomic_int ready;
  uint64_t next_state_ns, next_feed_ns;
  uint64_t main_seen, step_seen;         // beats at the last feeding
  uint64_t main_moved_ns, step_moved_ns; // when a look last saw more of them
  uint64_t main_now, step_now;           // beats at the last look
  const char *hanging;                   // thread that hangs, as reported; NULL: none
};

// Remembers when each thread last moved.
static void look(struct supervisor *s, uint64_t now_ns) {
  uint64_t main_beats = atomic_load(&s->pulse->main_beats), step_beats = atomic_load(&s->pulse->step_beats);
  if (main_beats != s->main_now)
    s->main_moved_ns = now_ns;
  if (step_beats != s->step_now)
    s->step_moved_ns = now_ns;
  s->main_now = main_beats;
  s->step_now = step_beats;
}

static void report_ready(struct supervisor *s, int phase) {
  int served = phase == PULSE_SERVING && s->main_now > 0;
  int stepped = phase == PULSE_STEPPING && s->main_now > 0 && s->step_now > 0;
  if (s->ready || (!served && !stepped))
    return;
  if (!atomic_exchange(&s->ready, 1))
    sd_notify(0, "READY=1");
}

static void write_state(struct supervisor *s, uint64_t now_ns) {
  const struct pulse *p = s->pulse;
  if (now_ns < s->next_state_ns)
    return;
  s->next_state_ns = now_ns + STATE_NS;
  if (s->hanging)
    sd_notifyf(0, "STATUS=the %s hangs at step %" PRIuFAST64 ", the watchdog is not fed", s->hanging,
               atomic_load(&p->step));
  else if (atomic_load(&p->phase) == PULSE_ENDING)
    sd_notifyf(0, "STATUS=ending after step %" PRIuFAST64, atomic_load(&p->step));
  else
    sd_notifyf(0, "STATUS=%sstep %" PRIuFAST64 ", lag %.3f s, %" PRIuFAST64 " late steps",
               atomic_load(&p->paused) ? "paused at " : "", atomic_load(&p->step),
               1e-6 * (double)atomic_load(&p->lag_us), atomic_load(&p->late_steps));
}

// The thread that has not moved since the last feeding; NULL: all is well.
static const char *find_hanging(const struct supervisor *s, int phase) {
  if (phase == PULSE_SERVING || phase == PULSE_STEPPING) {
    if (s->main_now == s->main_seen)
      return "main thread";
    if (phase == PULSE_STEPPING && s->step_now == s->step_seen)
      return "step thread";
  }
  return NULL;
}

static void report_hanging(struct supervisor *s, const char *hanging, uint64_t now_ns) {
  if (hanging) {
    uint64_t moved_ns = *hanging == 'm' ? s->main_moved_ns : s->step_moved_ns;
    fprintf(s->messages, "sagbend: the %s has not moved for %.1f s: the watchdog is not fed\n", hanging,
            1e-9 * (double)(now_ns - moved_ns));
  } else {
    fprintf(s->messages, "sagbend: the %s moves again: the watchdog is fed\n", s->hanging);
  }
  fflush(s->messages);
  s->hanging = hanging;
  s->next_state_ns = 0;
}

static void feed(struct supervisor *s, int phase, uint64_t now_ns) {
  if (!s->feed_ns || now_ns < s->next_feed_ns)
    return;
  const char *hanging = find_hanging(s, phase);
  if (hanging != s->hanging)
    report_hanging(s, hanging, now_ns);
  if (hanging)
    return; // looks again soon
  sd_notify(0, "WATCHDOG=1");
  s->next_feed_ns = now_ns + s->feed_ns;
  s->main_seen = s->main_now;
  s->step_seen = s->step_now;
}

static void supervise(void *context) {
  struct supervisor *s = context;
  os_name_thread("supervisor");
  while (!atomic_load(&s->end)) {
    uint64_t now_ns = os_now_ns();
    int phase = atomic_load(&s->pulse->phase);
    look(s, now_ns);
    report_ready(s, phase);
    if (s->ready) {
      feed(s, phase, now_ns);
      write_state(s, now_ns);
    }
    os_sleep_until_ns(now_ns + s->look_ns);
  }
}

enum status supervisor_start(struct pulse *pulse, FILE *messages, struct supervisor **out,
                             struct reason *why) {
  uint64_t watchdog_us = 0;
  *out = NULL;
  if (!getenv("NOTIFY_SOCKET"))
    return STATUS_OK;
  int heard = sd_notify(0, "STATUS=starting");
  if (heard <= 0)
    return fail(why, STATUS_IO, "the service manager at NOTIFY_SOCKET does not hear: error %d", -heard);

  struct supervisor *s = calloc(1, sizeof *s);
  if (!s)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the supervisor");
  s->pulse = pulse;
  s->messages = messages;
  s->main_moved_ns = s->step_moved_ns = os_now_ns();
  if (sd_watchdog_enabled(0, &watchdog_us) > 0)
    s->feed_ns = 1000 * watchdog_us / FEEDS_PER_PERIOD;
  s->look_ns = s->feed_ns && s->feed_ns < LOOK_NS ? s->feed_ns : LOOK_NS;
  enum status status = os_thread_start(&s->thread, STACK_BYTES, supervise, s, why);
  if (status == STATUS_OK)
    *out = s;
  else
    free(s);
  return status;
}

void supervisor_stopping(struct supervisor *s) {
  if (!s)
    return;
  sd_notify(0, atomic_exchange(&s->ready, 1) ? "STOPPING=1" : "READY=1\nSTOPPING=1"); // a very short run
}

void supervisor_free(struct supervisor *s) {
  if (!s)
    return;
  atomic_store(&s->end, 1);
  os_thread_join(&s->thread);
  free(s);
}
