// Printing the answer to an order: text for people.
#include "ctl/ctl_manager.h"
#include "ctl/ctl_orders.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const double DEG_PER_RAD = 180 / 3.14159265358979323846;

static void print_fault(const struct wire_active *a) {
  printf("%-23s %-20s %-23s ", a->name, a->fault.kind, *a->fault.target ? a->fault.target : "-");
  if (a->pending)
    printf("pending, from the next step on");
  else
    printf("since %.3f s", a->since_s);
  for (int k = 0; k < a->fault.parameter_count; k++) {
    const struct fault_parameter_given *p = &a->fault.parameter[k];
    if (p->is_text)
      printf("  %s %s", p->name, p->text);
    else
      printf("  %s %g", p->name, p->number);
  }
  puts("");
}

static void print_faults(const struct wire_receipt *r, int most) {
  for (int i = 0; i < r->active_count && i < most; i++)
    print_fault(&r->active[i]);
  if (r->active_count > most)
    printf("and %d more\n", r->active_count - most);
}

// A row of the page: a name, then what the caller prints.
static void row(const char *name) {
  printf("%-14s", name);
}

static void print_state(const struct wire_status *s) {
  row("state");
  if (!s->is_paused)
    printf("running");
  else if (*s->pause.operator_name)
    printf("%s by %s for %.1f s: %s", s->pause.halted ? "halted" : "paused", s->pause.operator_name,
           s->pause.wall_s, s->pause.why);
  else
    printf("%s for %.1f s: %s", s->pause.halted ? "halted" : "paused", s->pause.wall_s, s->pause.why);
  if (s->pauses > 0)
    printf("; %" PRIu64 " pause%s, %.1f s in all", s->pauses, s->pauses == 1 ? "" : "s", s->paused_wall_s);
  puts("");
}

static void print_time(const struct wire_status *s) {
  static const char *const modes[] = {"realtime", "lockstep", "fast"};
  row("mode");
  printf("%s", (unsigned)s->mode < 3 ? modes[s->mode] : "unknown");
  if (s->rate > 0)
    printf(", %g times the wall clock", s->rate);
  puts("");
  row("time");
  printf("step %" PRIu64 ", simulated %.3f s", s->header.step, s->header.time_s);
  if (s->duration_s > 0)
    printf(" of %g s", s->duration_s);
  printf(", wall clock %.1f s\n", s->wall_s);
  row("lateness");
  printf("%" PRIu64 " late steps, %" PRIu64 " skipped periods, lag %.6f s\n", s->deadline_misses,
         s->skipped_periods, s->lag_s);
}

static void print_earlier(const struct wire_earlier *e) {
  if (!e->count)
    return;
  row("earlier");
  printf("in earlier sessions: %" PRIu64 " session%s, %" PRIu64 " late steps, %" PRIu64
         " skipped periods, lag %.6f s, ",
         e->count, e->count == 1 ? "" : "s", e->deadline_misses, e->skipped_periods, e->lag_s);
  printf("%" PRIu64 " messages missing in %" PRIu64 " of the logs, verdicts failed in %" PRIu64 "\n",
         e->log_dropped, e->logs_incomplete, e->verdicts_failed);
}

static void print_peers(const struct wire_status *s) {
  row("controllers");
  if (s->peer_count == 0)
    puts("none");
  for (int i = 0; i < s->peer_count; i++) {
    const struct wire_peer_status *p = &s->peer[i];
    if (i > 0)
      row("");
    printf("%s (number %" PRIu64 "%s%s)%s, heard %.1f s ago\n", p->name, p->number, *p->key ? ", key " : "",
           p->key, p->in_command ? ", in command" : "", p->heard_s_ago);
  }
}

static void print_recording(const struct wire_status *s) {
  row("log");
  if (!s->has_log)
    printf("none");
  else
    printf("%s%s, %" PRIu64 " messages missing", s->log.path, s->log.stalled ? ", stalled" : "",
           s->log.dropped);
  if (s->has_log && s->log.commands_missing)
    printf(", can be replayed to step %" PRIu64, s->log.replayable_to_step);
  puts("");
  row("checkpoint");
  if (s->has_checkpoint)
    printf("%s, %" PRIu64 " written, the newest at step %" PRIu64 ", %" PRIu64 " skipped, %" PRIu64
           " failed\n",
           s->checkpoint.path, s->checkpoint.written, s->checkpoint.last_step, s->checkpoint.skipped,
           s->checkpoint.failed);
  else
    puts("none");
}

static void print_tensioner(const struct wire_tensioner_status *t) {
  row("tensioner");
  printf("%s", tensioner_mode_name((int)t->ordered));
  if (t->ordered == TENSIONER_TENSION)
    printf(" %g N", t->tension_n);
  if (t->ordered == TENSIONER_SPEED)
    printf(" %g m/s", t->speed_mps);
  printf(" ordered by the %s", tensioner_source_name((int)t->source));
  if (t->mode != t->ordered)
    printf(", %s in effect", tensioner_mode_name((int)t->mode));
  printf("; %.3f kN, %.3f m paid out, %.4f m/s\n", 1e-3 * t->hangoff_tension_n, t->paid_out_m, t->payout_mps);
}

static void print_track(const struct wire_track *t) {
  row("route");
  printf(t->orders.is_stopped ? "stopped" : "goes");
  if (t->orders.speed_mps > 0)
    printf(", at %g m/s", t->orders.speed_mps);
  if (t->order)
    printf(", by order %" PRIu64 "\n", t->order);
  else
    printf(" as the DP file says\n");
}

static void print_operation(const struct operation_output *o) {
  row("operation");
  if (o->number > o->count) {
    printf("all %d have ended\n", o->count);
    return;
  }
  printf("%d of %d, %s: %.0f s", o->number, o->count, o->name, o->since_s);
  if (o->progress > 0)
    printf(", %.0f %% done", 100 * o->progress);
  printf("%s%s\n", o->held ? ", held" : "", o->overdue ? ", overdue" : "");
}

static void print_status(const struct wire_receipt *r) {
  const struct wire_status *s = &r->status;
  row("session");
  printf("%s of %s, sagbend %s\n", s->header.session, s->name, s->version);
  print_state(s);
  print_time(s);
  print_earlier(&s->earlier);
  row("set-point");
  if (s->has_setpoint)
    printf("north %.3f m, east %.3f m, heading %.3f deg\n", s->setpoint[0], s->setpoint[1],
           s->setpoint[2] * DEG_PER_RAD);
  else
    puts("none");
  if (s->has_track)
    print_track(&s->track);
  if (s->has_tensioner)
    print_tensioner(&s->tensioner);
  if (s->operation.count > 0)
    print_operation(&s->operation);
  print_peers(s);
  print_recording(s);
  row("orders");
  printf("%" PRIu64 " accepted, %" PRIu64 " refused, the newest is number %" PRIu64, s->orders_accepted,
         s->orders_refused, s->order_newest);
  if (s->orders_failed)
    printf("; %" PRIu64 " failed: %s", s->orders_failed, s->order_failure);
  puts("");
  uint64_t denied = 0;
  for (int i = 0; i < DENIAL_COUNT; i++)
    denied += s->security.denied[i];
  row("security");
  printf("%s, %" PRIu64 " connections, %" PRIu64 " denied\n",
         s->security.keys_required ? "keys required" : "no keys", s->security.connections, denied);
  row("faults");
  printf("%d\n", r->active_count);
  print_faults(r, WIRE_MAX_ACTIVE_BESIDE_STATUS);
}

void ctl_print_receipt(const struct order *order, const struct wire_receipt *receipt) {
  if (receipt->manager.kind == MANAGER_STATUS)
    ctl_print_manager(&receipt->manager.as.status);
  else if (order->kind == ORDER_STATUS && receipt->has_status)
    print_status(receipt);
  else if (order->kind == ORDER_LIST && receipt->active_count == 0)
    puts("no fault is active");
  else if (order->kind == ORDER_LIST)
    print_faults(receipt, WIRE_MAX_ACTIVE);
  else if (order->kind == ORDER_FAULT || order->kind == ORDER_SNAPSHOT)
    printf("%s\n", receipt->name);
}
