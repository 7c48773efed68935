// The power plant over a flow: loads, trips of sets and ties, what is left after a failure, state and ledger.
#include "sagbend/power/power.h"
#include "sagbend/power/power_internal.h"

#include <math.h>
#include <string.h>

static const struct power_switches SOUND; // no failure
static const double COAST_S = 5;          // in which a stopped engine runs down

const char *trip_name(enum trip trip) {
#define X(id, name, side, level, delay, help) #name,
  static const char *const NAMES[] = {PROTECTION_TABLE(X) "ordered", "none"};
#undef X
  return (unsigned)trip <= TRIP_NONE ? NAMES[trip] : "unknown";
}

static double power_stored_j(const struct power_def *def, const struct power_state *state) NONBLOCKING;

void power_begin(const struct power_def *def, struct power_state *state, const struct power_load *load) {
  memset(state, 0, sizeof *state);
  state->present = (uint64_t)power_is_present(def);
  for (int i = 0; i < def->generator_count; i++) {
    state->generator[i].trip = TRIP_NONE;
    if (!def->generator[i].running)
      continue;
    state->generator[i].phase = GENERATOR_ON_LINE;
    state->generator[i].reported = 1;
    state->generator[i].energy_j = generator_rated_j(&def->generator[i]);
  }
  for (int t = 0; t < def->tie_count; t++)
    state->tie[t].closed = (uint64_t)def->tie[t].closed;
  for (int i = 0; i < def->battery_count; i++)
    state->battery[i].energy_j = def->battery[i].charge * def->battery[i].energy_j;

  struct power_islands islands = power_islands_of(def, state, &SOUND);
  double drives_w[MAX_BUSES] = {0};
  for (int b = 0; b < def->bus_count; b++)
    drives_w[islands.of_bus[b]] += load->taken_w[b];
  for (int b = 0; b < def->bus_count; b++) {
    const struct power_island *island = &islands.island[islands.of_bus[b]];
    state->bus[b] = (struct power_bus_state){.live = (uint64_t)island->live,
                                             .frequency = island->live,
                                             .voltage = island->live,
                                             .supply = island->live,
                                             .reduction = island->live,
                                             .drives_w = island->live ? load->taken_w[b] : 0,
                                             .since_close_s = def->management.restart_interval_s};
  }
  for (int i = 0; i < def->generator_count; i++) {
    int own = islands.of_bus[def->generator[i].bus];
    const struct power_island *island = &islands.island[own];
    struct generator_state *set = &state->generator[i];
    if (set->phase != GENERATOR_ON_LINE)
      continue;
    double share = fmin(1.1, (island->hotel_w + drives_w[own]) / island->rating_w);
    set->setting = set->rack = share;
    set->shaft_w = set->load_w = share * def->generator[i].rating_w;
  }
  state->ledger.stored_j = power_stored_j(def, state);
}

// Kinetic energy of the generators and charge of the batteries.
static double power_stored_j(const struct power_def *def, const struct power_state *state) NONBLOCKING {
  double sum = 0;
  for (int i = 0; i < def->generator_count; i++)
    sum += state->generator[i].energy_j;
  for (int i = 0; i < def->battery_count; i++)
    sum += state->battery[i].energy_j;
  return sum;
}

// An engine runs down while it is stopped, while it has no fuel off line, and to rated speed where it
// idles above that with a closed rack.
static int runs_down(const struct generator_def *def, const struct generator_state *set,
                     const struct generator_switches *switches) {
  const int fast = set->energy_j > generator_rated_j(def) && !(set->rack > 0);
  return set->phase == GENERATOR_STOPPED ||
         (set->phase == GENERATOR_STARTING &&
          (fast || switches->start_fails || !generator_has_fuel(switches))) ||
         (set->phase == GENERATOR_IDLE && (fast || !generator_has_fuel(switches)));
}

static void run_down(const struct generator_def *def, struct generator_state *set, double step_s,
                     double *coasting_j) {
  const double before_j = set->energy_j;
  set->energy_j = before_j > 1e-6 * generator_rated_j(def) ? before_j / (1 + step_s / COAST_S) : 0;
  *coasting_j += before_j - set->energy_j;
}

// An engine that does not start comes to no speed; it is given up after its time to start.
static void run_up(const struct generator_def *def, struct generator_state *set,
                   const struct generator_switches *switches, double step_s, double *fuel_j) {
  const int fails = switches->start_fails || !generator_has_fuel(switches);
  set->left_s = fmax(0, set->left_s - step_s);
  if (!fails) {
    const double share = def->start_s > 0 ? 1 - set->left_s / def->start_s : 1, before_j = set->energy_j;
    set->energy_j = fmax(before_j, share * share * generator_rated_j(def));
    *fuel_j += set->energy_j - before_j;
  }
  if (set->left_s > 0.5 * step_s)
    return;
  set->phase = fails ? GENERATOR_STOPPED : GENERATOR_IDLE;
  set->locked = (uint64_t)fails;
  set->left_s = fails ? 0 : def->synchronise_s;
}

static void run_up_and_down(const struct power_def *def, struct power_state *state,
                            const struct power_switches *switches, double step_s) {
  for (int i = 0; i < def->generator_count; i++) {
    const struct generator_switches *own = &switches->generator[i];
    struct generator_state *set = &state->generator[i];
    if (runs_down(&def->generator[i], set, own))
      run_down(&def->generator[i], set, step_s, &state->ledger.coasting_j);
    if (set->phase == GENERATOR_STARTING)
      run_up(&def->generator[i], set, own, step_s, &state->ledger.fuel_j);
  }
}

// Change of the stored energy since before: each term by itself, as the sum of large ones would hide it.
static double stored_change_j(const struct power_def *def, const struct power_state *state,
                              const double *generator_j, const double *battery_j) {
  double sum = 0;
  for (int i = 0; i < def->generator_count; i++)
    sum += state->generator[i].energy_j - generator_j[i];
  for (int i = 0; i < def->battery_count; i++)
    sum += state->battery[i].energy_j - battery_j[i];
  return sum;
}

// Closes the balance of a part of a flow, whose terms stand in the ledger, and adds the sums up to there.
static void balance(const struct power_def *def, struct power_state *state, const struct power_ledger *before,
                    double change_j) {
  struct power_ledger *now = &state->ledger;
  const double lost_j = now->coasting_j + now->synchronising_j + now->charging_j;
  const double residual_j = change_j - (now->fuel_j - now->electric_j - lost_j);
  double scale_j = now->fuel_j + now->electric_j + lost_j + 1;
  for (int i = 0; i < def->generator_count; i++)
    scale_j += state->generator[i].energy_j;
  now->stored_j = power_stored_j(def, state);
  now->residual_j = before->residual_j + residual_j;
  now->worst_residual = fmax(before->worst_residual, fabs(residual_j) / scale_j);
  now->fuel_j += before->fuel_j;
  now->electric_j += before->electric_j;
  now->coasting_j += before->coasting_j;
  now->synchronising_j += before->synchronising_j;
  now->charging_j += before->charging_j;
}

static void power_protect(const struct power_def *def, struct power_state *state,
                          const struct power_switches *switches, double step_s) NONBLOCKING;

static void flow_part(const struct power_def *def, struct power_state *state,
                      const struct power_switches *switches, const struct power_load *load, double step_s) {
  const struct power_ledger before = state->ledger;
  double generator_j[MAX_GENERATORS], battery_j[MAX_BATTERIES];
  for (int i = 0; i < def->generator_count; i++)
    generator_j[i] = state->generator[i].energy_j;
  for (int i = 0; i < def->battery_count; i++)
    battery_j[i] = state->battery[i].energy_j;
  state->ledger = (struct power_ledger){0};
  struct power_islands islands = power_islands_of(def, state, switches);
  power_move(def, state, switches, &islands, load, step_s);
  run_up_and_down(def, state, switches, step_s);
  power_protect(def, state, switches, step_s);
  power_manage(def, state, switches, step_s);
  balance(def, state, &before, stored_change_j(def, state, generator_j, battery_j));
}

void power_flow(const struct power_def *def, struct power_state *state, const struct power_switches *switches,
                const struct power_load *load, double duration_s) {
  int parts = (int)ceil(duration_s / POWER_STEP_S * (1 - 1e-9));
  for (int k = 0; k < parts; k++)
    flow_part(def, state, switches, load, duration_s / parts);
}

static double wanted_w(const struct power_load *load, int bus) {
  return fmax(load->asked_w[bus], load->taken_w[bus]);
}

void power_available(const struct power_def *def, const struct power_state *state,
                     const struct power_load *load, const double *weight, double *out) {
  struct power_islands islands = power_islands_of(def, state, &SOUND);
  double asked_w[MAX_BUSES] = {0}, weights[MAX_BUSES] = {0};
  for (int b = 0; b < def->bus_count; b++) {
    asked_w[islands.of_bus[b]] += wanted_w(load, b);
    weights[islands.of_bus[b]] += weight[b];
  }
  for (int b = 0; b < def->bus_count; b++) {
    const struct power_bus_state *bus = &state->bus[b];
    const struct power_island *island = &islands.island[islands.of_bus[b]];
    double factor = bus->supply * bus->reduction, all_w = island->rating_w + island->battery_w;
    double spare_w = fmax(0, all_w - island->hotel_w - asked_w[islands.of_bus[b]]);
    double part = weights[islands.of_bus[b]] > 0 ? weight[b] / weights[islands.of_bus[b]] : 0;
    out[b] = bus->live ? factor * (wanted_w(load, b) + part * spare_w) : 0;
  }
}

double power_reserve_w(const struct power_def *def, const struct power_state *state) {
  double sum = 0;
  for (int i = 0; i < def->generator_count; i++)
    if (state->generator[i].phase == GENERATOR_ON_LINE)
      sum += def->generator[i].rating_w - state->generator[i].load_w;
  for (int i = 0; i < def->battery_count; i++)
    if (battery_is_charged(&def->battery[i], &state->battery[i]) && state->bus[def->battery[i].bus].live)
      sum += def->battery[i].power_w - state->battery[i].power_w;
  return sum;
}

// ------------------------------------------------------------
static int may_run(const struct power_def *def, int i) {
  return def->generator[i].running || def->management.load_start[0] > 0;
}

void power_left_after(const struct power_def *def, unsigned buses, unsigned generators,
                      struct power_left *out) {
  static const struct power_load no_load;
  struct power_switches switches;
  struct power_state state;
  int sets[MAX_BUSES] = {0}; // of each island of the sound plant
  memset(&switches, 0, sizeof switches);
  power_begin(def, &state, &no_load);
  struct power_islands sound = power_islands_of(def, &state, &switches);
  for (int i = 0; i < def->generator_count; i++) {
    const int bus = def->generator[i].bus, lost = (int)((buses >> bus | generators >> i) & 1);
    sets[sound.of_bus[bus]] += may_run(def, i);
    state.generator[i].phase = may_run(def, i) && !lost ? GENERATOR_ON_LINE : GENERATOR_STOPPED;
  }
  for (int t = 0; t < def->tie_count; t++)
    if ((buses >> def->tie[t].bus[0] | buses >> def->tie[t].bus[1]) & 1)
      state.tie[t].closed = 0;
  for (int b = 0; b < def->bus_count; b++)
    switches.bus_lost[b] = (int)(buses >> b & 1);
  for (int i = 0; i < def->battery_count; i++)
    if (sets[sound.of_bus[def->battery[i].bus]])
      state.battery[i].energy_j = 0;
  struct power_islands left = power_islands_of(def, &state, &switches);
  const double share = def->management.reduction > 0 ? def->management.reduction : 1;
  for (int b = 0; b < def->bus_count; b++) {
    const struct power_island *island = &left.island[left.of_bus[b]];
    out->island[b] = left.of_bus[b];
    out->live[b] = island->live && !(buses >> b & 1);
    out->drives_w[b] = left.of_bus[b] == b && island->live
                           ? fmax(0, share * island->rating_w + island->battery_w - island->hotel_w)
                           : 0;
  }
}

// ------------------------------------------------------------
static int set_is_valid(const struct generator_def *def, const struct generator_state *set,
                        struct reason *why) {
  for (int k = 0; k < PROTECTION_COUNT; k++)
    if (!valid_range(set->beyond_s[k], 0, 1e9, "beyond_s", why))
      return 0;
  return valid_range(set->energy_j, 0, 1e15, "energy_j", why) &&
         valid_finite(&set->shaft_w, 1, "shaft_w", why) && valid_range(set->rack, 0, 2, "rack", why) &&
         valid_range(set->setting, -1, 2, "setting", why) && valid_finite(&set->load_w, 1, "load_w", why) &&
         valid_finite(&set->reactive_w, 1, "reactive_w", why) &&
         valid_range(set->left_s, 0, fmax(def->start_s, def->synchronise_s), "left_s", why) &&
         valid_whole(set->phase, 0, GENERATOR_PHASES - 1, "phase", why) &&
         valid_whole(set->trip, 0, TRIP_NONE, "trip", why) && valid_whole(set->locked, 0, 1, "locked", why) &&
         valid_whole(set->reported, 0, 1, "reported", why) &&
         valid_whole(set->trip_count, 0, VALID_MOST_STEPS, "trip_count", why);
}

static int bus_is_valid(const struct power_bus_state *bus, struct reason *why) {
  return valid_range(bus->frequency, 0, 1e3, "frequency", why) &&
         valid_range(bus->voltage, 0, 10, "voltage", why) && valid_range(bus->supply, 0, 1, "supply", why) &&
         valid_range(bus->reduction, 0, 1, "reduction", why) &&
         valid_range(bus->asked_w, 0, 1e12, "asked_w", why) &&
         valid_range(bus->drives_w, 0, 1e12, "drives_w", why) &&
         valid_range(bus->dark_s, 0, 1e12, "dark_s", why) &&
         valid_range(bus->start_s, 0, 1e12, "start_s", why) &&
         valid_range(bus->stop_s, 0, 1e12, "stop_s", why) &&
         valid_range(bus->since_close_s, 0, 1e12, "since_close_s", why) &&
         valid_whole(bus->live, 0, 1, "live", why) &&
         valid_whole(bus->dark_count, 0, VALID_MOST_STEPS, "dark_count", why);
}

static int ledger_is_sound(const struct power_ledger *ledger, struct reason *why) {
  return valid_finite(&ledger->fuel_j, 1, "fuel_j", why) &&
         valid_range(ledger->electric_j, 0, 1e300, "electric_j", why) &&
         valid_range(ledger->coasting_j, 0, 1e300, "coasting_j", why) &&
         valid_range(ledger->synchronising_j, 0, 1e300, "synchronising_j", why) &&
         valid_range(ledger->charging_j, 0, 1e300, "charging_j", why) &&
         valid_range(ledger->stored_j, 0, 1e300, "stored_j", why) &&
         valid_finite(&ledger->residual_j, 1, "residual_j", why) &&
         valid_range(ledger->worst_residual, 0, 1, "worst_residual", why);
}

int power_state_is_valid(const struct power_def *def, const struct power_state *state, struct reason *why) {
  for (int i = 0; i < def->generator_count; i++)
    if (!set_is_valid(&def->generator[i], &state->generator[i], why))
      return valid_fail_in(why, "generator[%d].", i);
  for (int t = 0; t < def->tie_count; t++)
    if (!valid_whole(state->tie[t].closed, 0, 1, "closed", why) ||
        !valid_whole(state->tie[t].opened_dark, 0, 1, "opened_dark", why) ||
        !valid_range(state->tie[t].beyond_s, 0, 1e9, "beyond_s", why))
      return valid_fail_in(why, "tie[%d].", t);
  for (int i = 0; i < def->battery_count; i++)
    if (!valid_range(state->battery[i].energy_j, 0, def->battery[i].energy_j, "energy_j", why) ||
        !valid_range(state->battery[i].power_w, -def->battery[i].charge_power_w * (1 + 1e-9),
                     def->battery[i].power_w * (1 + 1e-9), "power_w", why))
      return valid_fail_in(why, "battery[%d].", i);
  for (int b = 0; b < def->bus_count; b++)
    if (!bus_is_valid(&state->bus[b], why))
      return valid_fail_in(why, "bus[%d].", b);
  if (!valid_whole(state->present, 0, 1, "present", why))
    return 0;
  return ledger_is_sound(&state->ledger, why) ? 1 : valid_fail_in(why, "ledger.");
}

// ------------------------------------------------------------
// Trips of the generators and of the ties. All sets are judged by the same values, so that two generators
// with equal limits trip together.

// Speed below which no engine runs on, and above which none does, whatever its protection.
static const double STALLED = 0.5, BURST = 2;

// The side of its limit on which each protection trips.
#define X(id, name, side, level, delay, help) side,
static const enum protection_side SIDE[] = {PROTECTION_TABLE(X)};
#undef X

static void protect_set(const struct generator_def *def, struct generator_state *set,
                        const struct power_bus_state *bus, const struct generator_switches *switches,
                        double step_s) {
  const int on_line = set->phase == GENERATOR_ON_LINE;
  const double speed = generator_speed(def, set), share = set->load_w / def->rating_w;
  const double value[PROTECTION_COUNT] = {[TRIP_REVERSE] = share,
                                          [TRIP_OVERLOAD] = share,
                                          [TRIP_OVER_FREQUENCY] = speed,
                                          [TRIP_UNDER_FREQUENCY] = speed,
                                          [TRIP_OVER_VOLTAGE] = bus->voltage,
                                          [TRIP_EXCITATION] = set->reactive_w / def->rating_w,
                                          [TRIP_OVERSPEED] = speed};
  for (int k = 0; k < PROTECTION_COUNT; k++) {
    const int beyond = SIDE[k] * (value[k] - def->limit[k].level) > 0 && (on_line || k == TRIP_OVERSPEED);
    if (power_has_lasted(&set->beyond_s[k], beyond, def->limit[k].delay_s, step_s)) {
      generator_trip(set, switches, (enum trip)k);
      return;
    }
  }
  if (speed < STALLED || speed > BURST)
    generator_trip(set, switches, speed > BURST ? TRIP_OVERSPEED : TRIP_UNDER_FREQUENCY);
}

// lost: one of its buses is lost. As after a blackout, power management may close the tie again.
static void protect_tie(const struct tie_def *def, struct tie_state *tie, const struct power_bus_state *bus,
                        int lost, const struct tie_switches *switches, double step_s) {
  const int outside =
      bus->live && (bus->frequency < def->frequency[0] || bus->frequency > def->frequency[1] ||
                    bus->voltage < def->voltage[0] || bus->voltage > def->voltage[1]);
  const int trips = switches->opens | power_has_lasted(&tie->beyond_s, def->trips && tie->closed && outside,
                                                       def->trip_delay_s, step_s);
  if (!(trips || lost) || !tie->closed || switches->stuck)
    return;
  tie->closed = 0;
  tie->opened_dark = (uint64_t)!trips;
  tie->trip_count++;
}

// Trips of generators and ties after such a part.
static void power_protect(const struct power_def *def, struct power_state *state,
                          const struct power_switches *switches, double step_s) NONBLOCKING {
  for (int i = 0; i < def->generator_count; i++) {
    const int bus = def->generator[i].bus;
    struct generator_state *set = &state->generator[i];
    if ((switches->generator[i].trips || switches->bus_lost[bus]) && set->phase != GENERATOR_STOPPED)
      generator_trip(set, &switches->generator[i], TRIP_ORDERED);
    else if (set->phase == GENERATOR_ON_LINE || set->phase == GENERATOR_IDLE)
      protect_set(&def->generator[i], set, &state->bus[bus], &switches->generator[i], step_s);
  }
  for (int t = 0; t < def->tie_count; t++) {
    const int one = def->tie[t].bus[0], other = def->tie[t].bus[1];
    const int lost = switches->bus_lost[one] || switches->bus_lost[other];
    protect_tie(&def->tie[t], &state->tie[t], &state->bus[one], lost, &switches->tie[t], step_s);
  }
}
