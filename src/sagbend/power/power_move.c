// The continuous motion of the plant between two switchings: the midpoint rule (Runge-Kutta of order 2). The
// energies follow from the powers of the midpoint, so that they balance to rounding.
#include "sagbend/power/power_rates.h"

#include <math.h>

static const int MOST_PARTS = 100;
static const double SETTING[2] = {-0.2, 1.2}; // range of the speed setting of a governor

static void move(const struct power_def *def, const struct power_motion *from,
                 const struct power_motion *rate, double step_s, struct power_motion *to) {
  for (int i = 0; i < def->generator_count; i++) {
    to->energy_j[i] = fmax(0, from->energy_j[i] + step_s * rate->energy_j[i]);
    to->shaft_w[i] = from->shaft_w[i] + step_s * rate->shaft_w[i];
    to->setting[i] = power_bounded(from->setting[i] + step_s * rate->setting[i], SETTING[0], SETTING[1]);
  }
  for (int b = 0; b < def->bus_count; b++) {
    to->supply[b] = power_bounded(from->supply[b] + step_s * rate->supply[b], 0, 1);
    to->reduction[b] = power_bounded(from->reduction[b] + step_s * rate->reduction[b], 0, 1);
  }
  for (int i = 0; i < def->battery_count; i++)
    to->battery_j[i] = from->battery_j[i] + step_s * rate->battery_j[i];
}

static struct power_motion motion_of(const struct power_def *def, const struct power_state *state) {
  struct power_motion x = {0};
  for (int i = 0; i < def->generator_count; i++) {
    x.energy_j[i] = state->generator[i].energy_j;
    x.shaft_w[i] = state->generator[i].shaft_w;
    x.setting[i] = state->generator[i].setting;
  }
  for (int b = 0; b < def->bus_count; b++) {
    x.supply[b] = state->bus[b].supply;
    x.reduction[b] = state->bus[b].reduction;
  }
  for (int i = 0; i < def->battery_count; i++)
    x.battery_j[i] = state->battery[i].energy_j;
  return x;
}

// A load that would stop the sets of an island within this part gets no more than their kinetic energy and
// their engines give: they end at rest, and the rest of the load is not served.
static void serve_what_there_is(const struct power_inputs *in, const struct power_motion *start,
                                double step_s, struct power_rates *rates) {
  double short_w[MAX_BUSES] = {0}, load_w[MAX_BUSES] = {0};
  int is_short = 0;
  for (int i = 0; i < in->def->generator_count; i++) {
    const double end_j = start->energy_j[i] + step_s * rates->of.energy_j[i];
    if (end_j >= 0)
      continue;
    is_short = 1;
    short_w[in->islands->of_bus[in->def->generator[i].bus]] -= end_j / step_s;
    rates->load_w[i] += end_j / step_s;
    rates->of.energy_j[i] = -start->energy_j[i] / step_s;
  }
  if (!is_short)
    return;
  for (int b = 0; b < in->def->bus_count; b++)
    load_w[in->islands->of_bus[b]] +=
        rates->drives_w[b] + (in->switches->bus_lost[b] ? 0 : in->def->hotel_w[b]);
  for (int own = 0; own < in->def->bus_count; own++)
    if (short_w[own] > 0)
      rates->served[own] = fmax(0, 1 - short_w[own] / load_w[own]);
}

// Charge of a battery at the end of a part. What the rounding of a large charge takes or gives goes to the
// loss or to the load of this part, and never makes it negative.
static double charge_after(double start_j, double change_j, double *other_j) {
  double end_j = start_j + change_j;
  if (*other_j + (change_j - (end_j - start_j)) < 0)
    end_j *= 1 - 0x1p-53;
  *other_j += change_j - (end_j - start_j);
  return end_j;
}

// Takes over the end of a part, and what belongs to its middle: powers, frequency and voltage.
static void take(const struct power_inputs *in, struct power_state *state, const struct power_motion *end,
                 const struct power_motion *middle, const struct power_rates *rates, double step_s) {
  for (int i = 0; i < in->def->generator_count; i++) {
    struct generator_state *set = &state->generator[i];
    if (set->phase != GENERATOR_ON_LINE && set->phase != GENERATOR_IDLE)
      continue;
    set->energy_j = end->energy_j[i];
    set->shaft_w = end->shaft_w[i];
    set->setting = end->setting[i];
    set->rack = rates->rack[i];
    set->load_w = rates->load_w[i];
    set->reactive_w = rates->reactive_w[i];
    state->ledger.fuel_j += step_s * middle->shaft_w[i];
  }
  for (int b = 0; b < in->def->bus_count; b++) {
    const int own = in->islands->of_bus[b];
    struct power_bus_state *bus = &state->bus[b];
    if (!in->islands->island[own].live || in->switches->bus_lost[b])
      continue;
    bus->frequency = rates->frequency[own];
    bus->voltage = rates->voltage[own];
    bus->supply = end->supply[b];
    bus->reduction = end->reduction[b];
    bus->drives_w = rates->served[own] * rates->drives_w[b];
    state->ledger.electric_j += step_s * rates->served[own] * (rates->drives_w[b] + in->def->hotel_w[b]);
  }
  for (int i = 0; i < in->def->battery_count; i++) {
    struct battery_state *battery = &state->battery[i];
    double *other_j = rates->charge_w[i] > 0 ? &state->ledger.charging_j : &state->ledger.electric_j;
    battery->power_w = rates->battery_w[i] - rates->charge_w[i];
    state->ledger.charging_j += step_s * (1 - in->def->battery[i].efficiency) * rates->charge_w[i];
    battery->energy_j = charge_after(battery->energy_j, step_s * rates->of.battery_j[i], other_j);
  }
}

static void move_part(const struct power_inputs *in, struct power_state *state, double step_s) {
  const struct power_motion start = motion_of(in->def, state);
  struct power_motion middle = start, end = start;
  struct power_rates rates = power_rates_at(in, &start);
  move(in->def, &start, &rates.of, 0.5 * step_s, &middle);
  rates = power_rates_at(in, &middle);
  serve_what_there_is(in, &start, step_s, &rates);
  move(in->def, &start, &rates.of, step_s, &end);
  take(in, state, &end, &middle, &rates, step_s);
}

// Smaller parts where batteries answer the frequency of light sets faster than a part: the rate of an island
// is the slope of its batteries' power over the frequency by its inertia.
static int parts_of(const struct power_def *def, const struct power_islands *islands, double step_s) {
  double charge_w[MAX_BUSES] = {0}, fastest_1ps = 0;
  for (int i = 0; i < def->battery_count; i++)
    charge_w[islands->of_bus[def->battery[i].bus]] += def->battery[i].charge_power_w;
  for (int own = 0; own < def->bus_count && def->battery_count > 0; own++) {
    const struct power_island *island = &islands->island[own];
    const double slope_w =
        island->battery_w / BATTERY_FREQUENCY + fmin(charge_w[own], island->rating_w) / CHARGE_FREQUENCY;
    if (island->sets > 0)
      fastest_1ps = fmax(fastest_1ps, slope_w / island->inertia_j);
  }
  return (int)fmin(MOST_PARTS, 1 + step_s * fastest_1ps);
}

void power_move(const struct power_def *def, struct power_state *state, const struct power_switches *switches,
                const struct power_islands *islands, const struct power_load *load, double step_s) {
  struct power_inputs in = {def, state, switches, islands, load, {0}};
  for (int i = 0; i < def->battery_count; i++)
    in.gives[i] =
        battery_is_charged(&def->battery[i], &state->battery[i]) && !switches->bus_lost[def->battery[i].bus];
  const int parts = parts_of(def, islands, step_s);
  for (int k = 0; k < parts; k++)
    move_part(&in, state, step_s / parts);
}
