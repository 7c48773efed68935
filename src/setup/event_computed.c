// Events that follow from the steps: faults, verdicts, commands, events of the simulator. A replay finds them
// again, with the same texts.
#include "setup/event_watch.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void find_sim_events(struct event_watch *watch, const struct sim_output *now) {
  uint32_t fresh = now->events & ~watch->sim_events;
  watch->sim_events |= now->events;
  for (int i = 0; i < EVENT_COUNT; i++)
    if (fresh & (UINT32_C(1) << i))
      event_watch_log(watch, now->step, now->time_s, sim_event_name(i), "%s", sim_event_text(i));
}

static int is_active_in(const struct fault_set *set, const struct fault *fault) {
  for (int i = 0; i < set->count; i++)
    if (set->fault[i].since_s == fault->since_s && !strcmp(set->fault[i].name, fault->name))
      return 1;
  return 0;
}

static void find_faults(struct event_watch *watch, const struct frame *frame) {
  const struct sim_output *now = &frame->output;
  const struct fault_set *before = &watch->faults, *active = &frame->faults;
  uint64_t began = 0, started = frame->faults_started - watch->faults_started;

  for (int i = 0; i < before->count; i++)
    if (!is_active_in(active, &before->fault[i]))
      event_watch_log(watch, now->step, now->time_s, "fault_ended", "%s", before->fault[i].name);
  for (int i = 0; i < active->count; i++) {
    const struct fault *fault = &active->fault[i];
    if (is_active_in(before, fault))
      continue;
    event_watch_log(watch, now->step, now->time_s, "fault_began", "%s: %s on %s", fault->name,
                    fault_name(fault->kind), fault_target_text(&watch->scenario->names, fault).text);
    began++;
  }
  if (started > began)
    event_watch_log(watch, now->step, now->time_s, "faults_unseen",
                    "%" PRIu64 " faults began and ended between two frames", started - began);

  watch->faults = frame->faults;
  watch->faults_started = frame->faults_started;
}

static void find_refused_orders(struct event_watch *watch, const struct frame *frame) {
  const struct sim_output *now = &frame->output;
  if (frame->orders_refused != watch->orders_refused)
    event_watch_log(watch, now->step, now->time_s, "order_refused",
                    "%d ordered faults are active, which is the limit: clear one first", MAX_ORDERS);
  watch->orders_refused = frame->orders_refused;
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

static void find_violated_verdicts(struct event_watch *watch, const struct frame *frame) {
  uint32_t fresh = frame->verdicts_violated & ~watch->verdicts_violated;
  watch->verdicts_violated = frame->verdicts_violated;
  for (int i = 0; i < watch->scenario->verdict_count; i++) {
    const struct verdict_def *def = &watch->scenario->verdict[i];
    char violation[64];
    if (!(fresh & (UINT32_C(1) << i)))
      continue;
    violation_text(def, violation, sizeof violation);
    if (def->expect_violated && def->alarm.is_used)
      event_watch_log(watch, frame->output.step, frame->output.time_s, "verdict_met",
                      "%s: the alarm that it expects has come", def->name);
    else
      event_watch_log(watch, frame->output.step, frame->output.time_s,
                      def->expect_violated ? "verdict_met" : "verdict_violated", "%s: %s %s%s", def->name,
                      quantity_shown_name((int)def->quantity), violation,
                      def->expect_violated ? ", as expected" : "");
  }
}

static void find_command_changes(struct event_watch *watch, const struct frame *frame) {
  const struct sim_output *now = &frame->output;
  enum command_state before = watch->command_state, state = frame->command_state;
  watch->command_state = state;
  if (state == COMMAND_LOST && before != COMMAND_LOST)
    event_watch_log(
        watch, now->step, now->time_s, "command_lost",
        "no command within network.command_timeout_s; the last one answered the Sensors of step %" PRIu64,
        frame->command_based_on_step);
  else if (before == COMMAND_LOST && state != COMMAND_LOST)
    event_watch_log(watch, now->step, now->time_s, "command_back", "commands arrive again");
  else if (before == COMMAND_WAITING && state != COMMAND_WAITING)
    event_watch_log(watch, now->step, now->time_s, "command_first", "the first command has arrived");
}

static void find_notices(struct event_watch *watch, const struct frame *frame) {
  const struct sim_output *now = &frame->output;
  for (int i = 0; i < NOTICE_COUNT; i++) {
    const struct notice *notice = &frame->notices.kind[i];
    char text[sizeof watch->kept->text];
    if (notice->count == watch->notices_seen[i])
      continue;
    watch->notices_seen[i] = notice->count;
    notice_text(i, notice, notice->thruster >= 0 ? now->thruster[notice->thruster].name : "", text,
                sizeof text);
    event_watch_log(watch, now->step, now->time_s, notice_name(i), "%s", text);
  }
}

// The first order is that of the configuration at the start. A change of a set-point alone is no event: a
// controller may send another one in each command.
static void find_tensioner_orders(struct event_watch *watch, const struct frame *frame) {
  const struct sim_output *now = &frame->output;
  const struct tensioner_output *t = &now->tensioner;
  if (!now->has_tensioner)
    return;
  if (watch->has_tensioner_order &&
      (t->ordered != watch->tensioner_ordered || t->source != watch->tensioner_source)) {
    char set[40] = "";
    if (t->ordered != TENSIONER_BRAKE)
      snprintf(set, sizeof set, " %g %s",
               t->ordered == TENSIONER_TENSION ? t->ordered_tension_n : t->ordered_speed_mps,
               t->ordered == TENSIONER_TENSION ? "N" : "m/s");
    // Only the tensioner itself gives an order in the place of a controller that is silent.
    if (frame->command_state == COMMAND_LOST && t->source == TENSIONER_BY_CONTROLLER &&
        t->ordered == TENSIONER_BRAKE)
      event_watch_log(watch, now->step, now->time_s, "tensioner_silence",
                      "the tensioner brakes: its controller is silent (pipe.tensioner.on_silence)");
    else
      event_watch_log(watch, now->step, now->time_s, "tensioner_order", "%s%s, by the %s",
                      tensioner_mode_name((int)t->ordered), set, tensioner_source_name((int)t->source));
  }
  watch->has_tensioner_order = 1;
  watch->tensioner_ordered = t->ordered;
  watch->tensioner_source = t->source;
}

static void find_operations(struct event_watch *watch, const struct frame *frame) {
  const struct sim_output *now = &frame->output;
  const struct operation_output *o = &now->operation, before = watch->operation;
  watch->operation = *o;
  if (o->count == 0 || (before.number == 0 && now->step > 1)) // none, or a session that is resumed
    return;
  if (before.number > 0 && o->number > before.number)
    event_watch_log(watch, now->step, now->time_s, "operation", "%s ends", before.name);
  if (before.number > 0 && o->number > before.number + 1)
    event_watch_log(watch, now->step, now->time_s, "operation", "%d more had ended as they began",
                    o->number - before.number - 1);
  if (o->number > before.number && o->number > o->count)
    event_watch_log(watch, now->step, now->time_s, "operation", "all %d have ended", o->count);
  else if (o->number > before.number)
    event_watch_log(watch, now->step, now->time_s, "operation", "%s begins, %d of %d", o->name, o->number,
                    o->count);
  if (before.number > 0 && o->held != before.held)
    event_watch_log(watch, now->step, now->time_s, "operation", "%s %s",
                    o->number > o->count ? "the end" : o->name,
                    o->held ? "is held by an order from outside" : "goes on");
  if (o->overdue && (!before.overdue || o->number > before.number))
    event_watch_log(watch, now->step, now->time_s, "operation", "%s is overdue", o->name);
}

void event_watch_find_computed(struct event_watch *watch, const struct frame *frame) {
  find_sim_events(watch, &frame->output);
  find_faults(watch, frame);
  find_refused_orders(watch, frame);
  find_violated_verdicts(watch, frame);
  find_command_changes(watch, frame);
  find_notices(watch, frame);
  find_tensioner_orders(watch, frame);
  find_operations(watch, frame);
}

int event_is_computed(const char *name) {
  static const char *const names[] = {
      "fault_began",  "fault_ended",   "order_refused",   "verdict_violated",  "verdict_met", "command_lost",
      "command_back", "command_first", "tensioner_order", "tensioner_silence", "operation"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(name, names[i]))
      return 1;
  for (int i = 0; i < EVENT_COUNT; i++)
    if (!strcmp(name, sim_event_name(i)))
      return 1;
  return notice_find(name) >= 0;
}
