#include "run/session/late_steps.h"

void late_steps_add(struct late_steps *l, const struct sim_output *now, uint64_t late_ns,
                    const struct step_clock *clock) {
  struct late_step *late = &l->kept[l->count++ % LATE_STEPS_KEPT];
  *late = (struct late_step){.step = now->step, .time_s = now->time_s, .late_us = 1e-3 * (double)late_ns};
  for (int i = 0; i < STEP_STAGE_COUNT; i++)
    late->stage_us[i] = 1e-3 * (double)clock->stage_ns[i];
  if (!l->worst.step || late->late_us > l->worst.late_us)
    l->worst = *late;
}

const struct late_step *late_steps_newest(const struct late_steps *l, uint64_t i) {
  if (i >= l->count || i >= LATE_STEPS_KEPT)
    return 0;
  return &l->kept[(l->count - 1 - i) % LATE_STEPS_KEPT];
}
