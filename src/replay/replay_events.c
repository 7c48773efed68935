// Events that follow from the steps (faults, verdicts, commands lost and back, what the simulator met) come
// out of the replay as well. The others tell of the machine, the network and people.
#include "replay/replay_parts.h"

#include "io/codec/wire_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void keep(struct event_list *list, const struct run_event *e) {
  if (list->count == list->capacity) {
    size_t capacity = 2 * list->capacity + 64;
    struct run_event *more = realloc(list->event, capacity * sizeof *more);
    if (!more) {
      list->failed = 1;
      return;
    }
    list->event = more;
    list->capacity = capacity;
  }
  list->event[list->count++] = *e;
}

// Whether an event follows from the steps. A verdict on the clock (misses, lag) does not.
static int is_computed(const struct verify *v, const struct run_event *e) {
  const struct scenario_def *def = &v->r->session.config.scenario;
  if (!event_is_computed(e->name))
    return 0;
  for (int i = 0; i < def->verdict_count && !strcmp(e->name, "verdict_violated"); i++) {
    char text[sizeof e->text], clean[sizeof e->text];
    snprintf(text, sizeof text, "%s: %s", def->verdict[i].name, quantity_shown_name((int)def->verdict[i].quantity));
    wire_clean_text(clean, sizeof clean, text);
    if (!strcmp(e->text, clean) && quantity_is_of_clock(def->verdict[i].quantity))
      return 0;
  }
  return 1;
}

static void on_event(void *verify, const struct run_event *e) {
  struct verify *v = verify;
  struct run_event clean = *e;
  wire_clean_text(clean.text, sizeof clean.text, e->text); // as the log has it
  if (is_computed(v, &clean))
    keep(&v->computed, &clean);
}

void replay_events_start(struct verify *v) {
  event_watch_init(&v->watch, NULL, NULL, NULL, &v->r->session.config.scenario);
  event_watch_redirect(&v->watch, on_event, v);
  if (v->r->record->checkpoint.len)
    event_watch_skip_to(&v->watch, &v->closed_loop.frame);
  replay_events_step(v);
}

void replay_events_step(struct verify *v) {
  event_watch_find_computed(&v->watch, &v->closed_loop.frame);
}

void replay_events_end(struct verify *v) {
  if (v->r->session.config.run.mode != RUN_REALTIME) // elsewhere nothing is judged once more
    return;
  closed_loop_judge_end(&v->closed_loop);
  event_watch_find_computed(&v->watch, &v->closed_loop.frame);
}

void replay_events_logged(struct verify *v, const Sagbend__V1__Event *event) {
  struct run_event e = {.step = event->header->step, .time_s = event->header->time_s};
  v->frames_dropped += !strcmp(event->name, "frames_dropped");
  snprintf(e.name, sizeof e.name, "%s", event->name);
  snprintf(e.text, sizeof e.text, "%s", event->text);
  if (is_computed(v, &e))
    keep(&v->told, &e);
}

// In real time another thread looks at the frames; where it came late, it saw the later one.
static int is_same(const struct verify *v, const struct run_event *told,
                   const struct run_event *computed) {
  int in_time = v->r->session.config.run.mode == RUN_REALTIME ? told->step >= computed->step
                                                              : told->step == computed->step;
  return in_time && !strcmp(told->name, computed->name) && !strcmp(told->text, computed->text);
}

void replay_events_compare(struct verify *v) {
  size_t first = 0; // computed ones before it are all accounted for
  uint64_t missing = 0;
  unsigned char *used = calloc(v->computed.count + 1, 1);
  if (!used || v->told.failed || v->computed.failed) {
    replay_misses(v->r, "out of memory for its events: they were not compared");
    free(used);
    return;
  }
  for (size_t i = 0; i < v->told.count; i++) {
    const struct run_event *e = &v->told.event[i];
    size_t k = first;
    if (e->step > replay_step_now(v))
      continue;
    while (k < v->computed.count && v->computed.event[k].step <= e->step &&
           (used[k] || !is_same(v, e, &v->computed.event[k])))
      k++;
    if (k < v->computed.count && v->computed.event[k].step <= e->step)
      used[k] = 1;
    else
      replay_differs(v->r, e->step, LOG_EVENT, e->name, e->text, "no such event");
    while (first < v->computed.count && used[first])
      first++;
  }
  for (size_t k = 0; !v->over && k < v->computed.count; k++) // the log was read to its end
    missing += !used[k] && !v->frames_dropped;
  for (size_t k = 0; missing && k < v->computed.count; k++)
    if (!used[k]) {
      replay_misses(v->r,
                    "%" PRIu64 " events are missing that the replay has, the first at step %" PRIu64
                    ": %s: %.80s",
                    missing, v->computed.event[k].step, v->computed.event[k].name, v->computed.event[k].text);
      break;
    }
  free(used);
}

void replay_events_free(struct verify *v) {
  free(v->told.event);
  free(v->computed.event);
}
