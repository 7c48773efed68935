#include "core/vessel/plant.h"

#include "core/base/steps.h"
#include "core/math/trig.h"
#include "core/vessel/power.h"

#include <string.h>

void plant_command_rules(const struct plant_def *def, double step_s, struct command_def *out) {
  out->thruster_count = def->thruster_count;
  for (int i = 0; i < def->thruster_count; i++) {
    const struct thruster_def *thruster = &def->thruster[i];
    struct thruster_rule *rule = &out->thruster[i];
    *rule = (struct thruster_rule){
        .revolutions_max_rpm = thruster->drive == DRIVE_CPP ? 0 : thruster->revolutions_max_rpm,
        .rudder_max_rad = thruster->kind == THRUSTER_MAIN ? thruster->rudder_max_rad : -1,
        .timeout_steps = steps_nearest_to(thruster->timeout_s, step_s),
        .stops_on_timeout = thruster->reaction == TIMEOUT_STOPS};
    memcpy(rule->name, thruster->name, sizeof rule->name);
  }
}

struct plant_state plant_at_rest(const struct plant_def *def) {
  struct plant_state state = {0};
  for (int i = 0; i < def->thruster_count; i++)
    state.thruster[i] = thruster_at_rest(&def->thruster[i]);
  for (int i = 0; i < def->bus_count; i++)
    state.bus[i] = (struct bus_state){.available_w = def->bus[i].available_w, .closed = 1};
  return state;
}

static double bounded(double value, double limit) {
  return value > limit ? limit : value < -limit ? -limit : value;
}

// Moves the thruster between stopped, starting and running.
static void switch_thruster(const struct thruster_def *def, struct thruster_state *state, int enable,
                            int ready, double step_s) {
  state->ready = (uint64_t)ready;
  if (!ready || !enable) {
    state->running = 0;
    state->start_left_s = def->start_up_s;
  } else if (state->start_left_s > 0.5 * step_s) {
    state->start_left_s -= step_s;
  } else {
    state->start_left_s = 0;
    state->running = 1;
  }
}

static void set_azimuth(const struct thruster_def *def, struct thruster_state *state, double asked_rad) {
  if (def->kind == THRUSTER_TUNNEL)
    return;
  if (def->kind == THRUSTER_MAIN) {
    state->azimuth_set_rad = bounded(asked_rad, def->rudder_max_rad);
    return;
  }

  // Sectors apply to the direction of the thrust, which reversed revolutions or pitch turn by pi.
  double astern = thruster_stroke(def, state->revolutions_set_rpm, state->pitch_set) < 0 ? TRIG_PI : 0;
  double direction = asked_rad + astern, allowed = thruster_allowed_azimuth(def, direction);
  state->moved_count += allowed != direction && asked_rad != state->asked_azimuth_rad;
  state->asked_azimuth_rad = asked_rad;
  state->azimuth_set_rad = allowed != direction ? trig_wrap(allowed - astern) : trig_wrap(asked_rad);
}

// Latches the set-points of one thruster within its limits; a thruster that does not run has none.
static void set_point(const struct thruster_def *def, struct thruster_state *state,
                      const struct thruster_setpoint *asked) {
  state->revolutions_set_rpm = state->pitch_set = 0;
  if (!state->running) {
    state->azimuth_set_rad = state->azimuth_rad; // the steering gear stops
    return;
  }

  if (def->drive == DRIVE_CPP) {
    state->revolutions_set_rpm = def->revolutions_max_rpm;
    state->pitch_set = bounded(asked->pitch, 1);
  } else {
    state->revolutions_set_rpm = bounded(asked->revolutions_rpm, def->revolutions_max_rpm);
  }

  set_azimuth(def, state, asked->azimuth_rad);
}

void plant_latch(const struct plant_def *def, struct plant_state *state,
                 const struct thruster_setpoint *setpoint, const struct thruster_switches *thruster,
                 const struct bus_switches *bus, double step_s) {
  for (int i = 0; i < def->bus_count; i++) {
    state->bus[i].closed = !bus[i].lost;
    state->bus[i].available_w = bus[i].lost ? 0 : def->bus[i].available_w * (1 - bus[i].withheld);
  }

  for (int i = 0; i < def->thruster_count; i++) {
    const struct thruster_def *thruster_def = &def->thruster[i];
    struct thruster_state *thruster_state = &state->thruster[i];
    int ready = !thruster[i].not_ready && (thruster_def->bus < 0 || state->bus[thruster_def->bus].closed);
    thruster_state->stuck = (uint64_t)(thruster[i].stuck != 0);
    thruster_state->rate_share = 1 - thruster[i].slowed;
    switch_thruster(thruster_def, thruster_state, setpoint[i].enable, ready, step_s);
    set_point(thruster_def, thruster_state, &setpoint[i]);
  }

  for (int i = 0; i < def->bus_count; i++)
    power_limit(def, state, i);
}

void plant_flow(const struct plant_def *def, struct plant_state *state, double duration_s) {
  for (int i = 0; i < def->thruster_count; i++)
    thruster_flow(&def->thruster[i], &state->thruster[i], duration_s);
}

void plant_set_steady(const struct plant_def *def, struct plant_state *state,
                      const struct thruster_setpoint *setpoint) {
  static const struct thruster_switches no_failure[MAX_THRUSTERS];
  static const struct bus_switches closed[MAX_BUSES];
  for (int i = 0; i < def->thruster_count; i++) {
    state->thruster[i].start_left_s = 0;
    state->thruster[i].asked_azimuth_rad = setpoint[i].azimuth_rad;
  }
  plant_latch(def, state, setpoint, no_failure, closed, 0);
  for (int i = 0; i < def->thruster_count; i++) {
    struct thruster_state *thruster = &state->thruster[i];
    thruster->revolutions_rpm = thruster->revolutions_set_rpm;
    thruster->pitch = thruster->pitch_set;
    thruster->azimuth_rad = thruster->azimuth_set_rad;
  }
}

double plant_power_w(const struct plant_def *def, const struct plant_state *state, int thruster) {
  const struct thruster_state *thruster_state = &state->thruster[thruster];
  return thruster_state->running ? thruster_power_w(&def->thruster[thruster], thruster_state->revolutions_rpm,
                                                    thruster_state->pitch)
                                 : 0;
}

double plant_bus_power_w(const struct plant_def *def, const struct plant_state *state, int bus) {
  double sum = 0;
  for (int i = 0; i < def->thruster_count; i++)
    if (def->thruster[i].bus == bus)
      sum += plant_power_w(def, state, i);
  return sum;
}
