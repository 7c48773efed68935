// Events of a run: looked for in each frame, logged, published, counted.
#pragma once

#include "cli/console.h"
#include "io/recording/logger.h"
#include "io/wire/server.h"

enum { EVENT_WATCH_KEPT = 64 };

struct run_event {
  uint64_t step;
  double time_s;
  char name[32];
  char text[160];
};

struct event_watch {
  struct console *console;
  struct server *server; // NULL: none
  struct logger *logger; // NULL: none
  const struct scenario_def *scenario;
  void (*sink)(void *context, const struct run_event *event); // where they go instead; NULL: to those above
  void *sink_context;
  struct fault_set faults; // of the newest frame
  uint64_t faults_started, orders_refused;
  uint32_t verdicts_violated;
  uint32_t sim_events;
  enum command_state command_state;
  uint64_t misses_told, lost_told, dropped_told, refused_told;
  uint64_t tell_times_at_step, tell_refused_at_step;
  uint64_t made_way_told, telemetry_told, tell_server_at_step;
  uint64_t count;                         // events so far
  struct run_event log[EVENT_WATCH_KEPT]; // the first of them
};

void event_watch_init(struct event_watch *w, struct console *console, struct server *server,
                      struct logger *logger, const struct scenario_def *scenario);
// The run goes on from a checkpoint in this file: what was told before it is not told again.
void event_watch_resume(struct event_watch *w, const struct frame *f, const char *path);
void event_watch_skip_to(struct event_watch *w, const struct frame *f); // the same without a word
// A replay: events go to sink, and to nobody else. Then those that follow from the frame alone.
void event_watch_redirect(struct event_watch *w, void (*sink)(void *context, const struct run_event *event),
                          void *context);
void event_watch_find_computed(struct event_watch *w, const struct frame *f);
int event_is_computed(const char *name); // whether event_watch_find_computed tells of events of this name
void event_watch_frame(struct event_watch *w, const struct frame *f, double step_s);
void event_watch_finish(struct event_watch *w, const struct frame *f); // what of time is not told yet

#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
void event_watch_log(struct event_watch *w, uint64_t step, double time_s, const char *name,
                     const char *format, ...);
