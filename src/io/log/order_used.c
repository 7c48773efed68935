// Orders of an operator as a session's log holds them.
#include "io/log/order_used.h"

#include "io/codec/message_parts.h"

#include "sagbend/v1/log.pb-c.h"

#include <stdio.h>
#include <string.h>

size_t log_pack_order(const struct hil_names *names, uint64_t step, const struct order *o, uint8_t *out,
                      size_t capacity) {
  Sagbend__V1__OrderUsed m = SAGBEND__V1__ORDER_USED__INIT;
  struct fault_order_message fault;
  struct fault_request q;
  fault_to_request(names, &o->fault, &q);
  wire_fill_fault_order(&q, o->name, o->duration_s, &fault);
  Sagbend__V1__ClearOrder clear = SAGBEND__V1__CLEAR_ORDER__INIT;
  clear.name = (char *)(uintptr_t)(o->kind == ORDER_CLEAR_ALL ? "all" : o->name);
  m.step = step;
  m.number = o->number;
  if (o->kind == ORDER_FAULT) {
    m.order_case = SAGBEND__V1__ORDER_USED__ORDER_FAULT;
    m.fault = &fault.message;
  } else {
    m.order_case = SAGBEND__V1__ORDER_USED__ORDER_CLEAR;
    m.clear = &clear;
  }
  return wire_pack(&m.base, out, capacity);
}

enum status log_read_order(const Sagbend__V1__OrderUsed *m, const struct hil_names *names, struct order *out,
                           struct reason *why) {
  struct wire_order w = {.kind = WIRE_ORDER_NONE};
  int where;
  memset(out, 0, sizeof *out);
  out->number = m->number;
  if (m->order_case == SAGBEND__V1__ORDER_USED__ORDER_CLEAR &&
      snprintf(out->name, sizeof out->name, "%s", m->clear->name) < (int)sizeof out->name) {
    out->kind = strcmp(out->name, "all") == 0 ? ORDER_CLEAR_ALL : ORDER_CLEAR;
    return STATUS_OK;
  }
  const char *wrong = m->order_case == SAGBEND__V1__ORDER_USED__ORDER_FAULT
                          ? wire_read_fault_order(m->fault, &w)
                          : "neither a fault nor a clear";
  if (wrong)
    return fail(why, STATUS_BAD_INPUT, "order number %llu: %s", (unsigned long long)m->number, wrong);
  memcpy(out->name, w.name, sizeof out->name);
  out->duration_s = w.duration_s;
  return fault_from_request(names, &w.fault, &out->fault, &where, why);
}
