#include "programs/dp/view.h"

#include "sagbend/dp/wind_force.h"
#include "os/process/process.h"

#include <math.h>
#include <string.h>

enum { YAW = 5 };

// Surge and sway of a horizontal velocity north, east at a heading.
static void turn_to_body(double heading_rad, const double north_east[2], double out[2]) {
  double c = cos(heading_rad), s = sin(heading_rad);
  out[0] = c * north_east[0] + s * north_east[1];
  out[1] = c * north_east[1] - s * north_east[0];
}

static void fill_exact(const struct dp_sensors *from, struct wire_pose *out) {
  out->eta[0] = from->position_n_m[0];
  out->eta[1] = from->position_n_m[1];
  out->eta[2] = from->euler_rad[2];
  turn_to_body(out->eta[2], from->velocity_n_mps, out->nu);
  out->nu[2] = from->euler_rate_radps[2];
}

static void fill_estimate(const struct dp *d, const struct dp_sensors *sensors,
                          struct wire_controller_view *out) {
  const struct navigation_state *navigation = &d->state.navigation;
  const struct observer_state *observer = &navigation->observer;
  struct wire_pose *pose = &out->estimate;
  int has_instruments = sensors->readings.instrument_count > 0;
  out->has_estimate = !has_instruments || navigation->ready;
  if (!out->has_estimate)
    return;
  if (d->config.def.observer.present) {
    memcpy(pose->eta, observer->eta, sizeof pose->eta);
    memcpy(pose->nu, observer->nu, sizeof pose->nu);
    out->has_bias = 1;
    turn_to_body(pose->eta[2], observer->bias, out->bias_b);
    out->bias_b[YAW] = observer->bias[2];
  } else if (has_instruments) {
    memcpy(pose->eta, navigation->eta, sizeof pose->eta);
    turn_to_body(pose->eta[2], navigation->velocity_n, pose->nu);
    pose->nu[2] = navigation->heading_rate;
  } else {
    fill_exact(sensors, pose);
  }
}

static void fill_reference(const struct dp *d, struct wire_controller_view *out) {
  double target[6], reference[6], rate[6];
  dp_target(&d->state, &d->config.def, target);
  out->has_setpoint = 1;
  out->setpoint[0] = target[0];
  out->setpoint[1] = target[1];
  out->setpoint[2] = target[YAW];
  out->setpoint_order = d->setpoint_order;
  out->has_reference = d->state.active;
  if (!out->has_reference)
    return;
  dp_reference(&d->state, &d->config.def, d->state.last_time_s, reference, rate);
  out->reference = (struct wire_pose){.eta = {reference[0], reference[1], reference[YAW]}};
  turn_to_body(reference[YAW], rate, out->reference.nu);
  out->reference.nu[2] = rate[YAW];
}

static void fill_wrenches(const struct dp *d, const struct command *command,
                          struct wire_controller_view *out) {
  const struct allocation_state *allocation = &d->state.allocation;
  static const int axes[3] = {0, 1, YAW};
  out->has_demanded = out->has_allocated = out->active;
  if (!out->active)
    return;
  memcpy(out->demanded_b, command->wrench_b, sizeof out->demanded_b);
  memcpy(out->allocated_b, command->wrench_b, sizeof out->allocated_b);
  for (int i = 0; i < 3 && d->config.def.allocation.actuator_count; i++) {
    out->demanded_b[axes[i]] += allocation->demand[i];
    out->allocated_b[axes[i]] += allocation->given[i];
  }
}

// What the controller adds against the wind: the opposite of the wrench that it computes from the wind.
static void fill_wind(const struct dp *d, const struct dp_sensors *sensors,
                      struct wire_controller_view *out) {
  const struct navigation_state *navigation = &d->state.navigation;
  const struct wind_force_def *wind = &d->config.def.wind;
  double wrench[3];
  out->has_wind =
      out->active && wind->row_count > 0 && navigation->wind_known && sensors->readings.instrument_count > 0;
  if (!out->has_wind)
    return;
  wind_force(wind, navigation->wind_b[0], navigation->wind_b[1], wrench);
  out->wind_b[0] = -wrench[0];
  out->wind_b[1] = -wrench[1];
  out->wind_b[YAW] = -wrench[2];
}

static void fill_position_reference(const struct navigation_def *def, const struct navigation_state *state,
                                    int i, struct wire_instrument_view *out) {
  const struct reference_note *note = &state->note[i];
  out->is_reference = 1;
  memcpy(out->principle, def->instrument[i].principle_name, sizeof out->principle);
  out->is_known = (int)note->known;
  out->is_proving = (int)state->reference[i].is_proving;
  memcpy(out->residual_b_m, note->residual_b_m, sizeof out->residual_b_m);
  out->weight = note->weight;
}

static void fill_lists(const struct dp *d, const struct dp_sensors *sensors,
                       struct wire_controller_view *out) {
  const struct navigation_def *navigation = &d->config.def.navigation;
  const struct allocation_def *allocation = &d->config.def.allocation;
  const struct dp_state *state = &d->state;
  for (int i = 0; i < navigation->count && sensors->readings.instrument_count > 0; i++) {
    struct wire_instrument_view *instrument = &out->instrument[out->instrument_count++];
    memcpy(instrument->name, navigation->instrument[i].name, sizeof instrument->name);
    instrument->kind = navigation->instrument[i].kind;
    instrument->use = (enum instrument_use)state->navigation.use[i];
    if (reference_is_position(instrument->kind))
      fill_position_reference(navigation, &state->navigation, i, instrument);
  }
  for (int i = 0; i < allocation->actuator_count; i++) {
    struct wire_thruster_view *thruster = &out->thruster[out->thruster_count++];
    memcpy(thruster->name, allocation->actuator[i].name, sizeof thruster->name);
    thruster->use = (enum actuator_state)state->allocation.state[i];
    thruster->thrust_n = state->allocation.thrust_n[i];
    thruster->azimuth_rad = state->allocation.azimuth_rad[i];
  }
}

static void fill_consequence(const struct dp *d, const struct command *command,
                             struct wire_controller_view *out) {
  const struct consequence_def *def = &d->config.def.consequence;
  const struct consequence_state *state = &d->state.consequence;
  out->consequence = command->consequence;
  for (int i = 0; i < def->failure_count && command->consequence.known; i++) {
    struct consequence_failure_view *failure = &out->consequences.failure[out->consequences.count];
    if (state->margin[i] < 0)
      continue;
    memcpy(failure->name, def->failure[i].name, sizeof failure->name);
    failure->margin = state->margin[i];
    failure->alarm = state->failure_alarm[i];
    out->consequences.count++;
  }
}

static void fill_view(const struct dp *d, const struct dp_sensors *sensors, const struct command *command,
                      struct wire_controller_view *out) {
  const struct navigation_state *navigation = &d->state.navigation;
  int has_instruments = sensors->readings.instrument_count > 0;
  memset(out, 0, sizeof *out);
  out->based_on_step = sensors->step;
  out->active = !command->standby;
  fill_estimate(d, sensors, out);
  fill_reference(d, out);
  fill_wrenches(d, command, out);
  fill_wind(d, sensors, out);
  fill_lists(d, sensors, out);
  fill_consequence(d, command, out);
  out->tension_n = has_instruments ? navigation->tension_n : sensors->hangoff_tension_n;
  out->dead_reckoning = has_instruments && navigation->dead_reckoning;
  out->tension_lost = has_instruments && navigation->tension_lost;
  out->saturated = d->state.allocation.saturated != 0;
  out->power_limited = d->state.allocation.power_limited != 0;
  out->rejected = navigation->rejected;
}

void view_send_if_due(struct dp *d, const struct wire_sensors *sensors, const struct command *command) {
  uint64_t now_ns = os_now_ns();
  struct wire_controller_view view;
  if (!(d->view_period_s > 0) || (double)(now_ns - d->view_ns) < 1e9 * d->view_period_s)
    return;
  d->view_ns = now_ns;
  fill_view(d, &sensors->dp, command, &view);
  client_send_view(d->client, &view);
}
