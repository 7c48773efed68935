#include "control/dp.h"

#include "control/dp_parts.h"
#include "core/base/zeros.h"

#include <math.h>
#include <string.h>

void dp_init(struct dp_state *state) {
  memset(state, 0, sizeof *state);
}

// The wrench that acts now: in addition to the thrusters, and by them according to their feedback.
static void acting_wrench(const struct dp_def *def, const struct dp_sensors *sensors, double wrench_b[6]) {
  double thrusters[3];
  memcpy(wrench_b, sensors->applied_wrench_b, 6 * sizeof *wrench_b);
  if (!def->allocation.actuator_count)
    return;
  allocation_feedback_wrench(&def->allocation, &sensors->readings, thrusters);
  wrench_b[0] += thrusters[0];
  wrench_b[1] += thrusters[1];
  wrench_b[YAW] += thrusters[2];
}

// Gives the wrench to the thrusters. The wrench that acted beside them at take-over moves to them gradually.
static void allocate(struct dp_state *state, const struct dp_def *def, const struct dp_sensors *sensors,
                     const double wrench_b[6], struct command *out) {
  double hand_over_s = def->allocation.hand_over_s, since_s = sensors->time_s - state->start_time_s;
  double left = hand_over_s > 0 ? 1 - dp_blend(since_s / hand_over_s) : 0;
  for (int i = 0; i < 6; i++)
    out->wrench_b[i] = left * state->beside_b[i] + 0.0;
  const double demand[3] = {wrench_b[0] - out->wrench_b[0], wrench_b[1] - out->wrench_b[1],
                            wrench_b[YAW] - out->wrench_b[YAW]};
  allocation_sample(&state->allocation, &def->allocation, &sensors->readings, demand, sensors->time_s,
                    sensors->time_s - state->allocated_s, out);
  state->allocated_s = sensors->time_s;
}

static int wrench_is_finite(const double wrench_b[6]) {
  for (int i = 0; i < 6; i++)
    if (!isfinite(wrench_b[i]))
      return 0;
  return 1;
}

void dp_sample(struct dp_state *state, const struct dp_def *def, const struct dp_sensors *sensors,
               struct command *out) {
  const struct pid_def *pid = &def->pid;
  struct dp_sensors sent = dp_sensors_as_sent(sensors), *estimate = &sent;
  memset(out, 0, sizeof *out);
  out->sequence = ++state->sequence;
  out->based_on_step = estimate->step;
  out->standby = 1;
  if (!dp_sensors_are_finite(estimate))
    return;
  dp_clock_follow(&state->clock, estimate);

  double acting_b[6], wind[3];
  acting_wrench(def, estimate, acting_b);
  if (dp_estimate(state, def, acting_b, estimate, wind) != STATUS_OK || estimate->time_s < pid->start_s)
    return;

  int first = !state->active;
  if (first) {
    memcpy(state->beside_b, estimate->applied_wrench_b, sizeof state->beside_b);
    allocation_start(&state->allocation, &def->allocation, &estimate->readings, estimate->time_s);
    state->allocated_s = estimate->time_s;
    dp_law_take_over(state, def, estimate, wind, acting_b);
  }

  const struct track_pipe pipe = dp_pipe(state, estimate);
  track_advance(&state->track, &def->track, estimate->position_n_m, estimate->euler_rad[2], &pipe,
                state->start_time_s + pid->approach_s, estimate->time_s);
  struct law_sample sample = dp_law_sample(state, def, estimate, wind);
  dp_law_integrate(state, pid, estimate->time_s, sample.error);
  double wrench_b[6];
  dp_law_wrench(state, pid, estimate, &sample, wrench_b);

  // The first sample carries the whole offset, even without an approach.
  double fade = first ? 1 : 1 - dp_blend(dp_approach_progress(state, pid, estimate->time_s));
  for (int i = 0; i < 6; i++)
    wrench_b[i] = dp_clamp(wrench_b[i] + fade * state->offset_b[i], pid->wrench_limit[i]);
  if (!wrench_is_finite(wrench_b)) // gains or a set-point without bounds
    return;

  unsign_zeros(wrench_b, 6);
  out->standby = 0;
  out->tensioner = track_tensioner(&state->track, &def->track);
  if (def->allocation.actuator_count)
    allocate(state, def, estimate, wrench_b, out);
  else
    memcpy(out->wrench_b, wrench_b, sizeof out->wrench_b);
}
