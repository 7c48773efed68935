// Printing the answer to an order: one JSON object on one line. docs/operation.md lists the keys.
#include "ctl/ctl_manager.h"
#include "ctl/ctl_orders.h"
#include "io/files/json_text.h"

#include <math.h>
#include <stdio.h>

static const double DEG_PER_RAD = 180 / 3.14159265358979323846;

static void add_count(cJSON *to, const char *key, uint64_t value) {
  cJSON_AddNumberToObject(to, key, (double)value);
}

// Text, or null for the empty text.
static void add_text(cJSON *to, const char *key, const char *text) {
  if (*text)
    cJSON_AddStringToObject(to, key, text);
  else
    cJSON_AddNullToObject(to, key);
}

static void add_fault(cJSON *to, const struct wire_active *a) {
  cJSON *fault = cJSON_CreateObject();
  cJSON_AddStringToObject(fault, "name", a->name);
  cJSON_AddStringToObject(fault, "kind", a->fault.kind);
  add_text(fault, "target", a->fault.target);
  cJSON_AddBoolToObject(fault, "pending", a->pending);
  if (a->pending)
    cJSON_AddNullToObject(fault, "since_s");
  else
    cJSON_AddNumberToObject(fault, "since_s", a->since_s);
  cJSON *parameters = cJSON_AddObjectToObject(fault, "parameters");
  for (int i = 0; i < a->fault.parameter_count; i++) {
    const struct fault_parameter_given *p = &a->fault.parameter[i];
    if (p->is_text)
      cJSON_AddStringToObject(parameters, p->name, p->text);
    else
      cJSON_AddNumberToObject(parameters, p->name, p->number);
  }
  cJSON_AddItemToArray(to, fault);
}

static void add_faults(cJSON *to, const struct wire_receipt *r, int most) {
  cJSON_AddNumberToObject(to, "fault_count", r->active_count);
  cJSON *list = cJSON_AddArrayToObject(to, "faults");
  for (int i = 0; i < r->active_count && i < most; i++)
    add_fault(list, &r->active[i]);
}

static void add_pause(cJSON *to, const struct wire_status *s) {
  const struct wire_pause *p = &s->pause;
  cJSON_AddStringToObject(to, "state", !s->is_paused ? "running" : p->halted ? "halted" : "paused");
  if (s->is_paused) {
    cJSON *pause = cJSON_AddObjectToObject(to, "pause");
    cJSON_AddBoolToObject(pause, "halted", p->halted);
    cJSON_AddStringToObject(pause, "why", p->why);
    add_text(pause, "operator", p->operator_name);
    cJSON_AddNumberToObject(pause, "wall_s", p->wall_s);
  } else {
    cJSON_AddNullToObject(to, "pause");
  }
  add_count(to, "pauses", s->pauses);
  cJSON_AddNumberToObject(to, "paused_wall_s", s->paused_wall_s);
}

static void add_setpoint(cJSON *to, const struct wire_status *s) {
  if (!s->has_setpoint) {
    cJSON_AddNullToObject(to, "set_point");
    return;
  }
  cJSON *setpoint = cJSON_AddObjectToObject(to, "set_point");
  cJSON_AddNumberToObject(setpoint, "north_m", s->setpoint[0]);
  cJSON_AddNumberToObject(setpoint, "east_m", s->setpoint[1]);
  cJSON_AddNumberToObject(setpoint, "heading_deg", s->setpoint[2] * DEG_PER_RAD);
}

static void add_track(cJSON *to, const struct wire_status *s) {
  if (!s->has_track) {
    cJSON_AddNullToObject(to, "track");
    return;
  }
  cJSON *o = cJSON_AddObjectToObject(to, "track");
  cJSON_AddBoolToObject(o, "stopped", s->track.orders.is_stopped != 0);
  if (s->track.orders.speed_mps > 0)
    cJSON_AddNumberToObject(o, "speed_mps", s->track.orders.speed_mps);
  else
    cJSON_AddNullToObject(o, "speed_mps");
  add_count(o, "order", s->track.order);
}

static void add_tensioner(cJSON *to, const struct wire_status *s) {
  const struct wire_tensioner_status *t = &s->tensioner;
  if (!s->has_tensioner) {
    cJSON_AddNullToObject(to, "tensioner");
    return;
  }
  cJSON *o = cJSON_AddObjectToObject(to, "tensioner");
  cJSON_AddStringToObject(o, "ordered", tensioner_mode_name((int)t->ordered));
  cJSON_AddStringToObject(o, "source", tensioner_source_name((int)t->source));
  cJSON_AddStringToObject(o, "mode", tensioner_mode_name((int)t->mode));
  cJSON_AddNumberToObject(o, "tension_n", t->tension_n);
  cJSON_AddNumberToObject(o, "speed_mps", t->speed_mps);
  cJSON_AddNumberToObject(o, "hangoff_tension_n", t->hangoff_tension_n);
  cJSON_AddNumberToObject(o, "paid_out_m", t->paid_out_m);
  cJSON_AddNumberToObject(o, "payout_mps", t->payout_mps);
}

static void add_operation(cJSON *to, const struct operation_output *from) {
  if (from->count == 0) {
    cJSON_AddNullToObject(to, "operation");
    return;
  }
  cJSON *o = cJSON_AddObjectToObject(to, "operation");
  cJSON_AddNumberToObject(o, "number", from->number);
  cJSON_AddNumberToObject(o, "count", from->count);
  cJSON_AddStringToObject(o, "name", from->name);
  cJSON_AddNumberToObject(o, "since_s", from->since_s);
  cJSON_AddNumberToObject(o, "progress", from->progress);
  cJSON_AddNumberToObject(o, "moves", from->moves);
  cJSON_AddBoolToObject(o, "held", from->held);
  cJSON_AddBoolToObject(o, "overdue", from->overdue);
}

static void add_controllers(cJSON *to, const struct wire_status *s) {
  const char *in_command = "";
  for (int i = 0; i < s->peer_count; i++)
    if (s->peer[i].in_command)
      in_command = s->peer[i].name;
  add_text(to, "in_command", in_command);
  cJSON *list = cJSON_AddArrayToObject(to, "controllers");
  for (int i = 0; i < s->peer_count; i++) {
    const struct wire_peer_status *p = &s->peer[i];
    cJSON *peer = cJSON_CreateObject();
    cJSON_AddStringToObject(peer, "name", p->name);
    add_count(peer, "number", p->number);
    add_text(peer, "key", p->key);
    cJSON_AddBoolToObject(peer, "in_command", p->in_command);
    cJSON_AddNumberToObject(peer, "heard_s_ago", p->heard_s_ago);
    cJSON_AddNumberToObject(peer, "joined_s_ago", p->joined_s_ago);
    cJSON_AddItemToArray(list, peer);
  }
}

static void add_recording(cJSON *to, const struct wire_status *s) {
  if (s->has_log) {
    cJSON *log = cJSON_AddObjectToObject(to, "log");
    cJSON_AddStringToObject(log, "path", s->log.path);
    cJSON_AddBoolToObject(log, "stalled", s->log.stalled);
    add_count(log, "dropped", s->log.dropped);
    cJSON_AddBoolToObject(log, "commands_missing", s->log.commands_missing);
    if (s->log.commands_missing)
      add_count(log, "replayable_to_step", s->log.replayable_to_step);
    else
      cJSON_AddNullToObject(log, "replayable_to_step");
  } else {
    cJSON_AddNullToObject(to, "log");
  }
  if (s->has_checkpoint) {
    cJSON *checkpoint = cJSON_AddObjectToObject(to, "checkpoint");
    cJSON_AddStringToObject(checkpoint, "path", s->checkpoint.path);
    add_count(checkpoint, "written", s->checkpoint.written);
    add_count(checkpoint, "skipped", s->checkpoint.skipped);
    add_count(checkpoint, "failed", s->checkpoint.failed);
    add_count(checkpoint, "last_step", s->checkpoint.last_step);
  } else {
    cJSON_AddNullToObject(to, "checkpoint");
  }
}

static void add_earlier(cJSON *to, const struct wire_earlier *e) {
  if (!e->count) {
    cJSON_AddNullToObject(to, "earlier_sessions");
    return;
  }
  cJSON *o = cJSON_AddObjectToObject(to, "earlier_sessions");
  add_count(o, "count", e->count);
  add_count(o, "deadline_misses", e->deadline_misses);
  add_count(o, "skipped_periods", e->skipped_periods);
  cJSON_AddNumberToObject(o, "lag_s", e->lag_s);
  add_count(o, "log_dropped", e->log_dropped);
  add_count(o, "logs_incomplete", e->logs_incomplete);
  add_count(o, "verdicts_failed", e->verdicts_failed);
}

static void add_security(cJSON *to, const struct security_counts *counts) {
  cJSON *security = cJSON_AddObjectToObject(to, "security");
  cJSON_AddBoolToObject(security, "keys_required", counts->keys_required);
  add_count(security, "connections", counts->connections);
  add_count(security, "admitted", counts->admitted);
  add_count(security, "take_overs", counts->take_overs);
  cJSON *denied = cJSON_AddObjectToObject(security, "denied");
  for (int i = 0; i < DENIAL_COUNT; i++)
    add_count(denied, denial_name((enum denial)i), counts->denied[i]);
}

static void add_status(cJSON *to, const struct wire_receipt *r) {
  static const char *const modes[] = {"realtime", "lockstep", "fast"};
  const struct wire_status *s = &r->status;
  cJSON_AddStringToObject(to, "name", s->name);
  cJSON_AddStringToObject(to, "version", s->version);
  cJSON_AddStringToObject(to, "mode", (unsigned)s->mode < 3 ? modes[s->mode] : "unknown");
  cJSON_AddNumberToObject(to, "wall_s", s->wall_s);
  if (s->duration_s > 0)
    cJSON_AddNumberToObject(to, "duration_s", s->duration_s);
  else
    cJSON_AddNullToObject(to, "duration_s");
  if (s->rate > 0)
    cJSON_AddNumberToObject(to, "rate", s->rate);
  else
    cJSON_AddNullToObject(to, "rate");
  add_pause(to, s);
  add_setpoint(to, s);
  add_track(to, s);
  add_tensioner(to, s);
  add_operation(to, &s->operation);
  add_controllers(to, s);
  add_count(to, "deadline_misses", s->deadline_misses);
  add_count(to, "skipped_periods", s->skipped_periods);
  cJSON_AddNumberToObject(to, "lag_s", s->lag_s);
  add_recording(to, s);
  cJSON *orders = cJSON_AddObjectToObject(to, "orders");
  add_count(orders, "accepted", s->orders_accepted);
  add_count(orders, "refused", s->orders_refused);
  add_count(orders, "newest", s->order_newest);
  add_count(orders, "in_effect", s->order_in_effect);
  add_count(orders, "failed", s->orders_failed);
  add_text(orders, "failure", s->order_failure);
  add_earlier(to, &s->earlier);
  add_security(to, &s->security);
  add_faults(to, r, WIRE_MAX_ACTIVE_BESIDE_STATUS);
}

static void print_line(cJSON *root) {
  char *text = json_end_in_line(root);
  puts(text ? text : "null");
  cJSON_free(text);
}

void ctl_print_receipt_json(const struct order *order, const struct wire_receipt *receipt) {
  if (receipt->manager.kind == MANAGER_STATUS) {
    ctl_print_manager_json(order, &receipt->manager.as.status);
    return;
  }
  cJSON *root = json_begin();
  cJSON_AddStringToObject(root, "order", order_word(order->kind));
  cJSON_AddBoolToObject(root, "accepted", 1);
  cJSON_AddStringToObject(root, "session", receipt->header.session);
  add_count(root, "step", receipt->header.step);
  cJSON_AddNumberToObject(root, "time_s", receipt->header.time_s);
  if (receipt->number > 0)
    add_count(root, "number", receipt->number);
  if (*receipt->name)
    cJSON_AddStringToObject(root, "name", receipt->name);
  if (order->kind == ORDER_STATUS && receipt->has_status)
    add_status(root, receipt);
  else if (order->kind == ORDER_LIST)
    add_faults(root, receipt, WIRE_MAX_ACTIVE);
  print_line(root);
}

void ctl_print_failure_json(const struct order *order, const struct reason *why) {
  cJSON *root = json_begin();
  cJSON_AddStringToObject(root, "order", order_word(order->kind));
  cJSON_AddBoolToObject(root, "accepted", 0);
  cJSON_AddStringToObject(root, "reason", why->text);
  print_line(root);
}
