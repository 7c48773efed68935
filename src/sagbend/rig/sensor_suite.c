#include "sagbend/rig/sensor_suite.h"

#include <string.h>

size_t sensor_suite_memsize(const struct sensor_suite_def *def, double step_s) {
  return instruments_memsize(&def->instruments, step_s);
}

void sensor_suite_create(struct sensor_suite *suite, const struct sensor_suite_def *def, double step_s,
                         const struct sim *sim, void *mem) {
  struct sim_output start;
  sim_get_output(sim, &start);
  instruments_create(&suite->instruments, &def->instruments, step_s, &start, mem);
  suite->state = mem;
  suite->state_bytes = sensor_suite_memsize(def, step_s);
}

void sensor_suite_measure(struct sensor_suite *suite, const struct sim *sim, const struct sim_output *truth,
                          const struct fault_set *faults, struct readings *readings) {
  instruments_measure(&suite->instruments, sim, truth, faults, readings);
}

void sensor_suite_get_readings(const struct sensor_suite *suite, struct readings *readings) {
  instruments_get_readings(&suite->instruments, readings);
}

int sensor_suite_stream(const struct sensor_suite_def *def, int i, struct sensor_suite_stream *out) {
  if (i >= def->instruments.count)
    return 0;
  *out = (struct sensor_suite_stream){def->instruments.instrument[i].name,
                                      instrument_seed(&def->instruments, i)};
  return 1;
}

// Checks of a sensor suite's state from a file.
static int measurement_is_valid(const struct measurement *t, uint64_t step, uint64_t after_step,
                                struct reason *why) {
  return valid_whole(t->measured_step, 0, step, "measured_step", why) &&
         valid_whole(t->due_step, after_step, VALID_MOST_STEPS, "due_step", why) &&
         valid_whole(t->valid, 0, 1, "valid", why) && valid_finite(t->value, READING_CHANNELS, "value", why);
}

// Measurements are due in the order of the queue, each later than the one before it.
static int queue_is_valid(const struct instrument_plan *plan, const struct instrument_state *s,
                          const struct measurement *queue, uint64_t step, struct reason *why) {
  if (!valid_whole(s->queue_first, 0, plan->capacity - 1, "queue_first", why) ||
      !valid_whole(s->queue_count, 0, plan->capacity, "queue_count", why))
    return 0;
  uint64_t after_step = step;
  for (uint64_t k = 0; k < s->queue_count; k++) {
    const struct measurement *t = &queue[plan->queue + (s->queue_first + k) % plan->capacity];
    if (!measurement_is_valid(t, step, after_step, why))
      return valid_fail_in(why, "queue[%d].", (int)k);
    after_step = t->due_step + 1;
  }
  return 1;
}

static int latest_is_valid(const struct instrument_def *d, const struct instrument_state *s, double now_s,
                           struct reason *why) {
  const struct reading *r = &s->latest;
  if (strncmp(r->name, d->name, sizeof r->name) != 0)
    return valid_fail(why, "name: %s expected, got another", d->name);
  return valid_index((int64_t)r->kind, d->kind, d->kind, "kind", why) && valid_flag(r->valid, "valid", why) &&
         valid_whole(r->sequence, 0, s->sent_count, "sequence", why) &&
         valid_range(r->time_s, 0, now_s, "time_s", why) &&
         valid_finite(r->value, READING_CHANNELS, "value", why);
}

static int instrument_is_valid(const struct instruments *all, int i, const struct instrument_state *s,
                               const struct measurement *queue, uint64_t step, struct reason *why) {
  const struct instrument_def *d = &all->def->instrument[i];
  if (!random_stream_is_valid(&s->noise, why))
    return valid_fail_in(why, "noise.");
  if (!random_stream_is_valid(&s->faults, why))
    return valid_fail_in(why, "faults.");
  if (!measurement_is_valid(&s->sent, step, 0, why))
    return valid_fail_in(why, "sent.");
  if (!latest_is_valid(d, s, (double)step * all->step_s, why))
    return valid_fail_in(why, "latest.");
  return valid_finite(s->bias, READING_CHANNELS, "bias", why) &&
         valid_finite(s->markov, READING_CHANNELS, "markov", why) &&
         valid_finite(s->walk, READING_CHANNELS, "walk", why) &&
         valid_whole(s->sent_count, 0, step + 1, "sent_count", why) &&
         queue_is_valid(&all->plan[i], s, queue, step, why);
}

int instruments_state_is_valid(const struct instruments *all, const void *state, uint64_t step,
                               struct reason *why) {
  const struct instrument_state *of = state;
  const struct measurement *queue = (const struct measurement *)(of + all->def->count);
  for (int i = 0; i < all->def->count; i++)
    if (!instrument_is_valid(all, i, &of[i], queue, step, why))
      return valid_fail_in(why, "%s.", all->def->instrument[i].name);
  size_t places = 0;
  int references = 0;
  for (int i = 0; i < all->def->count; i++)
    places += all->plan[i].capacity;
  const struct reference_state *reference = (const struct reference_state *)(queue + places);
  for (int i = 0; i < all->def->count; i++)
    if (reference_is(all->def->instrument[i].kind) &&
        !reference_state_is_valid(&all->def->instrument[i].reference, &reference[references++], why))
      return valid_fail_in(why, "%s.", all->def->instrument[i].name);
  const struct common_error_state *common = (const struct common_error_state *)(reference + references);
  for (int k = 0; k < all->def->common_count; k++)
    if (!common_error_state_is_valid(&common[k], (double)step * all->step_s, why))
      return valid_fail_in(why, "%s.", all->def->common[k].name);
  return 1;
}

int sensor_suite_is_valid(const struct sensor_suite *suite, const void *state, uint64_t step,
                          struct reason *why) {
  return instruments_state_is_valid(&suite->instruments, state, step, why)
             ? 1
             : valid_fail_in(why, "instruments.");
}
