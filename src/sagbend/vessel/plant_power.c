// What thrusters and power plant exchange: the power that the thrusters ask for and draw, and the power that
// each bus may use.
#include "sagbend/vessel/plant.h"
#include "sagbend/vessel/vessel_internal.h"

static struct power_load load_of(const struct plant_def *def, const struct plant_state *state,
                                 const struct power_state *power) {
  struct power_load load = {{0}, {0}};
  for (int b = 0; b < def->bus_count; b++) {
    load.asked_w[b] = power->bus[b].asked_w;
    load.taken_w[b] = plant_bus_power_w(def, state, b);
  }
  return load;
}

void plant_power_flow(const struct plant_def *def, const struct plant_state *state, struct power_state *power,
                      const struct power_switches *switches, double duration_s) {
  const struct power_load load = load_of(def, state, power);
  power_flow(&def->power, power, switches, &load, duration_s);
}

void plant_power_begin(const struct plant_def *def, const struct plant_state *state,
                       struct power_state *power) {
  struct power_load load = {{0}, {0}};
  for (int b = 0; b < def->bus_count; b++)
    load.asked_w[b] = load.taken_w[b] = plant_bus_power_w(def, state, b);
  power_begin(&def->power, power, &load);
}

void plant_share_power(const struct plant_def *def, struct plant_state *state, const struct bus_switches *bus,
                       struct power_state *power) {
  double weight[MAX_BUSES] = {0}, available_w[MAX_BUSES];
  for (int b = 0; b < def->bus_count; b++)
    power->bus[b].asked_w = 0;
  for (int i = 0; i < def->thruster_count; i++) {
    const struct thruster_def *thruster = &def->thruster[i];
    const struct thruster_state *now = &state->thruster[i];
    if (thruster->bus < 0)
      continue;
    weight[thruster->bus] += thruster->power_max_w;
    if (now->running)
      power->bus[thruster->bus].asked_w +=
          thruster_power_w(thruster, now->revolutions_set_rpm, now->pitch_set);
  }
  const struct power_load load = load_of(def, state, power);
  power_available(&def->power, power, &load, weight, available_w);
  for (int b = 0; b < def->bus_count; b++)
    state->bus[b].available_w = available_w[b] * (1 - bus[b].withheld);
}
