// What the controller believes: the sample as sent, its time, and the estimate from instruments or observer.
#include "sagbend/dp/dp_parts.h"

#include "sagbend/base/zeros.h"
#include "sagbend/math/trig.h"

#include <math.h>
#include <string.h>

struct track_pipe dp_pipe(const struct dp_state *state, const struct dp_sensors *sensors) {
  const struct navigation_state *n = &state->navigation;
  if (sensors->readings.instrument_count == 0)
    return (struct track_pipe){.is_length_known = sensors->has_tensioner,
                               .paid_out_m = sensors->paid_out_m,
                               .is_braked =
                                   sensors->has_tensioner && sensors->tensioner_mode == TENSIONER_BRAKE,
                               .is_tension_known = 1,
                               .tension_n = sensors->hangoff_tension_n};
  return (struct track_pipe){.is_length_known = n->payout_known,
                             .paid_out_m = n->paid_out_m,
                             .is_braked = n->is_braked,
                             .is_tension_known = n->tension_known && !n->tension_lost,
                             .tension_n = n->tension_n};
}

static int values_are_finite(const double *values, int count) {
  for (int i = 0; i < count; i++)
    if (!isfinite(values[i]))
      return 0;
  return 1;
}

int dp_sensors_are_finite(const struct dp_sensors *sensors) {
  return isfinite(sensors->time_s) && values_are_finite(sensors->position_n_m, 3) &&
         values_are_finite(sensors->euler_rad, 3) && values_are_finite(sensors->velocity_n_mps, 3) &&
         values_are_finite(sensors->euler_rate_radps, 3) && values_are_finite(sensors->applied_wrench_b, 6) &&
         isfinite(sensors->hangoff_tension_n) && isfinite(sensors->hangoff_angle_rad) &&
         isfinite(sensors->hangoff_lean_rad) && isfinite(sensors->hangoff_azimuth_rad) &&
         isfinite(sensors->paid_out_m);
}

struct dp_sensors dp_sensors_as_sent(const struct dp_sensors *sensors) {
  struct dp_sensors out = *sensors;
  unsign_zeros(&out.time_s, 1);
  unsign_zeros(out.position_n_m, 3);
  unsign_zeros(out.euler_rad, 3);
  unsign_zeros(out.velocity_n_mps, 3);
  unsign_zeros(out.euler_rate_radps, 3);
  unsign_zeros(out.applied_wrench_b, 6);
  unsign_zeros(&out.hangoff_tension_n, 1);
  unsign_zeros(&out.hangoff_angle_rad, 1);
  unsign_zeros(&out.hangoff_lean_rad, 1);
  unsign_zeros(&out.hangoff_azimuth_rad, 1);
  unsign_zeros(&out.paid_out_m, 1);
  for (int i = 0; i < out.readings.instrument_count; i++)
    unsign_zeros(out.readings.instrument[i].value, READING_CHANNELS);
  for (int i = 0; i < out.readings.thruster_count; i++) {
    struct thruster_feedback *feedback = &out.readings.thruster[i];
    unsign_zeros(&feedback->revolutions_rpm, 1);
    unsign_zeros(&feedback->pitch, 1);
    unsign_zeros(&feedback->azimuth_rad, 1);
  }
  return out;
}

// Filters exact values with the observer.
static void observe_exact(struct navigation_state *navigation, const struct observer_def *def,
                          const double tau[3], struct dp_sensors *sensors) {
  struct observer_state *observer = &navigation->observer;
  const double now[3] = {sensors->position_n_m[0], sensors->position_n_m[1], sensors->euler_rad[2]};
  double y[3];
  if (!navigation->ready) {
    observer_start(observer, def, now, sensors->time_s);
    navigation->ready = 1;
  } else if (sensors->time_s > observer->now_s) {
    observer_predict(observer, def, tau, sensors->time_s);
    observer_measured_at(observer, sensors->time_s, y);
    const double off[2] = {now[0] - y[0], now[1] - y[1]};
    observer_correct_position(observer, def, off, def->position_sigma_m);
    observer_correct_heading(observer, def, trig_wrap(now[2] - y[2]), def->heading_sigma_rad);
    observer_remember(observer, sensors->time_s);
  }

  double c = trig_cos(observer->eta[2]), s = trig_sin(observer->eta[2]);
  sensors->position_n_m[0] = observer->eta[0];
  sensors->position_n_m[1] = observer->eta[1];
  sensors->euler_rad[2] = observer->eta[2];
  sensors->velocity_n_mps[0] = c * observer->nu[0] - s * observer->nu[1];
  sensors->velocity_n_mps[1] = s * observer->nu[0] + c * observer->nu[1];
  sensors->euler_rate_radps[2] = observer->nu[2];
}

enum status dp_estimate(struct dp_state *state, const struct dp_def *def, const double acting_b[6],
                        struct dp_sensors *sensors, double wind[3]) {
  const double tau[3] = {acting_b[0], acting_b[1], acting_b[YAW]};
  struct navigation navigation;
  memset(wind, 0, 3 * sizeof *wind);
  if (sensors->readings.instrument_count == 0) {
    if (def->observer.present)
      observe_exact(&state->navigation, &def->observer, tau, sensors);
    return STATUS_OK;
  }

  enum status status = navigation_sample(&state->navigation, &def->navigation, &def->observer, &def->wind,
                                         &sensors->readings, tau, sensors->time_s, &navigation);
  if (status != STATUS_OK)
    return status;
  memcpy(sensors->position_n_m, navigation.position_n_m, sizeof sensors->position_n_m);
  memcpy(sensors->euler_rad, navigation.euler_rad, sizeof sensors->euler_rad);
  memcpy(sensors->velocity_n_mps, navigation.velocity_n_mps, sizeof sensors->velocity_n_mps);
  memcpy(sensors->euler_rate_radps, navigation.euler_rate_radps, sizeof sensors->euler_rate_radps);
  sensors->hangoff_tension_n = navigation.tension_n;
  sensors->hangoff_angle_rad = navigation.inclination_rad;
  sensors->hangoff_lean_rad = 0;
  sensors->hangoff_azimuth_rad = navigation.azimuth_n_rad;
  memcpy(wind, navigation.wind, sizeof navigation.wind);
  return STATUS_OK;
}

void dp_clock_follow(struct dp_clock *clock, struct dp_sensors *sensors) {
  double sent_s = sensors->time_s;
  if (clock->heard && sensors->step > clock->step) {
    double steps = (double)(sensors->step - clock->step),
           jump = sent_s - clock->time_s - steps * clock->step_s;
    if (clock->step_s <= 0) {
      clock->step_s = (sent_s - clock->time_s) / steps;
    } else if (fabs(jump) > 0.5 * clock->step_s) {
      clock->offset_s += jump;
      clock->jumps++;
    }
  }
  if (!clock->heard || sensors->step > clock->step) {
    clock->step = sensors->step;
    clock->time_s = sent_s;
  }
  clock->heard = 1;
  sensors->time_s = sent_s - clock->offset_s;
}
