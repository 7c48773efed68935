#include "sagbend/rig/common_error.h"

#include "sagbend/math/explog.h"

#include <math.h>
#include <string.h>

void common_error_start(const struct common_error_def *def, uint64_t seed, struct common_error_state *state) {
  memset(state, 0, sizeof *state);
  state->noise = random_stream_of(random_seed(seed, def->name));
  for (int c = 0; c < READING_CHANNELS && def->markov > 0; c++)
    if (def->channels & 1u << c)
      state->value[c] = def->markov * random_normal(&state->noise);
}

void common_error_add(const struct common_error_def *def, struct common_error_state *state,
                      const struct fault *bias, double time_s, double value[READING_CHANNELS]) {
  double dt_s = time_s - state->time_s;
  double decay = def->markov > 0 ? explog_exp(-dt_s / def->markov_time_s) : 0;
  double kick = def->markov * sqrt(1 - decay * decay);
  for (int c = 0; c < READING_CHANNELS; c++) {
    if (!(def->channels & 1u << c))
      continue;
    if (dt_s > 0 && def->markov > 0)
      state->value[c] = decay * state->value[c] + kick * random_normal(&state->noise);
    value[c] += state->value[c] + (bias && (int)bias->value[1] == c ? bias->value[0] : 0);
  }
  state->time_s = time_s;
}

int common_error_state_is_valid(const struct common_error_state *state, double now_s, struct reason *why) {
  return random_stream_is_valid(&state->noise, why) &&
         valid_finite(state->value, READING_CHANNELS, "value", why) &&
         valid_range(state->time_s, 0, now_s, "time_s", why);
}
