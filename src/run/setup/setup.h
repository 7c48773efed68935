// Events of a run: those that follow from the steps (sagbend/engine/event_find.h), and those of machine and network.
// They are written to console and log, published, and counted.
#pragma once

#include "os/cli/console.h"
#include "sagbend/engine/event_find.h"
#include "log/log/logger.h"
#include "net/server/server.h"

enum { EVENT_WATCH_KEPT = 64 }; // events kept for the summary

struct event_watch {
  struct event_finder finder; // of those that follow from the steps
  struct console *console;
  struct server *server; // NULL: none
  struct logger *logger; // NULL: none

  // Counts that have been reported, and the step of the next report at the earliest.
  uint64_t misses_reported, lost_reported, dropped_reported, report_times_at_step;
  uint64_t faults_reported, report_faults_at_step; // page faults
  struct late_step worst_late;                     // since the last report of late steps
  uint64_t late_seen;                              // step of the newest late step seen
  uint64_t displaced_reported, telemetry_reported, report_server_at_step;

  uint64_t count;                          // events so far
  struct run_event kept[EVENT_WATCH_KEPT]; // the first of them
};

void event_watch_init(struct event_watch *watch, struct console *console, struct server *server,
                      struct logger *logger, const struct scenario_def *scenario);

// Takes the frame as already reported, and reports that the run resumes from the checkpoint at path.
void event_watch_resume(struct event_watch *watch, const struct frame *frame, const char *path);

// Another session begins with this frame, perhaps at an earlier step, with a log of its own.
void event_watch_begin_session(struct event_watch *watch, struct logger *logger, const struct frame *frame);

// Finds and reports the events of a frame. Events of machine and network are reported at most once a second.
void event_watch_frame(struct event_watch *watch, const struct frame *frame, double step_s);

// Reports what the last frame, with its final timing, adds.
void event_watch_finish(struct event_watch *watch, const struct frame *frame);

// Reports an event that the caller has found. The second form does not publish it.
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
void event_watch_log(struct event_watch *watch, uint64_t step, double time_s, const char *name,
                     const char *format, ...);
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
void event_watch_log_unpublished(struct event_watch *watch, uint64_t step, double time_s, const char *name,
                                 const char *format, ...);

// Parts of event_watch_frame: events of timing and network (event_watch.c).
void event_watch_find_late(struct event_watch *watch, const struct frame *frame, double step_s);
void event_watch_find_page_faults(struct event_watch *watch, const struct frame *frame, double step_s);
void event_watch_report_page_faults(struct event_watch *watch, const struct frame *frame);
void event_watch_report_times(struct event_watch *watch, const struct frame *frame);
void event_watch_find_served(struct event_watch *watch, const struct sim_output *now, double step_s);
