#include "sagbend/power/power_internal.h"

#include <math.h>
#include <string.h>

static const struct power_switches SOUND; // no failure
static const double COAST_S = 5;          // in which a stopped engine runs down

const char *generator_phase_name(enum generator_phase phase) {
  static const char *const NAMES[] = {"stopped", "starting", "idle", "on line"};
  return (unsigned)phase < GENERATOR_PHASES ? NAMES[phase] : "unknown";
}

const char *trip_name(enum trip trip) {
#define X(id, name, side, level, delay, help) #name,
  static const char *const NAMES[] = {PROTECTION_TABLE(X) "ordered", "none"};
#undef X
  return (unsigned)trip <= TRIP_NONE ? NAMES[trip] : "unknown";
}

double generator_speed(const struct generator_def *def, const struct generator_state *state) {
  return sqrt(state->energy_j / generator_rated_j(def));
}

static void join_by_ties(const struct power_def *def, const struct power_state *state, int *of_bus) {
  for (int b = 0; b < def->bus_count; b++)
    of_bus[b] = b;
  for (int round = 0; round < def->tie_count; round++)
    for (int t = 0; t < def->tie_count; t++) {
      int *one = &of_bus[def->tie[t].bus[0]], *other = &of_bus[def->tie[t].bus[1]];
      if (state->tie[t].closed)
        *one = *other = *one < *other ? *one : *other;
    }
}

struct power_islands power_islands_of(const struct power_def *def, const struct power_state *state,
                                      const struct power_switches *switches) {
  struct power_islands all = {0};
  join_by_ties(def, state, all.of_bus);
  for (int b = 0; b < def->bus_count; b++)
    all.island[all.of_bus[b]].hotel_w += switches->bus_lost[b] ? 0 : def->hotel_w[b];
  for (int i = 0; i < def->generator_count; i++) {
    struct power_island *island = &all.island[all.of_bus[def->generator[i].bus]];
    if (state->generator[i].phase != GENERATOR_ON_LINE)
      continue;
    island->sets++;
    island->inertia_j += generator_inertia(&def->generator[i]);
    island->rating_w += def->generator[i].rating_w;
  }
  for (int i = 0; i < def->battery_count; i++)
    if (battery_is_charged(&def->battery[i], &state->battery[i]) && !switches->bus_lost[def->battery[i].bus])
      all.island[all.of_bus[def->battery[i].bus]].battery_w += def->battery[i].power_w;
  for (int b = 0; b < def->bus_count; b++) {
    struct power_island *island = &all.island[b];
    island->live = island->sets > 0 || (island->battery_w > 0 && island->battery_w >= island->hotel_w);
  }
  return all;
}

void generator_trip(struct generator_state *state, const struct generator_switches *switches, enum trip why) {
  state->phase = GENERATOR_STOPPED;
  state->trip = why;
  state->trip_count++;
  state->locked = switches->governor || switches->field || switches->trips || switches->fuel_lost ||
                  switches->start_fails;
  state->shaft_w = state->load_w = state->reactive_w = state->rack = state->setting = 0;
  memset(state->beyond_s, 0, sizeof state->beyond_s);
}

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

double power_stored_j(const struct power_def *def, const struct power_state *state) {
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
