#include "watch.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void watch_init(struct watch *w, struct console *console, struct server *server) {
  memset(w, 0, sizeof *w);
  w->console = console;
  w->server = server;
  w->command_state = COMMAND_WAITING;
}

void watch_tell(struct watch *w, uint64_t step, double time_s, const char *name, const char *format, ...) {
  struct watch_event event = {.step = step, .time_s = time_s};
  va_list args;
  snprintf(event.name, sizeof event.name, "%s", name);
  va_start(args, format);
  vsnprintf(event.text, sizeof event.text, format, args);
  va_end(args);
  console_line(w->console, "t = %.3f s: %s: %s", time_s, event.name, event.text);
  if (w->server)
    server_publish_event(w->server, step, time_s, event.name, event.text);
  if (w->count < WATCH_LOG_SIZE)
    w->log[w->count] = event;
  w->count++;
}

static void look_at_sim(struct watch *w, const struct sim_output *o) {
  uint32_t fresh = o->events & ~w->sim_events;
  w->sim_events |= o->events;
  for (int i = 0; i < EVENT_COUNT; i++)
    if (fresh & (UINT32_C(1) << i))
      watch_tell(w, o->step, o->time_s, sim_event_name(i), "%s", sim_event_text(i));
}

static void look_at_commands(struct watch *w, const struct frame *f) {
  const struct sim_output *o = &f->output;
  enum command_state before = w->command_state, now = f->command_state;
  w->command_state = now;
  if (now == COMMAND_LOST && before != COMMAND_LOST)
    watch_tell(w, o->step, o->time_s, "command_lost",
               "no command within the timeout, the last was based on step %" PRIu64,
               f->command_based_on_step);
  else if (before == COMMAND_LOST && now != COMMAND_LOST)
    watch_tell(w, o->step, o->time_s, "command_back", "commands come again");
  else if (before == COMMAND_WAITING && now != COMMAND_WAITING)
    watch_tell(w, o->step, o->time_s, "command_first", "a controller is there");
}

// At most once a second: a machine that stalls would otherwise stall in telling so.
static void look_at_times(struct watch *w, const struct frame *f, double step_s) {
  const struct timing *t = &f->timing;
  const struct sim_output *o = &f->output;
  if (o->step < w->tell_misses_at_step ||
      (t->deadline_misses == w->misses_told && t->dropped_frames == w->dropped_told))
    return;
  if (t->deadline_misses != w->misses_told)
    watch_tell(w, o->step, o->time_s, "deadline_miss",
               "%" PRIu64 " more steps missed their deadline, %" PRIu64
               " in all; simulated time lags by %.3f s",
               t->deadline_misses - w->misses_told, t->deadline_misses, t->lag_s);
  if (t->dropped_frames != w->dropped_told)
    watch_tell(w, o->step, o->time_s, "frames_dropped",
               "%" PRIu64 " more frames did not reach telemetry and record",
               t->dropped_frames - w->dropped_told);
  w->misses_told = t->deadline_misses;
  w->dropped_told = t->dropped_frames;
  w->tell_misses_at_step = o->step + (uint64_t)(1 / step_s);
}

void watch_frame(struct watch *w, const struct frame *f, double step_s) {
  look_at_sim(w, &f->output);
  look_at_commands(w, f);
  look_at_times(w, f, step_s);
}
