// What the system did to the simulation thread, and the late steps, in Timing.
#include "io/codec/codec_parts.h"

#include "hil/step_stages.h"

static Sagbend__V1__LateStep *fill_late_step(const struct late_step *from, struct late_step_message *out) {
  if (!from->step)
    return NULL;
  sagbend__v1__late_step__init(&out->message);
  out->message.step = from->step;
  out->message.time_s = from->time_s;
  out->message.late_us = from->late_us;
  out->message.cause = (char *)step_stage_name((int)late_step_cause(from));
  for (int i = 0; i < STEP_STAGE_COUNT; i++) {
    sagbend__v1__stage_time__init(&out->stage[i]);
    out->stage[i].stage = (char *)step_stage_name(i);
    out->stage[i].us = from->stage_us[i];
    out->stages[i] = &out->stage[i];
  }
  out->message.stage = out->stages;
  out->message.n_stage = STEP_STAGE_COUNT;
  return &out->message;
}

void wire_fill_real_time(const struct real_time *from, struct real_time_message *parts,
                         Sagbend__V1__Timing *out) {
  out->minor_page_faults = from->minor_faults;
  out->major_page_faults = from->major_faults;
  out->waits = from->waits;
  out->preemptions = from->preemptions;
  out->halts = from->halts;
  out->halted_after = from->halted_after;
  out->newest_late_step = fill_late_step(&from->late, &parts->newest);
  out->worst_late_step = fill_late_step(&from->worst, &parts->worst);
}
