// The rates of what moves continuously: the equations of docs/power.md.
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

struct power_rates power_rates_at(const struct power_inputs *in, const struct power_motion *x) {
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
