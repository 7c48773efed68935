#include "sagbend/dp/dp.h"

#include "sagbend/dp/dp_parts.h"
#include "sagbend/base/zeros.h"

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
  allocation_feedback_wrench(&def->allocation, &sensors->readings, ALL_THRUSTERS, thrusters);
  wrench_b[0] += thrusters[0];
  wrench_b[1] += thrusters[1];
  wrench_b[YAW] += thrusters[2];
}

// The thrusters hold the pull of the pipe, which is known.
static void analyse(struct dp_state *state, const struct dp_def *def, const struct dp_sensors *sensors,
                    int first, struct dp_work *work, struct command *out) {
  double pull[6];
  dp_tension_feedforward(sensors, pull);
  const struct consequence_sample sample = {.allocation = &def->allocation,
                                            .state = &state->allocation,
                                            .readings = &sensors->readings,
                                            .fixed_b = {pull[0], pull[1], pull[YAW]},
                                            .time_s = sensors->time_s,
                                            .work = &work->thrust_left};
  if (first)
    consequence_start(&state->consequence, &def->consequence, &sample);
  else
    consequence_step(&state->consequence, &def->consequence, &sample);
  consequence_tell(&state->consequence, &def->consequence, &out->consequence);
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
               struct dp_work *work, struct command *out) {
  const struct pid_def *pid = &def->pid;
  struct dp_sensors sent = dp_sensors_as_sent(sensors), *estimate = &sent;
  memset(out, 0, sizeof *out);
  out->sequence = ++state->sequence;
  out->based_on_step = estimate->step;
  out->standby = 1;
  out->consequence.given = def->consequence.present;
  if (!dp_sensors_are_finite(estimate))
    return;
  dp_clock_follow(&state->clock, estimate);
  dp_link_follow(&state->link, estimate, state->active);

  if (state->active && def->allocation.actuator_count)
    allocation_watch(&state->allocation, &def->allocation, &estimate->readings,
                     estimate->command_based_on_step, estimate->time_s);
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
  dp_law_integrate(state, pid, estimate->time_s, sample.error, dp_link_is_unheard(&state->link));
  double wrench_b[6];
  dp_law_wrench(state, pid, estimate, &sample, wrench_b);

  // The first sample carries the whole offset, even without an approach.
  double fade = first ? 1 : 1 - dp_blend(dp_approach_progress(state, pid, estimate->time_s));
  int is_cut = 0; // by wrench_limit
  for (int i = 0; i < 6; i++) {
    const double asked = wrench_b[i] + fade * state->offset_b[i];
    wrench_b[i] = dp_clamp(asked, pid->wrench_limit[i]);
    is_cut |= wrench_b[i] != asked;
  }
  if (!wrench_is_finite(wrench_b)) // gains or a set-point without bounds
    return;

  unsign_zeros(wrench_b, 6);
  out->standby = 0;
  out->tensioner = track_tensioner(&state->track, &def->track);
  if (def->allocation.actuator_count)
    allocate(state, def, estimate, wrench_b, out);
  else {
    memcpy(out->wrench_b, wrench_b, sizeof out->wrench_b);
    state->allocation.saturated = 0;
  }
  state->allocation.saturated |= is_cut;
  if (def->consequence.present)
    analyse(state, def, estimate, first, work, out);
}

// Checks of a DP controller's state that comes from a file.
int observer_state_is_valid(const struct observer_state *o, int started, struct reason *why) {
  return valid_finite(o->eta, 3, "eta", why) && valid_finite(o->nu, 3, "nu", why) &&
         valid_finite(o->bias, 3, "bias", why) && valid_finite(o->xi1, 3, "xi1", why) &&
         valid_finite(o->xi2, 3, "xi2", why) &&
         valid_finite(&o->covariance[0][0][0], sizeof o->covariance / sizeof(double), "covariance", why) &&
         valid_finite(&o->now_s, 1, "now_s", why) &&
         valid_whole(o->history_count, started != 0, VALID_MOST_STEPS, "history_count",
                     why) && // observer_measured_at reads the latest
         valid_finite(o->history_s, OBSERVER_HISTORY, "history_s", why) &&
         valid_finite(&o->history_y[0][0], sizeof o->history_y / sizeof(double), "history_y", why);
}

static int use_is_valid(const struct navigation_state *s, int i, struct reason *why) {
  return valid_index(s->use[i], 0, USE_COUNT - 1, "use", why) && valid_flag(s->fresh[i], "fresh", why) &&
         valid_whole(s->sequence[i], 0, VALID_MOST_STEPS, "sequence", why) &&
         valid_finite(&s->new_s[i], 1, "new_s", why) && valid_finite(&s->changed_s[i], 1, "changed_s", why) &&
         valid_finite(s->value[i], READING_CHANNELS, "value", why) &&
         instrument_watch_is_valid(&s->watch[i], why);
}

int navigation_state_is_valid(const struct observer_def *observer, const struct navigation_state *s,
                              struct reason *why) {
  for (int i = 0; i < MAX_INSTRUMENTS; i++)
    if (!use_is_valid(s, i, why))
      return valid_fail_in(why, "instrument[%d].", i);
  for (int i = 0; i < MAX_INSTRUMENTS; i++)
    if (!reference_use_is_valid(&s->reference[i], why) || !reference_note_is_valid(&s->note[i], why))
      return valid_fail_in(why, "reference[%d].", i);
  if (!observer_state_is_valid(&s->observer, observer->present && s->ready, why))
    return valid_fail_in(why, "observer.");
  const double numbers[] = {s->now_s,       s->heading_rate, s->down_m,    s->tension_n, s->inclination_rad,
                            s->azimuth_rad, s->position_s,   s->heading_s, s->paid_out_m};
  return valid_whole(s->ready, 0, 1, "ready", why) && valid_flag(s->is_blind, "is_blind", why) &&
         valid_finite(&s->differ_s, 1, "differ_s", why) && valid_finite(s->eta, 3, "eta", why) &&
         valid_finite(s->velocity_n, 2, "velocity_n", why) && valid_finite(s->attitude, 2, "attitude", why) &&
         valid_finite(s->attitude_rate, 2, "attitude_rate", why) &&
         valid_finite(s->wind_b, 2, "wind_b", why) &&
         valid_finite(numbers, sizeof numbers / sizeof *numbers,
                      "now_s, heading_rate, down_m, tension_n, inclination_rad, azimuth_rad, position_s, "
                      "heading_s, paid_out_m",
                      why) &&
         valid_flag(s->wind_known, "wind_known", why) && valid_flag(s->tension_known, "tension_known", why) &&
         valid_flag(s->angle_known, "angle_known", why) &&
         valid_flag(s->dead_reckoning, "dead_reckoning", why) &&
         valid_flag(s->tension_lost, "tension_lost", why) &&
         valid_flag(s->payout_known, "payout_known", why) && valid_flag(s->is_braked, "is_braked", why) &&
         valid_whole(s->rejected, 0, VALID_MOST_STEPS * MAX_INSTRUMENTS, "rejected", why);
}

int allocation_state_is_valid(const struct allocation_def *def, const struct allocation_state *s,
                              struct reason *why) {
  for (int i = 0; i < MAX_THRUSTERS; i++) {
    const struct actuator_def *a = i < def->actuator_count ? &def->actuator[i] : NULL;
    double most_n = a ? a->thrust_max_n * (a->thrust_astern > 1 ? a->thrust_astern : 1) * (1 + 1e-9) : 0;
    if (!valid_range(s->thrust_n[i], -most_n, most_n, "thrust_n", why) ||
        !valid_range(s->azimuth_rad[i], -100, 100, "azimuth_rad", why) || // as command_check
        !valid_finite(s->force_n[i], 2, "force_n", why) || !valid_finite(&s->told_n[i], 1, "told_n", why) ||
        !valid_finite(&s->harm_s[i], 1, "harm_s", why) || !valid_finite(&s->gave_n[i], 1, "gave_n", why) ||
        !valid_flag(s->off[i], "off", why) || !valid_flag(s->stops[i], "stops", why) ||
        !valid_range(s->edge_s[i], 0, 1e9, "edge_s", why) || !valid_flag(s->restless[i], "restless", why) ||
        !valid_index(s->state[i], 0, ACTUATOR_DEVIATING, "state", why))
      return valid_fail_in(why, "actuator[%d].", i);
  }
  if (!thruster_watch_is_valid(&s->watch, why))
    return valid_fail_in(why, "watch.");
  if (!power_watch_is_valid(&s->power, why))
    return valid_fail_in(why, "power.");
  return valid_finite(s->demand, 3, "demand", why) && valid_finite(s->given, 3, "given", why) &&
         valid_index(s->in_use, 0, MAX_THRUSTERS, "in_use", why) &&
         valid_index(s->deviating, 0, MAX_THRUSTERS, "deviating", why) &&
         valid_flag(s->saturated, "saturated", why) && valid_flag(s->power_limited, "power_limited", why);
}

static int clock_is_valid(const struct dp_clock *c, struct reason *why) {
  return valid_flag(c->heard, "heard", why) && valid_whole(c->step, 0, VALID_MOST_STEPS, "step", why) &&
         valid_finite(&c->time_s, 1, "time_s", why) && valid_finite(&c->step_s, 1, "step_s", why) &&
         valid_finite(&c->offset_s, 1, "offset_s", why) &&
         valid_whole(c->jumps, 0, VALID_MOST_STEPS, "jumps", why);
}

static int link_state_is_valid(const struct dp_link *l, struct reason *why) {
  const double numbers[] = {l->acting_s, l->sampled_s, l->gap_s};
  return valid_whole(l->acting_step, 0, VALID_MOST_STEPS, "acting_step", why) &&
         valid_finite(numbers, sizeof numbers / sizeof *numbers, "acting_s, sampled_s, gap_s", why);
}

static int move_is_valid(const struct dp_move *m, struct reason *why) {
  return valid_flag(m->ordered, "ordered", why) && valid_flag(m->moving, "moving", why) &&
         valid_finite(m->reference, 6, "reference", why) && valid_finite(m->from, 6, "from", why) &&
         valid_finite(m->from_rate, 6, "from_rate", why) && valid_finite(&m->begin_s, 1, "begin_s", why);
}

int dp_state_is_valid(const struct dp_def *def, const struct dp_state *s, struct reason *why) {
  if (!clock_is_valid(&s->clock, why))
    return valid_fail_in(why, "clock.");
  if (!link_state_is_valid(&s->link, why))
    return valid_fail_in(why, "link.");
  if (!navigation_state_is_valid(&def->observer, &s->navigation, why))
    return valid_fail_in(why, "navigation.");
  if (!allocation_state_is_valid(&def->allocation, &s->allocation, why))
    return valid_fail_in(why, "allocation.");
  if (!move_is_valid(&s->move, why))
    return valid_fail_in(why, "move.");
  if (!consequence_state_is_valid(&def->consequence, &s->consequence, why))
    return valid_fail_in(why, "consequence.");
  if (!track_state_is_valid(&def->track, &s->track, why))
    return valid_fail_in(why, "track.");
  return valid_flag(s->active, "active", why) && valid_finite(&s->last_time_s, 1, "last_time_s", why) &&
         valid_finite(s->last_error, 6, "last_error", why) &&
         valid_finite(&s->start_time_s, 1, "start_time_s", why) &&
         valid_finite(s->start_reference, 6, "start_reference", why) &&
         valid_finite(s->offset_b, 6, "offset_b", why) && valid_finite(s->integral, 6, "integral", why) &&
         valid_whole(s->sequence, 0, VALID_MOST_STEPS, "sequence", why) &&
         valid_finite(s->beside_b, 6, "beside_b", why) &&
         valid_finite(&s->allocated_s, 1, "allocated_s", why);
}
