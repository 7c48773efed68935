// Stage times and histograms in Timing.
#include "io/codec/codec_parts.h"

#include "hil/step_stages.h"

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
