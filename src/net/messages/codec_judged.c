// What the topic "status" adds to a Status: verdicts and active faults.
#include "net/messages/codec_view.h"

#include "net/messages/messages_internal.h"

#include <math.h>
#include <string.h>

static Sagbend__V1__VerdictState state_of(const struct verdict *v) {
  return v->violated_step   ? SAGBEND__V1__VERDICT_STATE__VERDICT_STATE_VIOLATED
         : v->outside_since ? SAGBEND__V1__VERDICT_STATE__VERDICT_STATE_OUTSIDE
         : v->judged_steps  ? SAGBEND__V1__VERDICT_STATE__VERDICT_STATE_WITHIN
                            : SAGBEND__V1__VERDICT_STATE__VERDICT_STATE_NOT_JUDGED;
}

static void fill_worst(const struct verdict *v, double step_s, Sagbend__V1__VerdictStatus *out) {
  if (!v->judged_steps)
    return;
  out->worst_time_s = (double)v->worst_step * step_s;
  if (!isfinite(v->worst_value))
    return;
  out->worst_case = SAGBEND__V1__VERDICT_STATUS__WORST_WORST_VALUE;
  out->worst_value = v->worst_value;
  if (isfinite(v->worst_margin)) {
    out->least_margin_case = SAGBEND__V1__VERDICT_STATUS__LEAST_MARGIN_WORST_MARGIN;
    out->worst_margin = v->worst_margin;
  }
}

static void fill_verdict(const struct wire_judged *from, const struct loop_view *view, int i,
                         Sagbend__V1__VerdictStatus *out) {
  const struct verdict_def *def = &from->scenario->verdict[i];
  const struct verdict *v = &from->frame->verdict[i];
  double value = quantity_shown(def->quantity, view);
  sagbend__v1__verdict_status__init(out);
  out->name = text_of(def->name);
  out->state = state_of(v);
  out->passes = verdict_result(v, def) == VERDICT_PASSED;
  if (isfinite(value)) {
    out->present_case = SAGBEND__V1__VERDICT_STATUS__PRESENT_VALUE;
    out->value = value;
    out->present_margin_case = SAGBEND__V1__VERDICT_STATUS__PRESENT_MARGIN_MARGIN;
    out->margin = verdict_margin(def, value);
  }
  fill_worst(v, from->scenario->step_s, out);
  out->violations = v->violations;
  out->violated_time_s = v->violated_step ? (double)v->first_step * from->scenario->step_s : 0;
}

struct active_message {
  Sagbend__V1__ActiveFault message;
  struct fault_order_message order;
  struct fault_request request;
};

static void fill_fault(const struct wire_judged *from, const struct fault *fault,
                       struct active_message *out) {
  fault_to_request(&from->scenario->names, fault, &out->request);
  wire_fill_fault_order(&out->request, fault->name, 0, &out->order);
  sagbend__v1__active_fault__init(&out->message);
  out->message.name = text_of(fault->name);
  out->message.kind = out->request.kind;
  out->message.target = out->request.target;
  out->message.since_s = fault->since_s;
  out->message.n_parameter = out->order.message.n_parameter;
  out->message.parameter = out->order.message.parameter;
}

size_t wire_pack_whole_status(const struct wire_status *status, const struct wire_judged *judged,
                              uint8_t *out, size_t capacity) {
  const struct frame *frame = judged->frame;
  const struct loop_view view = loop_view_of(frame, &frame->target);
  Sagbend__V1__Status message = status->message;
  Sagbend__V1__VerdictStatus verdict[MAX_VERDICTS], *verdicts[MAX_VERDICTS];
  struct active_message fault[MAX_FAULTS];
  Sagbend__V1__ActiveFault *faults[MAX_FAULTS];
  for (int i = 0; i < judged->scenario->verdict_count; i++) {
    fill_verdict(judged, &view, i, &verdict[i]);
    verdicts[message.n_verdict++] = &verdict[i];
  }
  message.verdict = verdicts;
  for (int i = 0; i < frame->faults.count; i++) {
    fill_fault(judged, &frame->faults.fault[i], &fault[i]);
    faults[message.n_fault++] = &fault[i].message;
  }
  message.fault = faults;
  return wire_pack(&message.base, out, capacity);
}
