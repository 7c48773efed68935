// Events that follow from the steps: faults, verdicts, commands, events of the simulator. A replay finds them
// again, with the same texts.
#include "sagbend/engine/engine.h"

#include "sagbend/events/events.h"
#include "sagbend/faults/faults.h"
#include "sagbend/link/link.h"
#include "sagbend/loop/loop.h"
#include "sagbend/monitor/monitor.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void event_finder_init(struct event_finder *finder, const struct scenario_def *scenario,
                       void (*take)(void *context, const struct run_event *event), void *context) {
  memset(finder, 0, sizeof *finder);
  finder->scenario = scenario;
  finder->take = take;
  finder->context = context;
  finder->command_state = COMMAND_NONE;
}

void event_finder_skip_to(struct event_finder *finder, const struct frame *frame) {
  finder->sim_events = frame->output.events;
  finder->command_state = frame->command_state;
  finder->changeover = frame->changeover;
  finder->flood = (struct changeover_flood){.from_s = frame->output.time_s};
  finder->faults = frame->faults;
  finder->faults_started = frame->faults_started;
  finder->orders_refused = frame->orders_refused;
  finder->inside_accepted = frame->inside_accepted;
  finder->inside_refused = finder->refused_before = frame->inside_refused;
  finder->verdicts_violated = frame->verdicts_violated;
  for (int i = 0; i < NOTICE_COUNT; i++)
    finder->notices_seen[i] = frame->notices.kind[i].count;
  finder->operation = (struct operation_output){0};
  finder->has_tensioner_order = 0;
}

struct run_event run_event_of(uint64_t step, double time_s, const char *name, const char *format,
                              va_list args) {
  struct run_event event = {.step = step, .time_s = time_s};
  vsnprintf(event.text, sizeof event.text, format, args);
  snprintf(event.name, sizeof event.name, "%s", name);
  return event;
}

#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
static void finder_report(struct event_finder *finder, uint64_t step, double time_s, const char *name,
                          const char *format, ...) {
  va_list args;
  va_start(args, format);
  const struct run_event event = run_event_of(step, time_s, name, format, args);
  va_end(args);
  finder->take(finder->context, &event);
}

static void find_sim_events(struct event_finder *finder, const struct sim_output *now) {
  uint32_t fresh = now->events & ~finder->sim_events;
  finder->sim_events |= now->events;
  for (int i = 0; i < EVENT_COUNT; i++)
    if (fresh & (UINT32_C(1) << i))
      finder_report(finder, now->step, now->time_s, sim_event_name(i), "%s", sim_event_text(i));
}

static int is_active_in(const struct fault_set *set, const struct fault *fault) {
  for (int i = 0; i < set->count; i++)
    if (set->fault[i].since_s == fault->since_s && !strcmp(set->fault[i].name, fault->name))
      return 1;
  return 0;
}

static void find_faults(struct event_finder *finder, const struct frame *frame) {
  const struct sim_output *now = &frame->output;
  const struct fault_set *before = &finder->faults, *active = &frame->faults;
  uint64_t began = 0, started = frame->faults_started - finder->faults_started;

  for (int i = 0; i < before->count; i++)
    if (!is_active_in(active, &before->fault[i]))
      finder_report(finder, now->step, now->time_s, EVENT_NAME(fault_ended), "%s", before->fault[i].name);
  for (int i = 0; i < active->count; i++) {
    const struct fault *fault = &active->fault[i];
    if (is_active_in(before, fault))
      continue;
    finder_report(finder, now->step, now->time_s, EVENT_NAME(fault_began), "%s: %s on %s", fault->name,
                  fault_name(fault->kind), fault_target_text(&finder->scenario->names, fault).text);
    began++;
  }
  if (started > began)
    finder_report(finder, now->step, now->time_s, EVENT_NAME(faults_unseen),
                  "%" PRIu64 " faults began and ended between two frames", started - began);

  finder->faults = frame->faults;
  finder->faults_started = frame->faults_started;
}

static void find_refused_orders(struct event_finder *finder, const struct frame *frame) {
  const struct sim_output *now = &frame->output;
  if (frame->orders_refused != finder->orders_refused)
    finder_report(finder, now->step, now->time_s, EVENT_NAME(order_refused),
                  "%d ordered faults are active, which is the limit: clear one first", MAX_ORDERS);
  finder->orders_refused = frame->orders_refused;
}

// "above 10", "below 0", "outside 0 to 10": what a violated verdict has seen.
static void violation_text(const struct verdict_def *def, char *out, size_t size) {
  if (isinf(def->low))
    snprintf(out, size, "above %g", def->high);
  else if (isinf(def->high))
    snprintf(out, size, "below %g", def->low);
  else
    snprintf(out, size, "outside %g to %g", def->low, def->high);
}

static void find_violated_verdicts(struct event_finder *finder, const struct frame *frame) {
  uint32_t fresh = frame->verdicts_violated & ~finder->verdicts_violated;
  finder->verdicts_violated = frame->verdicts_violated;
  for (int i = 0; i < finder->scenario->verdict_count; i++) {
    const struct verdict_def *def = &finder->scenario->verdict[i];
    char violation[64];
    if (!(fresh & (UINT32_C(1) << i)))
      continue;
    violation_text(def, violation, sizeof violation);
    if (def->expect_violated && def->alarm.is_used)
      finder_report(finder, frame->output.step, frame->output.time_s, EVENT_NAME(verdict_met),
                    "%s: the alarm that it expects has come", def->name);
    else
      finder_report(finder, frame->output.step, frame->output.time_s,
                    def->expect_violated ? EVENT_NAME(verdict_met) : EVENT_NAME(verdict_violated),
                    "%s: %s %s%s", def->name, quantity_shown_name((int)def->quantity), violation,
                    def->expect_violated ? ", as expected" : "");
  }
}

static void find_command_changes(struct event_finder *finder, const struct frame *frame) {
  const struct sim_output *now = &frame->output;
  enum command_state before = finder->command_state, state = frame->command_state;
  finder->command_state = state;
  if (state == COMMAND_LOST && before != COMMAND_LOST)
    finder_report(
        finder, now->step, now->time_s, EVENT_NAME(command_lost),
        "no command within network.command_timeout_s; the last one answered the Sensors of step %" PRIu64,
        frame->command_based_on_step);
  else if (before == COMMAND_LOST && state != COMMAND_LOST)
    finder_report(finder, now->step, now->time_s, EVENT_NAME(command_back), "commands arrive again");
  else if (before == COMMAND_NONE && state != COMMAND_NONE)
    finder_report(finder, now->step, now->time_s, EVENT_NAME(command_first), "the first command has arrived");
}

// What the gate says of commands from outside: the first that is refused after one that was accepted, and a
// hundred in a row. A replay, which has the commands of the log, takes these events from there.
static void find_refused_inside(struct event_finder *finder, const struct frame *frame) {
  const struct sim_output *now = &frame->output;
  const uint64_t in_a_row_before = finder->inside_refused - finder->refused_before;
  if (frame->inside_accepted != finder->inside_accepted)
    finder->refused_before = finder->inside_refused;
  finder->inside_accepted = frame->inside_accepted;
  if (frame->inside_refused == finder->inside_refused)
    return;
  const int is_first = finder->inside_refused == finder->refused_before;
  finder->inside_refused = frame->inside_refused;
  const uint64_t in_a_row = finder->inside_refused - finder->refused_before;
  if (is_first)
    finder_report(finder, now->step, now->time_s, "refused_range", "the controller inside: %s",
                  frame->inside_why.text);
  if (in_a_row >= COMMANDS_BEYOND_LIMITS && in_a_row_before < COMMANDS_BEYOND_LIMITS)
    finder_report(finder, now->step, now->time_s, EVENT_NAME(command_limits),
                  "%d commands in a row of the controller inside are beyond the limits; the last: %s",
                  COMMANDS_BEYOND_LIMITS, frame->inside_why.text);
}

static const char *controller_at(const struct event_finder *finder, uint64_t seat) {
  const struct controllers_def *all = &finder->scenario->controllers;
  return seat >= 1 && seat <= (uint64_t)all->count ? all->item[seat - 1].name : "no controller";
}

// Controllers that hand over to each other at each sample: some lines in a while, then one with the number of
// the others. By simulated time, so that a replay finds the same ones.
enum { CHANGEOVER_LINES = 12 };
static const double CHANGEOVER_LINES_S = 10;

static void end_changeover_flood(struct event_finder *finder, const struct sim_output *now) {
  struct changeover_flood *flood = &finder->flood;
  if (flood->left)
    finder_report(finder, now->step, now->time_s, EVENT_NAME(changeover),
                  "%" PRIu64 " more steps of %.1f s with a changeover and no line; %" PRIu64
                  " changeovers in all",
                  flood->left, now->time_s - flood->from_s, finder->changeover.count);
  *flood = (struct changeover_flood){.from_s = now->time_s};
}

static int changeover_has_line(struct event_finder *finder) {
  struct changeover_flood *flood = &finder->flood;
  if (flood->lines < CHANGEOVER_LINES) {
    flood->lines++;
    return 1;
  }
  flood->left++;
  return 0;
}

static int has_changed(const struct changeover_view *now, const struct changeover_view *before) {
  return (now->since && now->since != before->since) || now->count != before->count ||
         (before->since && !now->since) || now->late != before->late;
}

static void find_changeovers(struct event_finder *finder, const struct frame *frame) {
  const struct sim_output *now = &frame->output;
  const struct changeover_view before = finder->changeover, *c = &frame->changeover;
  static const char *const holds[] = {"its last command acts", "its last command fades to zero",
                                      "no thrust acts"};
  finder->changeover = *c;
  if (c->listed && now->time_s - finder->flood.from_s >= CHANGEOVER_LINES_S)
    end_changeover_flood(finder, now);
  if (!c->listed || !has_changed(c, &before) || !changeover_has_line(finder))
    return;
  if (c->since && (!before.since || c->since != before.since))
    finder_report(finder, now->step, now->time_s, EVENT_NAME(changeover_began),
                  "the command is taken from %s (%s)%s%s; until a controller commands, %s",
                  controller_at(finder, c->seat), changeover_cause_name(c->cause),
                  c->given_to ? " and given to " : "", c->given_to ? controller_at(finder, c->given_to) : "",
                  holds[finder->scenario->controllers.hold]);
  if (c->count != before.count)
    finder_report(
        finder, now->step, now->time_s, EVENT_NAME(changeover),
        "%s commands in place of %s (%s), after %" PRIu64
        " steps without a command; the thrust asked for stepped by %.3g kN and %.3g kN m so far, before "
        "by at most %.3g kN and %.3g kN m",
        controller_at(finder, c->seat), controller_at(finder, before.seat), changeover_cause_name(c->cause),
        c->gap_steps, 1e-3 * c->newest.force_n, 1e-3 * c->newest.moment_nm, 1e-3 * c->before.force_n,
        1e-3 * c->before.moment_nm);
  else if (before.since && !c->since)
    finder_report(finder, now->step, now->time_s, EVENT_NAME(changeover_undone),
                  "%s, from which the command had been taken, commands again",
                  controller_at(finder, c->seat));
  if (c->late != before.late)
    finder_report(finder, now->step, now->time_s, EVENT_NAME(command_late),
                  "a command of a controller from which the command had been taken has come late: dropped");
}

static void find_notices(struct event_finder *finder, const struct frame *frame) {
  const struct sim_output *now = &frame->output;
  for (int i = 0; i < NOTICE_COUNT; i++) {
    const struct notice *notice = &frame->notices.kind[i];
    char text[EVENT_TEXT];
    if (notice->count == finder->notices_seen[i])
      continue;
    finder->notices_seen[i] = notice->count;
    notice_text(i, notice, notice->thruster >= 0 ? now->thruster[notice->thruster].name : "", text,
                sizeof text);
    finder_report(finder, now->step, now->time_s, notice_name(i), "%s", text);
  }
}

// The first order is that of the configuration at the start. A change of a set-point alone is no event: a
// controller may send another one in each command.
static void find_tensioner_orders(struct event_finder *finder, const struct frame *frame) {
  const struct sim_output *now = &frame->output;
  const struct tensioner_output *t = &now->tensioner;
  if (!now->has_tensioner)
    return;
  if (finder->has_tensioner_order &&
      (t->ordered != finder->tensioner_ordered || t->source != finder->tensioner_source)) {
    char set[40] = "";
    if (t->ordered != TENSIONER_BRAKE)
      snprintf(set, sizeof set, " %g %s",
               t->ordered == TENSIONER_TENSION ? t->ordered_tension_n : t->ordered_speed_mps,
               t->ordered == TENSIONER_TENSION ? "N" : "m/s");
    // Only the tensioner itself gives an order in the place of a controller that is silent.
    if (frame->command_state == COMMAND_LOST && t->source == TENSIONER_BY_CONTROLLER &&
        t->ordered == TENSIONER_BRAKE)
      finder_report(finder, now->step, now->time_s, EVENT_NAME(tensioner_silence),
                    "the tensioner brakes: its controller is silent (pipe.tensioner.on_silence)");
    else
      finder_report(finder, now->step, now->time_s, EVENT_NAME(tensioner_order), "%s%s, by the %s",
                    tensioner_mode_name((int)t->ordered), set, tensioner_source_name((int)t->source));
  }
  finder->has_tensioner_order = 1;
  finder->tensioner_ordered = t->ordered;
  finder->tensioner_source = t->source;
}

static void find_operations(struct event_finder *finder, const struct frame *frame) {
  const struct sim_output *now = &frame->output;
  const struct operation_output *o = &now->operation, before = finder->operation;
  finder->operation = *o;
  if (o->count == 0 || (before.number == 0 && now->step > 1)) // none, or a session that is resumed
    return;
  if (before.number > 0 && o->number > before.number)
    finder_report(finder, now->step, now->time_s, EVENT_NAME(operation), "%s ends", before.name);
  if (before.number > 0 && o->number > before.number + 1)
    finder_report(finder, now->step, now->time_s, EVENT_NAME(operation), "%d more had ended as they began",
                  o->number - before.number - 1);
  if (o->number > before.number && o->number > o->count)
    finder_report(finder, now->step, now->time_s, EVENT_NAME(operation), "all %d have ended", o->count);
  else if (o->number > before.number)
    finder_report(finder, now->step, now->time_s, EVENT_NAME(operation), "%s begins, %d of %d", o->name,
                  o->number, o->count);
  if (before.number > 0 && o->held != before.held)
    finder_report(finder, now->step, now->time_s, EVENT_NAME(operation), "%s %s",
                  o->number > o->count ? "the end" : o->name,
                  o->held ? "is held by an order from outside" : "goes on");
  if (o->overdue && (!before.overdue || o->number > before.number))
    finder_report(finder, now->step, now->time_s, EVENT_NAME(operation), "%s is overdue", o->name);
}

void event_find(struct event_finder *finder, const struct frame *frame) {
  find_sim_events(finder, &frame->output);
  find_faults(finder, frame);
  find_refused_orders(finder, frame);
  find_violated_verdicts(finder, frame);
  find_command_changes(finder, frame);
  find_refused_inside(finder, frame);
  find_changeovers(finder, frame);
  find_notices(finder, frame);
  find_tensioner_orders(finder, frame);
  find_operations(finder, frame);
}
