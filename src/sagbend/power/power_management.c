// Power management: what it sees of the breakers, load-dependent start and stop, recovery from a blackout,
// and the closing of breakers. A breaker closes on a dead bus only alone; on a live one it waits until the
// set is synchronised.
#include "sagbend/power/power_internal.h"

#include <math.h>
#include <string.h>

static const struct generator_switches SOUND; // no failure
static const double SYNCHRONOUS = 0.05; // difference from rated speed within which a breaker closes, per unit

// ---- What switchings share ----

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

int power_has_lasted(double *since_s, int holds, double delay_s, double step_s) {
  *since_s = holds ? *since_s + step_s : 0;
  return holds && *since_s > delay_s * (1 - 1e-9);
}

// ---- The management ----

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
