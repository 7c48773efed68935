// What moves continuously between two switchings, and its rates: the equations of docs/power.md.
#include "sagbend/power/power_internal.h"

#include <math.h>

static const double DRIVE_S = 0.1, REDUCE_S = 0.05, RECOVER_1PS = 0.05, RECOVER_BELOW = 0.95;
// Charging: the share of the rating that it may load sets to, also of the load that starts the next set; the
// time in which it ends.
static const double CHARGE_TO_LOAD = 0.75, CHARGE_TO_START = 0.9, CHARGE_END_S = 60;
static const double HOTEL_REACTIVE = 0.6, DRIVES_REACTIVE = 0.1; // share of the power

static const double RACK_MAX = 1.1;

static double rack_of(const struct generator_def *def, const struct generator_state *state,
                      const struct generator_switches *switches, double setting, double frequency) {
  if (!generator_has_fuel(switches))
    return 0;
  if (switches->governor == ACTUATOR_HIGH)
    return RACK_MAX;
  return switches->governor == ACTUATOR_STUCK
             ? state->rack
             : power_bounded(setting + (1 - frequency) / def->droop, 0, RACK_MAX);
}

// Electromotive force of the field and its susceptance per unit of voltage: (e - V) b is the reactive power.
static void field_of(const struct generator_def *def, enum actuator_failure failure, double *force,
                     double *b) {
  *force = failure == ACTUATOR_HIGH ? 1.6 : failure == ACTUATOR_LOW ? 0.4 : 1.025;
  *b = def->rating_w / (failure == ACTUATOR_HIGH || failure == ACTUATOR_LOW ? 0.25 : 0.05);
}

static double drives_of(const struct power_inputs *in, const struct power_motion *x, int bus) {
  double taken_w = in->load->taken_w[bus], wanted_w = fmax(in->load->asked_w[bus], taken_w);
  return in->state->bus[bus].live && !in->switches->bus_lost[bus]
             ? fmin(taken_w, x->supply[bus] * x->reduction[bus] * wanted_w)
             : 0;
}

// Loads and suppliers of one island.
struct island_sums {
  double energy_j, shaft_w, drives_w, wanted_w, reactive_b, reactive_force, battery_w;
  double charge_asked_w, charge_w;
  double surplus_w;      // power that goes into the kinetic energy
  double reported_share; // sum of the shares of the generators that power management takes for on line
  int reported;          // and their number
};

static void sum_sets(const struct power_inputs *in, const struct power_motion *x, struct island_sums *sums) {
  for (int i = 0; i < in->def->generator_count; i++) {
    const struct generator_state *set = &in->state->generator[i];
    struct island_sums *sum = &sums[in->islands->of_bus[in->def->generator[i].bus]];
    if (set->phase != GENERATOR_ON_LINE)
      continue;
    double force, b;
    field_of(&in->def->generator[i], in->switches->generator[i].field, &force, &b);
    sum->energy_j += x->energy_j[i];
    sum->shaft_w += x->shaft_w[i];
    sum->reactive_b += b;
    sum->reactive_force += force * b;
  }
}

// Battery power of an island: the whole load without sets, else by the fall of the frequency.
static double battery_power(const struct power_island *island, double frequency, double load_w) {
  if (island->sets == 0)
    return fmin(load_w, island->battery_w);
  return island->battery_w * power_bounded((BATTERY_BELOW - frequency) / BATTERY_FREQUENCY, 0, 1);
}

// What a battery would take from its bus now: less and less as it comes to the end of its charge.
static double charge_asked_w(const struct power_inputs *in, const struct power_motion *x, int i) {
  const struct battery_def *def = &in->def->battery[i];
  const double gap_j = def->charge_to * def->energy_j - x->battery_j[i];
  return in->switches->bus_lost[def->bus] ? 0 : power_bounded(gap_j / CHARGE_END_S, 0, def->charge_power_w);
}

// What charging takes from an island: at rated frequency, with sets on line, as long as no other set must
// start for it.
static double charging_w(const struct power_inputs *in, const struct power_island *island, double frequency,
                         double load_w, double asked_w) {
  const double start = in->def->management.load_start[0];
  const double most = start > 0 ? fmin(CHARGE_TO_LOAD, CHARGE_TO_START * start) : CHARGE_TO_LOAD;
  const double sound = power_bounded((frequency - BATTERY_BELOW) / CHARGE_FREQUENCY, 0, 1);
  return island->sets > 0 ? sound * power_bounded(most * island->rating_w - load_w, 0, asked_w) : 0;
}

static void supply_rates(const struct power_inputs *in, const struct power_motion *x,
                         const struct island_sums *sums, struct power_rates *out) {
  const struct power_management_def *pms = &in->def->management;
  for (int b = 0; b < in->def->bus_count; b++) {
    const struct power_island *island = &in->islands->island[in->islands->of_bus[b]];
    const struct island_sums *sum = &sums[in->islands->of_bus[b]];
    double full = pms->frequency_reduction[0], none = pms->frequency_reduction[1], target = 1;
    if (full > none)
      target = power_bounded((out->frequency[in->islands->of_bus[b]] - none) / (full - none), 0, 1);
    out->of.supply[b] = (target - x->supply[b]) / DRIVE_S;

    double all_w = pms->reduction * (island->rating_w + island->battery_w), r = x->reduction[b];
    double most = sum->wanted_w > 0 ? power_bounded((all_w - island->hotel_w) / sum->wanted_w, 0, 1) : 1;
    double again = sum->wanted_w > 0
                       ? power_bounded((RECOVER_BELOW * all_w - island->hotel_w) / sum->wanted_w, 0, 1)
                       : 1;
    if (in->switches->no_reduction || pms->reduction <= 0)
      most = again = 1;
    out->of.reduction[b] = r > most ? (most - r) / REDUCE_S : r < again ? RECOVER_1PS : 0;
  }
}

static void set_rates(const struct power_inputs *in, const struct power_motion *x, struct island_sums *sums,
                      struct power_rates *out) {
  for (int i = 0; i < in->def->generator_count; i++) {
    const struct generator_def *def = &in->def->generator[i];
    const struct generator_state *set = &in->state->generator[i];
    const int own = in->islands->of_bus[def->bus], on_line = set->phase == GENERATOR_ON_LINE;
    sums[own].reported += set->reported != 0;
    if (!on_line && set->phase != GENERATOR_IDLE)
      continue;
    double inertia_j = generator_inertia(def), force, b;
    double frequency = on_line ? out->frequency[own] : sqrt(2 * x->energy_j[i] / inertia_j);
    out->rack[i] = rack_of(def, set, &in->switches->generator[i], x->setting[i], frequency);
    out->of.shaft_w[i] = (out->rack[i] * def->rating_w - x->shaft_w[i]) / def->lag_s;
    out->of.energy_j[i] = x->shaft_w[i];
    if (!on_line)
      continue;
    field_of(def, in->switches->generator[i].field, &force, &b);
    out->of.energy_j[i] = inertia_j / in->islands->island[own].inertia_j * sums[own].surplus_w;
    out->load_w[i] = x->shaft_w[i] - out->of.energy_j[i];
    out->reactive_w[i] = b * (force - out->voltage[own]);
    sums[own].reported_share += set->reported ? out->load_w[i] / def->rating_w : 0;
  }
}

// Load sharing: the speed settings move towards equal shares of what power management sees, and towards rated
// frequency.
static void setting_rates(const struct power_inputs *in, const struct island_sums *sums,
                          struct power_rates *out) {
  const struct power_management_def *pms = &in->def->management;
  for (int i = 0; i < in->def->generator_count; i++) {
    const struct generator_state *set = &in->state->generator[i];
    const struct island_sums *sum = &sums[in->islands->of_bus[in->def->generator[i].bus]];
    if (set->phase != GENERATOR_ON_LINE || !set->reported)
      continue;
    double mean = sum->reported_share / sum->reported,
           share = out->load_w[i] / in->def->generator[i].rating_w,
           frequency = out->frequency[in->islands->of_bus[in->def->generator[i].bus]];
    out->of.setting[i] = pms->frequency_1ps * (1 - frequency) + pms->sharing_1ps * (mean - share);
  }
}

static struct power_rates power_rates_at(const struct power_inputs *in, const struct power_motion *x) {
  struct power_rates out = {0};
  struct island_sums sums[MAX_BUSES] = {0};
  sum_sets(in, x, sums);
  for (int b = 0; b < in->def->bus_count; b++) {
    int own = in->islands->of_bus[b];
    out.served[b] = 1;
    sums[own].drives_w += out.drives_w[b] = drives_of(in, x, b);
    sums[own].wanted_w += fmax(in->load->asked_w[b], in->load->taken_w[b]);
  }
  for (int i = 0; i < in->def->battery_count; i++)
    sums[in->islands->of_bus[in->def->battery[i].bus]].charge_asked_w += charge_asked_w(in, x, i);
  for (int own = 0; own < in->def->bus_count; own++) {
    const struct power_island *island = &in->islands->island[own];
    struct island_sums *sum = &sums[own];
    if (!island->live || in->islands->of_bus[own] != own)
      continue;
    double load_w = island->hotel_w + sum->drives_w;
    double reactive_w = HOTEL_REACTIVE * island->hotel_w + DRIVES_REACTIVE * sum->drives_w;
    out.frequency[own] = island->sets > 0 ? sqrt(2 * sum->energy_j / island->inertia_j) : 1;
    out.voltage[own] = island->sets > 0 ? fmax(0, (sum->reactive_force - reactive_w) / sum->reactive_b) : 1;
    sum->battery_w = battery_power(island, out.frequency[own], load_w);
    sum->charge_w = charging_w(in, island, out.frequency[own], load_w, sum->charge_asked_w);
    sum->surplus_w = sum->shaft_w + sum->battery_w - load_w - sum->charge_w;
    if (island->sets == 0 && load_w > island->battery_w) // the drives get what the batteries leave them
      for (int b = 0; b < in->def->bus_count; b++)
        if (in->islands->of_bus[b] == own)
          out.drives_w[b] *= (island->battery_w - island->hotel_w) / sum->drives_w;
  }
  for (int i = 0; i < in->def->battery_count; i++) {
    int own = in->islands->of_bus[in->def->battery[i].bus];
    const struct power_island *island = &in->islands->island[own];
    out.battery_w[i] = in->gives[i] && island->live
                           ? sums[own].battery_w * in->def->battery[i].power_w / island->battery_w
                           : 0;
    if (sums[own].charge_w > 0)
      out.charge_w[i] = sums[own].charge_w * charge_asked_w(in, x, i) / sums[own].charge_asked_w;
    out.of.battery_j[i] = in->def->battery[i].efficiency * out.charge_w[i] - out.battery_w[i];
  }
  set_rates(in, x, sums, &out);
  setting_rates(in, sums, &out);
  supply_rates(in, x, sums, &out);
  return out;
}

// ------------------------------------------------------------
// The continuous motion of the plant between two switchings: the midpoint rule (Runge-Kutta of order 2). The
// energies follow from the powers of the midpoint, so that they balance to rounding.

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

// A load that would stop the generators of an island within this part gets no more than their kinetic energy
// and their engines give: they end at rest, and the rest of the load is not served.
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

// Smaller parts where batteries answer the frequency of light generators faster than a part: the rate of an
// island is the slope of its batteries' power over the frequency by its inertia.
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
