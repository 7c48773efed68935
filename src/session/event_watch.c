#include "session/event_watch.h"

#include "core/base/steps.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void event_watch_init(struct event_watch *w, struct console *console, struct server *server,
                      struct logger *logger, const struct scenario_def *scenario) {
  memset(w, 0, sizeof *w);
  w->console = console;
  w->server = server;
  w->logger = logger;
  w->scenario = scenario;
  w->command_state = COMMAND_WAITING;
}

static struct run_event note(struct event_watch *w, uint64_t step, double time_s, const char *name,
                             const char *text) {
  struct run_event event = {.step = step, .time_s = time_s};
  snprintf(event.name, sizeof event.name, "%s", name);
  snprintf(event.text, sizeof event.text, "%s", text);
  if (w->sink) {
    w->sink(w->sink_context, &event);
    return event;
  }
  console_line(w->console, "t = %.3f s: %s: %s", time_s, event.name, event.text);
  logger_event(w->logger, step, time_s, event.name, event.text);
  if (w->count < EVENT_WATCH_KEPT)
    w->log[w->count] = event;
  w->count++;
  return event;
}

void event_watch_log(struct event_watch *w, uint64_t step, double time_s, const char *name,
                     const char *format, ...) {
  char text[sizeof((struct run_event *)0)->text];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  struct run_event event = note(w, step, time_s, name, text);
  if (w->server)
    server_publish_event(w->server, step, time_s, event.name, event.text);
}

void event_watch_skip_to(struct event_watch *w, const struct frame *f) {
  w->sim_events = f->output.events;
  w->command_state = f->command_state;
  w->faults = f->faults;
  w->faults_started = f->faults_started;
  w->orders_refused = f->orders_refused;
  w->verdicts_violated = f->verdicts_violated;
}

void event_watch_resume(struct event_watch *w, const struct frame *f, const char *path) {
  const struct sim_output *o = &f->output;
  event_watch_skip_to(w, f);
  event_watch_log(w, o->step, o->time_s, "resumed", "from step %" PRIu64 " of %s", o->step, path);
}

static void look_at_sim(struct event_watch *w, const struct sim_output *o) {
  uint32_t fresh = o->events & ~w->sim_events;
  w->sim_events |= o->events;
  for (int i = 0; i < EVENT_COUNT; i++)
    if (fresh & (UINT32_C(1) << i))
      event_watch_log(w, o->step, o->time_s, sim_event_name(i), "%s", sim_event_text(i));
}

static int has_fault(const struct fault_set *set, const struct fault *f) {
  for (int i = 0; i < set->count; i++)
    if (set->fault[i].since_s == f->since_s && !strcmp(set->fault[i].name, f->name))
      return 1;
  return 0;
}

static void look_at_faults(struct event_watch *w, const struct frame *f) {
  const struct sim_output *o = &f->output;
  const struct fault_set *before = &w->faults, *now = &f->faults;
  uint64_t begun = 0;
  for (int i = 0; i < before->count; i++)
    if (!has_fault(now, &before->fault[i]))
      event_watch_log(w, o->step, o->time_s, "fault_ended", "%s", before->fault[i].name);
  for (int i = 0; i < now->count; i++)
    if (!has_fault(before, &now->fault[i])) {
      const struct fault *fault = &now->fault[i];
      event_watch_log(w, o->step, o->time_s, "fault_began", "%s: %s on %s", fault->name,
                      fault_name(fault->kind), fault_target_text(&w->scenario->names, fault).text);
      begun++;
    }
  if (f->faults_started - w->faults_started > begun)
    event_watch_log(w, o->step, o->time_s, "faults_unseen",
                    "%" PRIu64 " faults began and ended between two frames",
                    f->faults_started - w->faults_started - begun);
  if (f->orders_refused != w->orders_refused)
    event_watch_log(w, o->step, o->time_s, "order_refused", "no room for another ordered fault");
  w->faults = f->faults;
  w->faults_started = f->faults_started;
  w->orders_refused = f->orders_refused;
}

static void look_at_verdicts(struct event_watch *w, const struct frame *f) {
  uint32_t fresh = f->verdicts_violated & ~w->verdicts_violated;
  w->verdicts_violated = f->verdicts_violated;
  for (int i = 0; i < w->scenario->verdict_count; i++)
    if (fresh & (UINT32_C(1) << i))
      event_watch_log(w, f->output.step, f->output.time_s, "verdict_violated", "%s: %s",
                      w->scenario->verdict[i].name,
                      quantity_shown_name((int)w->scenario->verdict[i].quantity));
}

static void look_at_commands(struct event_watch *w, const struct frame *f) {
  const struct sim_output *o = &f->output;
  enum command_state before = w->command_state, now = f->command_state;
  w->command_state = now;
  if (now == COMMAND_LOST && before != COMMAND_LOST)
    event_watch_log(w, o->step, o->time_s, "command_lost",
                    "no command within the timeout, the last was based on step %" PRIu64,
                    f->command_based_on_step);
  else if (before == COMMAND_LOST && now != COMMAND_LOST)
    event_watch_log(w, o->step, o->time_s, "command_back", "commands come again");
  else if (before == COMMAND_WAITING && now != COMMAND_WAITING)
    event_watch_log(w, o->step, o->time_s, "command_first", "a controller is there");
}

static void tell_times(struct event_watch *w, const struct frame *f) {
  const struct timing *t = &f->timing;
  const struct sim_output *o = &f->output;
  if (t->deadline_misses != w->misses_told)
    event_watch_log(w, o->step, o->time_s, "deadline_miss",
                    "%" PRIu64 " more steps missed their deadline, %" PRIu64 " in all",
                    t->deadline_misses - w->misses_told, t->deadline_misses);
  if (t->skipped_periods != w->lost_told)
    event_watch_log(w, o->step, o->time_s, "periods_lost",
                    "%" PRIu64 " more periods lost, %" PRIu64
                    " in all; simulated time is %.3f s behind the clock",
                    t->skipped_periods - w->lost_told, t->skipped_periods, t->lag_s);
  if (t->dropped_frames != w->dropped_told)
    event_watch_log(w, o->step, o->time_s, "frames_dropped",
                    "%" PRIu64 " more frames did not reach telemetry and record",
                    t->dropped_frames - w->dropped_told);
  w->misses_told = t->deadline_misses;
  w->lost_told = t->skipped_periods;
  w->dropped_told = t->dropped_frames;
}

// At most once a second: a machine that stalls would otherwise stall in telling so.
static void look_at_times(struct event_watch *w, const struct frame *f, double step_s) {
  const struct timing *t = &f->timing;
  if (f->output.step < w->tell_times_at_step ||
      (t->deadline_misses == w->misses_told && t->skipped_periods == w->lost_told &&
       t->dropped_frames == w->dropped_told))
    return;
  tell_times(w, f);
  w->tell_times_at_step = f->output.step + steps_down(1, step_s);
}

void event_watch_finish(struct event_watch *w, const struct frame *f) {
  look_at_verdicts(w, f);
  tell_times(w, f);
}

// The server publishes each refusal itself; here they only show in log and summary, at most once a second.
static void look_at_refusals(struct event_watch *w, const struct sim_output *o, double step_s) {
  const struct command_counts *counts = w->server ? server_counts(w->server) : NULL;
  uint64_t refused = 0;
  int some = 0;
  for (int i = 0; counts && i < REFUSAL_COUNT; i++) {
    refused += counts->refused[i];
    some = counts->refused[i] > counts->refused[some] ? i : some;
  }
  if (refused == w->refused_told || o->step < w->tell_refused_at_step)
    return;
  char text[128];
  snprintf(text, sizeof text, "%" PRIu64 " more messages refused, %" PRIu64 " in all, most of them: %s",
           refused - w->refused_told, refused, refusal_name((enum refusal)some));
  note(w, o->step, o->time_s, "refused", text);
  w->refused_told = refused;
  w->tell_refused_at_step = o->step + steps_down(1, step_s);
}

// What else the server counts, once a second at most, too.
static void look_at_server(struct event_watch *w, const struct sim_output *o, double step_s) {
  if (!w->server || o->step < w->tell_server_at_step)
    return;
  const struct command_counts *counts = server_counts(w->server);
  char text[128];
  if (counts->displaced != w->made_way_told) {
    snprintf(text, sizeof text,
             "%" PRIu64 " more idle controllers made way for newcomers, %" PRIu64 " in all",
             counts->displaced - w->made_way_told, counts->displaced);
    note(w, o->step, o->time_s, "controllers_made_way", text);
    w->made_way_told = counts->displaced;
  }
  const struct publisher_counts *t = server_telemetry_counts(w->server);
  if (t->dropped + t->ignored + t->cut_off != w->telemetry_told) {
    event_watch_log(w, o->step, o->time_s, "telemetry_limited",
                    "in all, %" PRIu64 " messages had no room for a subscriber that does not read, %" PRIu64
                    " subscriptions to what is no topic ignored, %" PRIu64 " connections cut off",
                    t->dropped, t->ignored, t->cut_off);
    w->telemetry_told = t->dropped + t->ignored + t->cut_off;
  }
  w->tell_server_at_step = o->step + steps_down(1, step_s);
}

void event_watch_redirect(struct event_watch *w, void (*sink)(void *context, const struct run_event *event),
                          void *context) {
  w->sink = sink;
  w->sink_context = context;
}

void event_watch_find_computed(struct event_watch *w, const struct frame *f) {
  look_at_sim(w, &f->output);
  look_at_faults(w, f);
  look_at_verdicts(w, f);
  look_at_commands(w, f);
}

int event_is_computed(const char *name) {
  static const char *const names[] = {"fault_began",  "fault_ended",  "order_refused", "verdict_violated",
                                      "command_lost", "command_back", "command_first"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(name, names[i]))
      return 1;
  for (int i = 0; i < EVENT_COUNT; i++)
    if (!strcmp(name, sim_event_name(i)))
      return 1;
  return 0;
}

void event_watch_frame(struct event_watch *w, const struct frame *f, double step_s) {
  look_at_server(w, &f->output, step_s);
  event_watch_find_computed(w, f);
  look_at_times(w, f, step_s);
  look_at_refusals(w, &f->output, step_s);
}
