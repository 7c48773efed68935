// The continuous motion of the plant between two switchings: the midpoint rule (Runge-Kutta of order 2). The
// energies follow from the powers of the midpoint, so that they balance to rounding.
#include "core/power/power_parts.h"

#include <math.h>

static const double DRIVE_S = 0.1, REDUCE_S = 0.05, RECOVER_1PS = 0.05, RECOVER_BELOW = 0.95;
// Charging: the share of the rating that it may load sets to, also of the load that starts the next set; the
// time in which it ends.
static const double CHARGE_TO_LOAD = 0.75, CHARGE_TO_START = 0.9, CHARGE_END_S = 60;
static const double HOTEL_REACTIVE = 0.6, DRIVES_REACTIVE = 0.1; // share of the power

// What moves continuously.
struct motion {
  double energy_j[MAX_GENERATORS], shaft_w[MAX_GENERATORS], setting[MAX_GENERATORS];
  double supply[MAX_BUSES], reduction[MAX_BUSES];
  double battery_j[MAX_BATTERIES];
};

// Its rates, and the powers that belong to them.
struct rates {
  struct motion of;
  double rack[MAX_GENERATORS], load_w[MAX_GENERATORS];
  double battery_w[MAX_BATTERIES], charge_w[MAX_BATTERIES];             // given to the bus, taken from it
  double frequency[MAX_BUSES], voltage[MAX_BUSES], drives_w[MAX_BUSES]; // frequency, voltage: by island
  double reactive_w[MAX_GENERATORS];
};

struct inputs {
  const struct power_def *def;
  const struct power_state *state;
  const struct power_switches *switches;
  const struct power_islands *islands;
  const struct power_load *load;
};

static double bounded(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

static const double RACK_MAX = 1.1;

static double rack_of(const struct generator_def *def, const struct generator_state *state,
                      const struct generator_switches *switches, double setting, double frequency) {
  if (switches->fuel_lost || switches->governor == ACTUATOR_LOW)
    return 0;
  if (switches->governor == ACTUATOR_HIGH)
    return RACK_MAX;
  return switches->governor == ACTUATOR_STUCK ? state->rack
                                              : bounded(setting + (1 - frequency) / def->droop, 0, RACK_MAX);
}

// Electromotive force of the field and its susceptance per unit of voltage: (e - V) b is the reactive power.
static void field_of(const struct generator_def *def, enum actuator_failure failure, double *force,
                     double *b) {
  *force = failure == ACTUATOR_HIGH ? 1.6 : failure == ACTUATOR_LOW ? 0.4 : 1.025;
  *b = def->rating_w / (failure == ACTUATOR_HIGH || failure == ACTUATOR_LOW ? 0.25 : 0.05);
}

static double drives_of(const struct inputs *in, const struct motion *x, int bus) {
  double taken_w = in->load->taken_w[bus], wanted_w = fmax(in->load->asked_w[bus], taken_w);
  return in->state->bus[bus].live ? fmin(taken_w, x->supply[bus] * x->reduction[bus] * wanted_w) : 0;
}

// Loads and suppliers of one island.
struct island_sums {
  double energy_j, shaft_w, drives_w, wanted_w, reactive_b, reactive_force, battery_w;
  double charge_asked_w, charge_w;
  double surplus_w;      // what goes into the kinetic energy
  double reported_share; // sum of the shares of the sets that power management takes for on line
  int reported;          // and their number
};

static void sum_sets(const struct inputs *in, const struct motion *x, struct island_sums *sums) {
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
  return island->battery_w * bounded((0.99 - frequency) / 0.02, 0, 1);
}

// What a battery would take from its bus now: less and less as it comes to the end of its charge.
static double charge_asked_w(const struct inputs *in, const struct motion *x, int i) {
  const struct battery_def *def = &in->def->battery[i];
  const double gap_j = def->charge_to * def->energy_j - x->battery_j[i];
  return in->switches->bus_lost[def->bus] ? 0 : bounded(gap_j / CHARGE_END_S, 0, def->charge_power_w);
}

// What charging takes from an island: at rated frequency, with sets on line, as long as no other set must
// start for it.
static double charging_w(const struct inputs *in, const struct power_island *island, double frequency,
                         double load_w, double asked_w) {
  const double start = in->def->management.load_start[0];
  const double most = start > 0 ? fmin(CHARGE_TO_LOAD, CHARGE_TO_START * start) : CHARGE_TO_LOAD;
  const double sound = bounded((frequency - 0.99) / 0.005, 0, 1);
  return island->sets > 0 ? sound * bounded(most * island->rating_w - load_w, 0, asked_w) : 0;
}

static void supply_rates(const struct inputs *in, const struct motion *x, const struct island_sums *sums,
                         struct rates *out) {
  const struct power_management_def *pms = &in->def->management;
  for (int b = 0; b < in->def->bus_count; b++) {
    const struct power_island *island = &in->islands->island[in->islands->of_bus[b]];
    const struct island_sums *sum = &sums[in->islands->of_bus[b]];
    double full = pms->frequency_reduction[0], none = pms->frequency_reduction[1], target = 1;
    if (full > none)
      target = bounded((out->frequency[in->islands->of_bus[b]] - none) / (full - none), 0, 1);
    out->of.supply[b] = (target - x->supply[b]) / DRIVE_S;

    double all_w = pms->reduction * (island->rating_w + island->battery_w), r = x->reduction[b];
    double most = sum->wanted_w > 0 ? bounded((all_w - island->hotel_w) / sum->wanted_w, 0, 1) : 1;
    double again =
        sum->wanted_w > 0 ? bounded((RECOVER_BELOW * all_w - island->hotel_w) / sum->wanted_w, 0, 1) : 1;
    if (in->switches->no_reduction || pms->reduction <= 0)
      most = again = 1;
    out->of.reduction[b] = r > most ? (most - r) / REDUCE_S : r < again ? RECOVER_1PS : 0;
  }
}

static void set_rates(const struct inputs *in, const struct motion *x, struct island_sums *sums,
                      struct rates *out) {
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
static void setting_rates(const struct inputs *in, const struct motion *x, const struct island_sums *sums,
                          struct rates *out) {
  const struct power_management_def *pms = &in->def->management;
  for (int i = 0; i < in->def->generator_count; i++) {
    const struct generator_state *set = &in->state->generator[i];
    const struct island_sums *sum = &sums[in->islands->of_bus[in->def->generator[i].bus]];
    if (set->phase != GENERATOR_ON_LINE || !set->reported)
      continue;
    double mean = sum->reported_share / sum->reported,
           share = out->load_w[i] / in->def->generator[i].rating_w,
           frequency = out->frequency[in->islands->of_bus[in->def->generator[i].bus]];
    double rate = pms->frequency_1ps * (1 - frequency) + pms->sharing_1ps * (mean - share);
    out->of.setting[i] = (x->setting[i] > 1.2 && rate > 0) || (x->setting[i] < -0.2 && rate < 0) ? 0 : rate;
  }
}

static struct rates rates_at(const struct inputs *in, const struct motion *x) {
  struct rates out = {0};
  struct island_sums sums[MAX_BUSES] = {0};
  sum_sets(in, x, sums);
  for (int b = 0; b < in->def->bus_count; b++) {
    int own = in->islands->of_bus[b];
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
    out.voltage[own] = island->sets > 0 ? (sum->reactive_force - reactive_w) / sum->reactive_b : 1;
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
    int gives = battery_is_charged(&in->def->battery[i], &in->state->battery[i]) &&
                !in->switches->bus_lost[in->def->battery[i].bus];
    out.battery_w[i] =
        gives && island->live ? sums[own].battery_w * in->def->battery[i].power_w / island->battery_w : 0;
    if (sums[own].charge_w > 0)
      out.charge_w[i] = sums[own].charge_w * charge_asked_w(in, x, i) / sums[own].charge_asked_w;
    out.of.battery_j[i] = in->def->battery[i].efficiency * out.charge_w[i] - out.battery_w[i];
  }
  set_rates(in, x, sums, &out);
  setting_rates(in, x, sums, &out);
  supply_rates(in, x, sums, &out);
  return out;
}

static void move(const struct power_def *def, const struct motion *from, const struct motion *rate,
                 double step_s, struct motion *to) {
  for (int i = 0; i < def->generator_count; i++) {
    to->energy_j[i] = fmax(0, from->energy_j[i] + step_s * rate->energy_j[i]);
    to->shaft_w[i] = from->shaft_w[i] + step_s * rate->shaft_w[i];
    to->setting[i] = from->setting[i] + step_s * rate->setting[i];
  }
  for (int b = 0; b < def->bus_count; b++) {
    to->supply[b] = bounded(from->supply[b] + step_s * rate->supply[b], 0, 1);
    to->reduction[b] = bounded(from->reduction[b] + step_s * rate->reduction[b], 0, 1);
  }
  for (int i = 0; i < def->battery_count; i++)
    to->battery_j[i] = from->battery_j[i] + step_s * rate->battery_j[i];
}

static struct motion motion_of(const struct power_def *def, const struct power_state *state) {
  struct motion x = {0};
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

// Takes over the end of a part, and what belongs to its middle: powers, frequency and voltage.
static void take(const struct inputs *in, struct power_state *state, const struct motion *end,
                 const struct motion *middle, const struct rates *rates, double step_s) {
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
  for (int i = 0; i < in->def->battery_count; i++) {
    state->battery[i].power_w = rates->battery_w[i] - rates->charge_w[i];
    state->battery[i].energy_j = end->battery_j[i];
    state->ledger.charging_j += step_s * (1 - in->def->battery[i].efficiency) * rates->charge_w[i];
  }
  for (int b = 0; b < in->def->bus_count; b++) {
    const int own = in->islands->of_bus[b];
    struct power_bus_state *bus = &state->bus[b];
    if (!in->islands->island[own].live)
      continue;
    bus->frequency = rates->frequency[own];
    bus->voltage = rates->voltage[own];
    bus->supply = end->supply[b];
    bus->reduction = end->reduction[b];
    bus->drives_w = rates->drives_w[b];
    state->ledger.electric_j +=
        step_s * (rates->drives_w[b] + (in->switches->bus_lost[b] ? 0 : in->def->hotel_w[b]));
  }
}

void power_move(const struct power_def *def, struct power_state *state, const struct power_switches *switches,
                const struct power_islands *islands, const struct power_load *load, double step_s) {
  const struct inputs in = {def, state, switches, islands, load};
  const struct motion start = motion_of(def, state);
  struct motion middle = start, end = start;
  struct rates rates = rates_at(&in, &start);
  move(def, &start, &rates.of, 0.5 * step_s, &middle);
  rates = rates_at(&in, &middle);
  move(def, &start, &rates.of, step_s, &end);
  take(&in, state, &end, &middle, &rates, step_s);
}
