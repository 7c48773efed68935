// Power management: what it sees of the breakers, load-dependent start and stop, recovery from a blackout,
// and the closing of breakers. A breaker closes on a dead bus only alone; on a live one it waits until the
// set is synchronised.
#include "sagbend/power/power_internal.h"

#include <math.h>

static const struct generator_switches SOUND; // no failure
static const double SYNCHRONOUS = 0.05; // difference from rated speed within which a breaker closes, per unit

struct manager {
  const struct power_def *def;
  struct power_state *state;
  const struct power_switches *switches;
  struct power_islands islands;
  int ties_moved; // 1: islands are to be found again
};

static const struct power_island *island_of(const struct manager *m, int bus) {
  return &m->islands.island[m->islands.of_bus[bus]];
}

static int may_start(const struct manager *m, int i) {
  const struct generator_state *set = &m->state->generator[i];
  return set->phase == GENERATOR_STOPPED && !set->locked && !m->switches->generator[i].trips &&
         !m->switches->bus_lost[m->def->generator[i].bus];
}

static void start(const struct manager *m, int i) {
  m->state->generator[i].phase = GENERATOR_STARTING;
  m->state->generator[i].left_s = m->def->generator[i].start_s;
}

// 1 if a set of this island is on its way to the bus.
static int is_coming(const struct manager *m, int own) {
  for (int i = 0; i < m->def->generator_count; i++) {
    const uint64_t phase = m->state->generator[i].phase;
    if (m->islands.of_bus[m->def->generator[i].bus] == own &&
        (phase == GENERATOR_STARTING || phase == GENERATOR_IDLE))
      return 1;
  }
  return 0;
}

static void go_dark(struct manager *m, int b) {
  struct power_bus_state *bus = &m->state->bus[b];
  *bus = (struct power_bus_state){.dark_count = bus->dark_count + 1, .since_close_s = bus->since_close_s};
  for (int t = 0; t < m->def->tie_count && m->def->management.open_ties_dark; t++) {
    struct tie_state *tie = &m->state->tie[t];
    if ((m->def->tie[t].bus[0] != b && m->def->tie[t].bus[1] != b) || !tie->closed ||
        m->switches->tie[t].stuck)
      continue;
    tie->closed = 0;
    tie->opened_dark = 1;
    m->ties_moved = 1;
  }
}

// Marks the buses, and orders the generators of those that have been dark long enough to start.
static void watch_buses(struct manager *m, double step_s) {
  for (int b = 0; b < m->def->bus_count; b++) {
    struct power_bus_state *bus = &m->state->bus[b];
    bus->since_close_s += step_s;
    if (island_of(m, b)->live && !m->switches->bus_lost[b]) {
      bus->live = 1;
      bus->dark_s = 0;
      continue;
    }
    if (bus->live)
      go_dark(m, b);
    bus->dark_s += step_s;
    for (int i = 0; i < m->def->generator_count; i++)
      if (m->def->generator[i].bus == b && may_start(m, i) &&
          bus->dark_s > m->def->management.recovery_after_s * (1 - 1e-9))
        start(m, i);
  }
}

// 1 if a dead bus has no set of its own that may come.
static int is_helpless(const struct manager *m, int bus) {
  for (int i = 0; i < m->def->generator_count; i++)
    if (m->def->generator[i].bus == bus &&
        (m->state->generator[i].phase != GENERATOR_STOPPED || may_start(m, i)))
      return 0;
  return !island_of(m, bus)->live && !m->switches->bus_lost[bus] &&
         m->state->bus[bus].dark_s > m->def->management.recovery_after_s;
}

// Closes a tie that a blackout opened on a dead bus that has no set to start: one tie only, as two from
// different islands would join these unsynchronised.
static void reclose_ties(struct manager *m) {
  for (int t = 0; t < m->def->tie_count; t++) {
    const int *of = m->def->tie[t].bus;
    struct tie_state *tie = &m->state->tie[t];
    if (tie->closed || !tie->opened_dark || m->switches->tie[t].opens)
      continue;
    const int dark = m->state->bus[of[0]].live ? of[1] : of[0], live = of[0] + of[1] - dark;
    if (!m->state->bus[live].live || !is_helpless(m, dark))
      continue;
    tie->closed = 1;
    tie->opened_dark = 0;
    m->islands = power_islands_of(m->def, m->state, m->switches);
  }
}

static int first_to_start(const struct manager *m, int own) {
  for (int i = 0; i < m->def->generator_count; i++)
    if (m->islands.of_bus[m->def->generator[i].bus] == own && may_start(m, i))
      return i;
  return -1;
}

static int last_on_line(const struct manager *m, int own) {
  for (int i = m->def->generator_count - 1; i >= 0; i--)
    if (m->islands.of_bus[m->def->generator[i].bus] == own &&
        m->state->generator[i].phase == GENERATOR_ON_LINE)
      return i;
  return -1;
}

// Orderly stop of a set: power management has taken its breaker off the bus.
static void stop(struct generator_state *set) {
  generator_trip(set, &SOUND, TRIP_NONE);
  set->trip_count--;
}

static void follow_load(struct manager *m, int own, double step_s) {
  const struct power_management_def *pms = &m->def->management;
  const struct power_island *island = &m->islands.island[own];
  struct power_bus_state *bus = &m->state->bus[own];
  double load_w = 0;
  for (int i = 0; i < m->def->generator_count; i++)
    if (m->islands.of_bus[m->def->generator[i].bus] == own)
      load_w += m->state->generator[i].load_w;

  // A generator starts for a load that is high, and for an island that a battery carries alone.
  const int high =
      island->sets == 0 || (pms->load_start[0] > 0 && load_w > pms->load_start[0] * island->rating_w);
  const int next = high && !is_coming(m, own) ? first_to_start(m, own) : -1;
  if (power_has_lasted(&bus->start_s, high, pms->load_start[1], step_s) && next >= 0)
    start(m, next);

  const int last = last_on_line(m, own);
  const double left_w = island->rating_w - (last >= 0 ? m->def->generator[last].rating_w : 0);
  const int low = pms->load_stop[0] > 0 && island->sets > 1 && load_w < pms->load_stop[0] * left_w;
  if (power_has_lasted(&bus->stop_s, low, pms->load_stop[1], step_s)) {
    stop(&m->state->generator[last]);
    bus->stop_s = 0;
    m->islands = power_islands_of(m->def, m->state, m->switches);
  }
}

// Joins a set to an island. Two rotors that are coupled keep their angular momentum and lose energy, as two
// masses in a plastic impact.
static void join(struct manager *m, int i) {
  const int own = m->islands.of_bus[m->def->generator[i].bus];
  struct power_island *island = &m->islands.island[own];
  struct generator_state *set = &m->state->generator[i];
  const double inertia_j = generator_inertia(&m->def->generator[i]);
  double others_j = 0;
  for (int k = 0; k < m->def->generator_count; k++)
    if (m->islands.of_bus[m->def->generator[k].bus] == own &&
        m->state->generator[k].phase == GENERATOR_ON_LINE)
      others_j += m->state->generator[k].energy_j;

  set->phase = GENERATOR_ON_LINE;
  island->sets++;
  if (island->sets > 1) {
    const double slip = sqrt(2 * others_j / island->inertia_j) - sqrt(2 * set->energy_j / inertia_j);
    const double all_j = island->inertia_j + inertia_j;
    const double lost_j = 0.5 * island->inertia_j * inertia_j / all_j * slip * slip,
                 energy_j = others_j + set->energy_j - lost_j;
    for (int k = 0; k < m->def->generator_count; k++)
      if (m->islands.of_bus[m->def->generator[k].bus] == own &&
          m->state->generator[k].phase == GENERATOR_ON_LINE)
        m->state->generator[k].energy_j = generator_inertia(&m->def->generator[k]) / all_j * energy_j;
    m->state->ledger.synchronising_j += lost_j;
  }
  island->inertia_j += inertia_j;
  island->rating_w += m->def->generator[i].rating_w;
  island->live = 1;
  for (int b = 0; b < m->def->bus_count; b++)
    if (m->islands.of_bus[b] == own)
      m->state->bus[b].since_close_s = 0;
}

static void close_breakers(struct manager *m, double step_s) {
  for (int i = 0; i < m->def->generator_count; i++) {
    const int b = m->def->generator[i].bus;
    struct generator_state *set = &m->state->generator[i];
    const struct power_bus_state *bus = &m->state->bus[b];
    if (set->phase != GENERATOR_IDLE || m->switches->bus_lost[b] ||
        fabs(generator_speed(&m->def->generator[i], set) - 1) >= SYNCHRONOUS)
      continue;
    if (!island_of(m, b)->live) {
      join(m, i);
      continue;
    }
    if (!bus->live) { // another generator has just closed on the dead bus: this one synchronises from now on
      set->left_s = m->def->generator[i].synchronise_s;
      continue;
    }
    set->left_s = fmax(0, set->left_s - step_s);
    if (set->left_s <= 0.5 * step_s && bus->since_close_s >= m->def->management.restart_interval_s &&
        fabs(bus->frequency - 1) < SYNCHRONOUS)
      join(m, i);
  }
}

void power_manage(const struct power_def *def, struct power_state *state,
                  const struct power_switches *switches, double step_s) {
  struct manager m = {def, state, switches, power_islands_of(def, state, switches), 0};
  for (int i = 0; i < def->generator_count; i++) {
    const struct generator_switches *own = &switches->generator[i];
    if (!own->governor && !own->field && !own->trips && !own->fuel_lost && !own->start_fails)
      state->generator[i].locked = 0;
  }
  watch_buses(&m, step_s);
  if (m.ties_moved)
    m.islands = power_islands_of(def, state, switches);
  reclose_ties(&m);
  for (int own = 0; own < def->bus_count; own++)
    if (m.islands.of_bus[own] == own && m.islands.island[own].live)
      follow_load(&m, own, step_s);
  close_breakers(&m, step_s);
  for (int i = 0; i < def->generator_count; i++)
    if (!switches->generator[i].status_frozen)
      state->generator[i].reported = state->generator[i].phase == GENERATOR_ON_LINE;
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
