// Events of a run: looked for in each frame, logged, published, counted.
#pragma once

#include "cli/console.h"
#include "io/recording/logger.h"
#include "io/wire/server.h"

enum { WATCH_LOG_SIZE = 64 };

struct watch_event {
  uint64_t step;
  double time_s;
  char name[32];
  char text[160];
};

struct watch {
  struct console *console;
  struct server *server; // NULL: none
  struct logger *logger; // NULL: none
  const struct scenario_def *scenario;
  void (*sink)(void *context, const struct watch_event *event); // where they go instead; NULL: to those above
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
  struct watch_event log[WATCH_LOG_SIZE]; // the first of them
};

void watch_init(struct watch *w, struct console *console, struct server *server, struct logger *logger,
                const struct scenario_def *scenario);
// The run goes on from a checkpoint in this file: what was told before it is not told again.
void watch_resume(struct watch *w, const struct frame *f, const char *path);
void watch_go_on(struct watch *w, const struct frame *f); // the same without a word
// A replay: events go to sink, and to nobody else. Then those that follow from the frame alone.
void watch_to(struct watch *w, void (*sink)(void *context, const struct watch_event *event), void *context);
void watch_compute(struct watch *w, const struct frame *f);
int watch_is_computed(const char *name); // whether watch_compute tells of events of this name
void watch_frame(struct watch *w, const struct frame *f, double step_s);
void watch_end(struct watch *w, const struct frame *f); // what of time is not told yet

#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
void watch_tell(struct watch *w, uint64_t step, double time_s, const char *name, const char *format, ...);
