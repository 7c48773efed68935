// Faults of instruments, which act on the signal. A fault begins with the measurements made from then on, and
// is read after the latency.
#include "sagbend/rig/instruments_parts.h"

#include "sagbend/base/steps.h"

#include <string.h>

static void at_random(struct random_stream *stream, double amplitude, unsigned channels, int replace,
                      double value[]) {
  for (int c = 0; c < READING_CHANNELS; c++)
    if (channels & 1u << c) {
      double u = random_uniform(stream);
      value[c] = replace ? amplitude * (2 * u - 1) : value[c] + (u < 0.5 ? -amplitude : amplitude);
    }
}

static void add_fault(const struct instrument_def *d, struct instrument_state *s, const struct fault *f,
                      double time_s, double value[]) {
  unsigned every = (1u << instrument_channel_count(d->kind)) - 1;
  double elapsed_s = time_s > f->since_s ? time_s - f->since_s : 0;
  int channel = (int)f->value[1];
  double *x = f->value[1] >= 0 && channel < instrument_channel_count(d->kind) ? &value[channel] : NULL;
  switch (f->kind) {
  case FAULT_GARBAGE:
    at_random(&s->faults, f->value[0], every, 1, value);
    break;
  case FAULT_OUTLIERS:
    if (random_uniform(&s->faults) < f->value[1])
      at_random(&s->faults, f->value[0], instrument_quantity(d->kind, 0)->channels, 0, value);
    break;
  case FAULT_BIAS:
  case FAULT_STEP:
    if (x)
      *x += f->value[0];
    break;
  case FAULT_DRIFT:
    if (x)
      *x += f->value[0] * elapsed_s;
    break;
  case FAULT_NOISE:
    if (x)
      *x += f->value[0] * elapsed_s * random_normal(&s->faults);
    break;
  case FAULT_FIXED:
    if (x)
      *x = f->value[0];
    break;
  default:
    break;
  }
}

void instrument_add_faults(const struct instruments *all, int i, const struct fault_set *faults,
                           double time_s, struct measurement *t) {
  const struct instrument_def *d = &all->def->instrument[i];
  struct instrument_state *s = &all->state[i];
  const struct fault *copy = fault_find(faults, FAULT_COPY, i);
  int other = copy ? (int)copy->value[0] : i;
  int copies = other != i && other >= 0 && other < all->def->count && all->state[other].sent_count > 0 &&
               all->def->instrument[other].kind == d->kind;
  if (copies) {
    memcpy(t->value, all->state[other].sent.value, sizeof t->value);
    t->valid = all->state[other].sent.valid;
  }
  for (int k = 0; k < faults->count; k++)
    if (faults->fault[k].target == i || faults->fault[k].target < 0)
      add_fault(d, s, &faults->fault[k], time_s, t->value);
  if (fault_find(faults, FAULT_FREEZE, i) && s->sent_count > 0) {
    memcpy(t->value, s->sent.value, sizeof t->value);
    t->valid = s->sent.valid;
  }
  instrument_normalise(d->kind, t->value);
  if (!reference_is_derived(d->kind) && !instrument_limit(d, t->value))
    t->valid = 0;
  for (int c = 0; c < READING_CHANNELS; c++)
    if (!isfinite(t->value[c])) // parameters of a fault beyond the range of a double
      t->value[c] = 0, t->valid = 0;
  const struct fault *invalid = fault_find(faults, FAULT_INVALID, i),
                     *valid = fault_find(faults, FAULT_VALID, i);
  if (invalid || valid)
    t->valid = !invalid || (valid && valid > invalid); // the newer fault counts
}

int instrument_transmits(const struct instruments *all, int i, const struct fault_set *faults,
                         const struct measurement *t, uint64_t *delay_steps) {
  struct instrument_state *s = &all->state[i];
  if (fault_find(faults, FAULT_OFF, i))
    return 0;
  const struct fault *slow = fault_find(faults, FAULT_SLOW, i);
  if (slow && s->sent_count > 0 &&
      (double)(t->measured_step - s->sent.measured_step) * all->step_s < slow->value[0] - 0.5 * all->step_s)
    return 0;
  const struct fault *intermittent = fault_find(faults, FAULT_INTERMITTENT, i);
  if (intermittent && random_uniform(&s->faults) < intermittent->value[0])
    return 0;
  const struct fault *delay = fault_find(faults, FAULT_DELAY, i);
  double delay_s = delay ? delay->value[0] : 0;
  *delay_steps =
      delay_s > 0 ? steps_nearest_to(delay_s < LONGEST_DELAY_S ? delay_s : LONGEST_DELAY_S, all->step_s) : 0;
  return 1;
}
