// Roll and pitch, the pipe's pull and the wind, each a mean over the instruments that the vote leaves.
#include "sagbend/dp/dp_internal.h"

#include "sagbend/math/trig.h"

void update_attitude(struct navigation_sampling *nav) {
  struct navigation_state *state = nav->state;
  int used[MAX_INSTRUMENTS];
  instrument_vote(nav, INSTRUMENT_MOTION, 0, nav->def->angle_limit_rad, 1, used);
  if (!instrument_vote(nav, INSTRUMENT_MOTION, 1, nav->def->angle_limit_rad, 1, used))
    return; // keeps the last values

  for (int k = 0; k < 2; k++) {
    state->attitude[k] = trig_wrap(instrument_mean(nav, used, k, 1));
    state->attitude_rate[k] = instrument_mean(nav, used, 3 + k, 0);
  }
}

void update_pull(struct navigation_sampling *nav) {
  struct navigation_state *state = nav->state;
  int used[MAX_INSTRUMENTS];
  const struct navigation_def *def = nav->def;
  if (instrument_vote(nav, INSTRUMENT_LOAD_CELL, 0, def->tension_limit_n, 0, used)) {
    state->tension_n = instrument_mean(nav, used, 0, 0);
    state->tension_known = 1;
    state->tension_lost = 0;
  } else {
    state->tension_lost = state->tension_known || def->fallback == TENSION_FIXED;
    if (def->fallback == TENSION_FIXED)
      state->tension_n = def->fallback_n;
    else if (def->fallback == TENSION_NONE)
      state->tension_n = 0;
  }

  if (instrument_vote(nav, INSTRUMENT_HANGOFF_ANGLE, 0, def->angle_limit_rad, 1, used)) {
    state->inclination_rad = instrument_mean(nav, used, 0, 1);
    state->azimuth_rad = trig_wrap(instrument_mean(nav, used, 1, 1));
    state->angle_known = 1;
  } else if (!state->angle_known) {
    state->inclination_rad = def->fallback_inclination_rad;
    state->azimuth_rad = def->fallback_azimuth_rad;
  }
}

void update_payout(struct navigation_sampling *nav) {
  enum { LENGTH = 0, BRAKE = 2 };
  struct navigation_state *state = nav->state;
  int used[MAX_INSTRUMENTS];
  state->payout_known = instrument_vote(nav, INSTRUMENT_PAYOUT, LENGTH, 0, 0, used) > 0;
  if (state->payout_known)
    state->paid_out_m = instrument_mean(nav, used, LENGTH, 0);
  state->is_braked = instrument_vote(nav, INSTRUMENT_TENSIONER, BRAKE, 0, 0, used) > 0 &&
                     instrument_mean(nav, used, BRAKE, 0) > 0.5;
}

// Votes on the velocity of the air, forward and to starboard.
static int vote_wind(struct navigation_sampling *nav, int used[], double air_mps[2][MAX_INSTRUMENTS]) {
  int left = 0;
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < nav->def->count; i++) {
      used[i] = nav->def->instrument[i].kind == INSTRUMENT_WIND && nav->state->use[i] == USE_IN_USE;
      const double *v = used[i] ? nav->reading[i]->value : NULL; // speed and direction from which it comes
      air_mps[k][i] = v ? -v[0] * (k ? trig_sin(v[1]) : trig_cos(v[1])) : 0;
    }
    left = instrument_vote_on(nav, INSTRUMENT_WIND, air_mps[k], nav->def->wind_limit_mps, used);
  }
  return left;
}

void update_wind(struct navigation_sampling *nav, double filter_s) {
  struct navigation_state *state = nav->state;
  int used[MAX_INSTRUMENTS];
  double sum[2] = {0, 0}, air_mps[2][MAX_INSTRUMENTS] = {{0}};
  int count = vote_wind(nav, used, air_mps);
  for (int i = 0; i < nav->def->count; i++)
    for (int k = 0; k < 2 && used[i]; k++)
      sum[k] += air_mps[k][i] / count;

  double share = !state->wind_known ? 1 : filter_s > 0 ? nav->dt_s / (nav->dt_s + filter_s) : 1;
  for (int k = 0; k < 2 && count; k++) // without a sensor the last value is kept
    state->wind_b[k] += share * (sum[k] - state->wind_b[k]);
  state->wind_known |= count > 0;
}
