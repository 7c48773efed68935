// What operators order, and why an order is refused.
#include "io/wire/server_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void server_on_order(struct server *s, int (*taken)(void *context, const struct order *order, int stop),
                     void *context) {
  s->take_order = taken;
  s->order_context = context;
}

static int is_active(const struct server *s, const char *name) {
  for (int i = 0; i < s->faults.count; i++)
    if (!strcmp(s->faults.fault[i].name, name))
      return 1;
  return 0;
}

// Fills the order; the number is the next one's. STATUS_BAD_INPUT and why it is refused.
static enum status order_of(const struct server *s, const struct wire_order *w, struct order *o,
                            struct reason *why) {
  memset(o, 0, sizeof *o);
  o->number = (s->order_number > s->last_order ? s->order_number : s->last_order) + 1;
  memcpy(o->name, w->name, sizeof o->name);
  if (w->kind == WIRE_ORDER_CLEAR) {
    o->kind = strcmp(w->name, "all") == 0 ? ORDER_CLEAR_ALL : ORDER_CLEAR;
    return o->kind == ORDER_CLEAR_ALL || is_active(s, w->name)
               ? STATUS_OK
               : fail(why, STATUS_BAD_INPUT, "name: that of an active fault or all expected, got '%s'",
                      w->name);
  }
  int where;
  struct reason what = {""};
  enum status status = fault_from_request(&s->names, &w->fault, &o->fault, &where, &what);
  if (status != STATUS_OK)
    return fail(why, status, "%s: %s",
                where >= FAULT_WRONG_PARAMETER ? w->fault.parameter[where].name
                : where == FAULT_WRONG_KIND    ? "kind"
                : where == FAULT_WRONG_TARGET  ? "target"
                                               : w->fault.kind,
                what.text);
  o->duration_s = w->duration_s;
  if (!*o->name)
    snprintf(o->name, sizeof o->name, "%.*s-%" PRIu64, SIGNAL_NAME - 8, w->fault.kind, o->number % 1000000);
  if (is_active(s, o->name) || !strcmp(o->name, "all"))
    return fail(why, STATUS_BAD_INPUT, "name: one that no active fault has expected, got '%s'", o->name);
  uint64_t under_way = s->order_number > s->last_order ? s->order_number - s->last_order : 0;
  if ((uint64_t)s->orders_active + under_way >= MAX_ORDERS)
    return fail(why, STATUS_BAD_INPUT, "at most %d ordered faults at a time expected", MAX_ORDERS);
  return STATUS_OK;
}

static void give_receipt(struct server *s, const unsigned char *identity, size_t identity_size,
                         uint64_t sequence, const char *name) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_receipt r = {.received_sequence = sequence, .active_count = s->faults.count};
  snprintf(r.name, sizeof r.name, "%s", name);
  for (int i = 0; i < s->faults.count && i < WIRE_MAX_ACTIVE; i++) { // the newest first
    const struct fault *f = &s->faults.fault[s->faults.count - 1 - i];
    memcpy(r.active[i].name, f->name, sizeof r.active[i].name);
    r.active[i].since_s = f->since_s;
    fault_to_request(&s->names, f, &r.active[i].fault);
  }
  struct wire_header header = server_header(s, STREAM_RECEIPT, s->step, s->time_s);
  server_send_to(s, identity, identity_size, bytes, wire_pack_receipt(&header, &r, bytes, sizeof bytes));
}

static void tell(struct server *s, const struct wire_order *w, const struct order *o) {
  char text[WIRE_MAX_TEXT + 1];
  const char *who = *w->operator_name ? w->operator_name : "an operator";
  if (w->kind == WIRE_ORDER_STOP)
    snprintf(text, sizeof text, "%s: stop", who);
  else if (w->kind == WIRE_ORDER_CLEAR)
    snprintf(text, sizeof text, "%s: clear %s", who, w->name);
  else
    snprintf(text, sizeof text, "%s: fault %s on %s, called %s", who, w->fault.kind,
             fault_target_text(&s->names, &o->fault).text, o->name);
  server_publish_event(s, s->step, s->time_s, "order",
                       text); // each of them, however many refusals there were
  if (s->told)
    s->told(s->told_context, s->step, s->time_s, "order", text);
}

void server_handle_order(struct server *s, const unsigned char *identity, size_t identity_size,
                         const struct wire_message *m) {
  const struct wire_order *w = &m->as.order;
  struct order order = {0};
  struct reason why = {""};
  if (*m->header.session && strcmp(m->header.session, s->session) != 0) {
    server_refuse(s, identity, identity_size, REFUSED_SESSION, m->header.sequence, NULL);
    return;
  }
  int stop = w->kind == WIRE_ORDER_STOP, changes = w->kind != WIRE_ORDER_LIST;
  if (changes && !s->take_order)
    fail(&why, STATUS_BAD_INPUT, "orders are not taken here");
  else if (changes && !stop)
    order_of(s, w, &order, &why);
  if (changes && s->take_order && !*why.text && !s->take_order(s->order_context, stop ? NULL : &order, stop))
    fail(&why, STATUS_BAD_INPUT, "too many orders at once");
  if (*why.text) {
    server_refuse(s, identity, identity_size, REFUSED_RANGE, m->header.sequence, why.text);
    return;
  }
  if (changes && !stop)
    s->order_number = order.number;
  if (changes)
    tell(s, w, &order);
  give_receipt(s, identity, identity_size, m->header.sequence, order.name);
}
