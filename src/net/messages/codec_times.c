// Stage times and histograms in Timing.
#include "net/messages/messages_internal.h"

#include "sagbend/rig/step_stages.h"

static void fill_histogram(const struct wire_histogram *from, Sagbend__V1__Histogram *out) {
  sagbend__v1__histogram__init(out);
  out->count = from->count;
  out->n_upper_us = out->n_counts = (size_t)from->buckets;
  out->upper_us = (double *)(uintptr_t)from->upper_us;
  out->counts = (uint64_t *)(uintptr_t)from->counts;
}

static void fill_stages(const struct timing *timing, struct times_message *parts, Sagbend__V1__Timing *out) {
  double sum_us = 0;
  for (int i = 0; i < STEP_STAGE_COUNT; i++) {
    sum_us += timing->stage_us[i];
    sagbend__v1__stage_time__init(&parts->stage[i]);
    parts->stage[i].stage = (char *)(uintptr_t)step_stage_name(i);
    parts->stage[i].us = timing->stage_us[i];
    parts->stages[i] = &parts->stage[i];
  }
  out->stage = parts->stages;
  out->n_stage = sum_us > 0 ? STEP_STAGE_COUNT : 0;
}

void wire_fill_times(const struct timing *timing, const struct wire_times *times, struct times_message *parts,
                     Sagbend__V1__Timing *out) {
  fill_stages(timing, parts, out);
  if (!times)
    return;
  fill_histogram(&times->step, &parts->step);
  fill_histogram(&times->wakeup, &parts->wakeup);
  out->step_histogram = times->step.count > 0 ? &parts->step : NULL;
  out->wakeup_histogram = times->wakeup.count > 0 ? &parts->wakeup : NULL;
}

// What the system did to the simulation thread, and the late steps, in Timing.

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
