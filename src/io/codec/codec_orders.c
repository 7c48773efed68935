// Orders of an operator and their receipts: packed and unpacked.
#include "io/codec/codec_parts.h"

#include "sagbend/v1/envelope.pb-c.h"

#include <stdio.h>
#include <string.h>

static char *text_of(const char *text) {
  return (char *)(uintptr_t)text;
}

// The messages of parameters, which live as long as this.
struct parameter_messages {
  Sagbend__V1__FaultParameter item[FAULT_PARAMETERS], *list[FAULT_PARAMETERS];
};

static size_t fill_parameters(const struct fault_request *q, Sagbend__V1__FaultParameter *item,
                              Sagbend__V1__FaultParameter **list) {
  size_t count = (size_t)(q->parameter_count < FAULT_PARAMETERS ? q->parameter_count : FAULT_PARAMETERS);
  for (size_t i = 0; i < count; i++) {
    const struct fault_parameter_given *p = &q->parameter[i];
    sagbend__v1__fault_parameter__init(&item[i]);
    item[i].name = text_of(p->name);
    item[i].value_case =
        p->is_text ? SAGBEND__V1__FAULT_PARAMETER__VALUE_TEXT : SAGBEND__V1__FAULT_PARAMETER__VALUE_NUMBER;
    if (p->is_text)
      item[i].text = text_of(p->text);
    else
      item[i].number = p->number;
    list[i] = &item[i];
  }
  return count;
}

void wire_fill_fault_order(const struct fault_request *request, const char *name, double duration_s,
                           struct fault_order_message *out) {
  sagbend__v1__fault_order__init(&out->message);
  out->message.kind = text_of(request->kind);
  out->message.target = text_of(request->target);
  out->message.n_parameter = fill_parameters(request, out->item, out->list);
  out->message.parameter = out->list;
  out->message.duration_s = duration_s;
  out->message.name = text_of(name);
}

size_t wire_pack_order(const struct wire_header *h, const struct wire_order *o, uint8_t *out,
                       size_t capacity) {
  Sagbend__V1__Header header = wire_header_message(h);
  struct fault_order_message fault;
  wire_fill_fault_order(&o->fault, o->name, o->duration_s, &fault);
  Sagbend__V1__ClearOrder clear = SAGBEND__V1__CLEAR_ORDER__INIT;
  Sagbend__V1__ListOrder list = SAGBEND__V1__LIST_ORDER__INIT;
  Sagbend__V1__StopOrder stop = SAGBEND__V1__STOP_ORDER__INIT;
  Sagbend__V1__Order m = SAGBEND__V1__ORDER__INIT;
  clear.name = text_of(o->name);
  m.header = &header;
  m.operator_ = text_of(o->operator_name);
  m.order_case = (Sagbend__V1__Order__OrderCase)o->kind; // numbered alike
  switch (o->kind) {
  case WIRE_ORDER_FAULT:
    m.fault = &fault.message;
    break;
  case WIRE_ORDER_CLEAR:
    m.clear = &clear;
    break;
  case WIRE_ORDER_LIST:
    m.list = &list;
    break;
  case WIRE_ORDER_STOP:
    m.stop = &stop;
    break;
  case WIRE_ORDER_NONE:
    return 0;
  }
  Sagbend__V1__Envelope e = SAGBEND__V1__ENVELOPE__INIT;
  e.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_ORDER;
  e.order = &m;
  return wire_pack(&e.base, out, capacity);
}

_Static_assert(SAGBEND__V1__ORDER__ORDER_FAULT == (int)WIRE_ORDER_FAULT &&
                   SAGBEND__V1__ORDER__ORDER_STOP == (int)WIRE_ORDER_STOP,
               "numbered alike");

size_t wire_pack_receipt(const struct wire_header *h, const struct wire_receipt *r, uint8_t *out,
                         size_t capacity) {
  Sagbend__V1__Header header = wire_header_message(h);
  Sagbend__V1__ActiveFault active[WIRE_MAX_ACTIVE], *list[WIRE_MAX_ACTIVE];
  struct parameter_messages parameters[WIRE_MAX_ACTIVE];
  Sagbend__V1__Receipt m = SAGBEND__V1__RECEIPT__INIT;
  m.header = &header;
  m.received_sequence = r->received_sequence;
  m.name = text_of(r->name);
  m.active = list;
  m.active_count = (uint32_t)r->active_count;
  for (int i = 0; i < r->active_count && i < WIRE_MAX_ACTIVE; i++) {
    const struct wire_active *a = &r->active[i];
    sagbend__v1__active_fault__init(&active[i]);
    active[i].name = text_of(a->name);
    active[i].kind = text_of(a->fault.kind);
    active[i].target = text_of(a->fault.target);
    active[i].since_s = a->since_s;
    active[i].n_parameter = fill_parameters(&a->fault, parameters[i].item, parameters[i].list);
    active[i].parameter = parameters[i].list;
    list[m.n_active++] = &active[i];
  }
  Sagbend__V1__Envelope e = SAGBEND__V1__ENVELOPE__INIT;
  e.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_RECEIPT;
  e.receipt = &m;
  return wire_pack(&e.base, out, capacity);
}

static int copy(char out[SIGNAL_NAME], const char *text) {
  return snprintf(out, SIGNAL_NAME, "%s", text) < SIGNAL_NAME;
}

static const char *read_parameters(Sagbend__V1__FaultParameter **list, size_t count,
                                   struct fault_request *out) {
  if (count > sizeof out->parameter / sizeof *out->parameter)
    return "parameter: at most two of them expected";
  for (size_t i = 0; i < count; i++) {
    struct fault_parameter_given *p = &out->parameter[out->parameter_count++];
    p->is_text = list[i]->value_case == SAGBEND__V1__FAULT_PARAMETER__VALUE_TEXT;
    if (!copy(p->name, list[i]->name) || (p->is_text && !copy(p->text, list[i]->text)))
      return "parameter: a name of at most 23 characters expected";
    if (list[i]->value_case == SAGBEND__V1__FAULT_PARAMETER__VALUE__NOT_SET)
      return "parameter: a number or a text expected";
    if (!p->is_text)
      p->number = list[i]->number;
  }
  return NULL;
}

const char *wire_read_fault_order(const Sagbend__V1__FaultOrder *m, struct wire_order *out) {
  if (!copy(out->fault.kind, m->kind) || !copy(out->fault.target, m->target) || !copy(out->name, m->name))
    return "kind, target, name: at most 23 characters expected";
  if (!(m->duration_s >= 0) || m->duration_s > 1e9)
    return "duration_s: a number from 0 to 1e9 expected";
  out->kind = WIRE_ORDER_FAULT;
  out->duration_s = m->duration_s;
  return read_parameters(m->parameter, m->n_parameter, &out->fault);
}

const char *wire_read_order(const Sagbend__V1__Order *m, struct wire_order *out) {
  if (snprintf(out->operator_name, sizeof out->operator_name, "%s", m->operator_) >= WIRE_NAME)
    return "operator: at most 63 characters expected";
  out->kind = (enum wire_order_kind)m->order_case;
  switch (out->kind) {
  case WIRE_ORDER_FAULT:
    return wire_read_fault_order(m->fault, out);
  case WIRE_ORDER_CLEAR:
    return *m->clear->name && copy(out->name, m->clear->name) ? NULL : "name: 1 to 23 characters expected";
  case WIRE_ORDER_LIST:
  case WIRE_ORDER_STOP:
    return NULL;
  default:
    return "fault, clear, list or stop expected";
  }
}

const char *wire_read_receipt(const Sagbend__V1__Receipt *m, struct wire_receipt *out) {
  out->received_sequence = m->received_sequence;
  out->active_count = (int)m->active_count;
  if (!copy(out->name, m->name) || m->n_active > WIRE_MAX_ACTIVE || m->active_count < m->n_active)
    return "a Receipt as a simulator sends it expected";
  for (size_t i = 0; i < m->n_active; i++) {
    struct wire_active *a = &out->active[i];
    const Sagbend__V1__ActiveFault *from = m->active[i];
    a->since_s = from->since_s;
    if (!copy(a->name, from->name) || !copy(a->fault.kind, from->kind) ||
        !copy(a->fault.target, from->target) ||
        read_parameters(from->parameter, from->n_parameter, &a->fault))
      return "active: a fault as a simulator tells it expected";
  }
  return NULL;
}
