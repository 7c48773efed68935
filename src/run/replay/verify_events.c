// Events that follow from the steps: faults, verdicts, commands lost and back, events of the simulator. The
// replay finds them again. Other events are about the machine, the network and people, and are not compared.
#include "run/replay/replay_internal.h"

#include "net/messages/wire_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char VIOLATED[] = "verdict_violated", MET[] = "verdict_met";

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

// True if a verdict on a quantity of the clock has this name: its violation does not follow from the steps.
static int is_verdict_of_clock(const struct scenario_def *def, const char *text) {
  for (int i = 0; i < def->verdict_count; i++) {
    char start[SIGNAL_NAME + 2], clean[SIGNAL_NAME + 2];
    snprintf(start, sizeof start, "%s: ", def->verdict[i].name);
    wire_clean_text(clean, sizeof clean, start);
    if (quantity_is_of_clock(def->verdict[i].quantity) && !strncmp(text, clean, strlen(clean)))
      return 1;
  }
  return 0;
}

static int is_computed(const struct verify *verify, const struct run_event *event) {
  return event_is_computed(event->name) &&
         ((strcmp(event->name, VIOLATED) != 0 && strcmp(event->name, MET) != 0) ||
          !is_verdict_of_clock(&verify->replay->setup.config.scenario, event->text));
}

static void on_event(void *context, const struct run_event *e) {
  struct verify *verify = context;
  struct run_event clean = *e;
  wire_clean_text(clean.text, sizeof clean.text, e->text); // as the log has it
  if (is_computed(verify, &clean))
    keep(&verify->computed, &clean);
}

void verify_events_start(struct verify *verify) {
  event_finder_init(&verify->finder, &verify->replay->setup.config.scenario, on_event, verify);
  if (verify->replay->record->checkpoint.len)
    event_finder_skip_to(&verify->finder, &verify->replay->engine.loop.frame);
  verify_events_step(verify);
}

void verify_events_step(struct verify *verify) {
  event_find(&verify->finder, &verify->replay->engine.loop.frame);
}

void verify_events_end(struct verify *verify) {
  if (*verify->replay->end->continued_in)
    return;
  if (verify->replay->setup.config.run.mode != RUN_REALTIME) // elsewhere nothing is judged once more
    return;
  closed_loop_judge_end(&verify->replay->engine.loop);
  event_find(&verify->finder, &verify->replay->engine.loop.frame);
}

void verify_events_logged(struct verify *verify, const Sagbend__V1__Event *event) {
  struct run_event e = {.step = event->header->step, .time_s = event->header->time_s};
  verify->frames_dropped += !strcmp(event->name, "frames_dropped");
  snprintf(e.name, sizeof e.name, "%s", event->name);
  snprintf(e.text, sizeof e.text, "%s", event->text);
  if (is_computed(verify, &e))
    keep(&verify->logged, &e);
}

// In mode realtime another thread reads the frames: where it was late, it saw a later frame. Another build
// may word an event differently.
static int is_same(const struct verify *verify, const struct run_event *logged,
                   const struct run_event *computed) {
  int late_is_right = verify->replay->setup.config.run.mode == RUN_REALTIME;
  int in_time = late_is_right ? logged->step >= computed->step : logged->step == computed->step;
  const int is_renamed = !strcmp(logged->name, VIOLATED) && !strcmp(computed->name, MET); // of a build before
  return in_time && (!strcmp(logged->name, computed->name) || (is_renamed && !verify->replay->same_build)) &&
         (!verify->replay->same_build || !strcmp(logged->text, computed->text));
}

// Finds the computed event that a logged one repeats, from index first on, and marks it as used. 0: there is
// none.
static int use_computed(const struct verify *verify, const struct run_event *logged, size_t first,
                        unsigned char *used) {
  const struct event_list *computed = &verify->computed;
  for (size_t k = first; k < computed->count && computed->event[k].step <= logged->step; k++)
    if (!used[k] && is_same(verify, logged, &computed->event[k])) {
      used[k] = 1;
      return 1;
    }
  return 0;
}

// Another build may judge commands in another way.
static void report_missing(struct verify *verify, const unsigned char *used) {
  const struct run_event *first = NULL;
  uint64_t missing = 0;
  for (size_t k = verify->computed.count; k-- > 0;)
    if (!used[k] && (verify->replay->same_build || notice_find(verify->computed.event[k].name) < 0)) {
      first = &verify->computed.event[k];
      missing++;
    }
  if (missing)
    replay_add_gap(verify->replay,
                   "%" PRIu64 " events are missing that the replay has, the first at step %" PRIu64
                   ": %s: %.80s",
                   missing, first->step, first->name, first->text);
}

// Where the main thread was late by seconds, or frames did not reach it, an event of the last steps of a part
// stands in the next one.
static int is_of_part_before(const struct verify *verify, const struct run_event *logged) {
  const struct replay *replay = verify->replay;
  int has_part_before = replay->record->part && replay->record->part->number > 1;
  return has_part_before && replay->setup.config.run.mode == RUN_REALTIME &&
         (logged->step <= replay->record->first_step || verify->frames_dropped);
}

void verify_events_compare(struct verify *verify) {
  size_t first = 0; // every computed event before this one is used
  unsigned char *used = calloc(verify->computed.count + 1, 1);
  if (!used || verify->logged.failed || verify->computed.failed) {
    replay_add_gap(verify->replay, "out of memory for its events: they were not compared");
    free(used);
    return;
  }

  for (size_t i = 0; i < verify->logged.count; i++) {
    const struct run_event *logged = &verify->logged.event[i];
    if (logged->step > verify_step(verify))
      continue;
    int is_used = use_computed(verify, logged, first, used);
    if (!is_used && is_of_part_before(verify, logged))
      replay_add_gap(verify->replay, "an event of the part before it is in it: %s: %.120s", logged->name,
                     logged->text);
    else if (!is_used)
      replay_contradicts(verify->replay, logged->step, LOG_EVENT, logged->name, logged->text,
                         "no such event");
    while (first < verify->computed.count && used[first])
      first++;
  }
  if (!verify->ended && !verify->frames_dropped) // the log was read to its end
    report_missing(verify, used);
  free(used);
}

void verify_events_free(struct verify *verify) {
  free(verify->logged.event);
  free(verify->computed.event);
}
