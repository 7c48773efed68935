// Errors of instruments. Gauss-Markov of standard deviation s and time constant T, sampled each t: x = a x +
// s sqrt(1 - a^2) n, a = exp(-t / T): its autocovariance s^2 exp(-|t| / T) is exact at any rate, its spectrum
// 2 s^2 T / (1 + (w T)^2).
#include "sagbend/rig/instruments_parts.h"

void instrument_switch_on(const struct instrument_def *d, uint64_t seed, struct instrument_state *s) {
  s->noise = random_stream_of(seed);
  s->faults = random_stream_of(random_seed(seed, "faults"));
  for (int k = 0; k < d->error_count; k++) {
    const struct instrument_error *e = &d->error[k];
    for (int c = 0; c < READING_CHANNELS; c++) {
      if (!(e->channels & 1u << c))
        continue;
      s->bias[c] = e->bias + (e->bias_random > 0 ? e->bias_random * random_normal(&s->noise) : 0);
      s->markov[c] = e->markov > 0 ? e->markov * random_normal(&s->noise) : 0;
    }
  }
}

void instrument_add_errors(const struct instrument_def *d, const struct instrument_plan *plan,
                           struct instrument_state *s, double value[READING_CHANNELS]) {
  for (int k = 0; k < d->error_count; k++) {
    const struct instrument_error *e = &d->error[k];
    for (int c = 0; c < READING_CHANNELS; c++) {
      if (!(e->channels & 1u << c))
        continue;
      value[c] += e->scale * value[c] + s->bias[c] + s->markov[c] + s->walk[c];
      if (e->white > 0)
        value[c] += e->white * random_normal(&s->noise);
      if (e->markov > 0)
        s->markov[c] =
            plan->process[k].decay * s->markov[c] + plan->process[k].kick * random_normal(&s->noise);
      if (e->walk > 0)
        s->walk[c] += plan->process[k].walk * random_normal(&s->noise);
    }
  }
}

static double rounded_to(double x, double quantum) {
  const double big = 6755399441055744.0; // rounds to whole numbers
  double n = x / quantum;
  return fabs(n) < 1e15 ? ((n + big) - big) * quantum : x;
}

int instrument_limit(const struct instrument_def *d, double value[READING_CHANNELS]) {
  int inside = 1;
  for (int k = 0; k < d->error_count; k++) {
    const struct instrument_error *e = &d->error[k];
    for (int c = 0; c < READING_CHANNELS; c++) {
      if (!(e->channels & 1u << c))
        continue;
      if (e->range > 0 && fabs(value[c]) > e->range) {
        value[c] = value[c] > 0 ? e->range : -e->range;
        inside = 0;
      }
      if (e->quantum > 0)
        value[c] = rounded_to(value[c], e->quantum);
    }
  }
  return inside;
}
