// What the files of this room share. Conventions: sagbend/power/power.h.
#pragma once

#include "sagbend/power/power.h"

// Buses that closed ties join.
struct power_island {
  int sets;         // on line
  int live;         // a set is on line, or batteries carry the island
  double inertia_j; // J of all sets on line: E = J w^2 / 2 with w per unit, so in J
  double rating_w;  // of all sets on line
  double battery_w; // of all batteries that have a charge
  double hotel_w;
};

struct power_islands {
  int of_bus[MAX_BUSES]; // index of the island of each bus: that of its first bus
  struct power_island island[MAX_BUSES];
};

struct power_islands power_islands_of(const struct power_def *def, const struct power_state *state,
                                      const struct power_switches *switches) NONBLOCKING;

static inline double generator_inertia(const struct generator_def *def) {
  return 2 * def->inertia_s * def->rating_w;
}

// Kinetic energy at rated speed, and the speed of a set per unit.
static inline double generator_rated_j(const struct generator_def *def) {
  return def->inertia_s * def->rating_w;
}
double generator_speed(const struct generator_def *def, const struct generator_state *state) NONBLOCKING;

// 0 where no rack opens: the engine neither starts nor runs on.
static inline int generator_has_fuel(const struct generator_switches *switches) {
  return !switches->fuel_lost && switches->governor != ACTUATOR_LOW;
}

// A battery supplies while its charge lasts for another part of a flow.
static inline int battery_is_charged(const struct battery_def *def, const struct battery_state *state) {
  return state->energy_j > def->power_w * POWER_STEP_S;
}

// Opens the breaker and stops the engine. A set with a failure of its own is locked.
void generator_trip(struct generator_state *state, const struct generator_switches *switches,
                    enum trip why) NONBLOCKING;

// The continuous motion under these islands for one part of a flow.
void power_move(const struct power_def *def, struct power_state *state, const struct power_switches *switches,
                const struct power_islands *islands, const struct power_load *load,
                double step_s) NONBLOCKING;

// Power management after such a part: marks dark buses, orders starts and stops, closes breakers.
void power_manage(const struct power_def *def, struct power_state *state,
                  const struct power_switches *switches, double step_s) NONBLOCKING;

// Counts the time for which a condition holds. Returns 1 once this is longer than the delay.
int power_has_lasted(double *since_s, int holds, double delay_s, double step_s) NONBLOCKING;

// ------------------------------------------------------------
// What moves continuously between two switchings, and its rates.

// Frequencies, per unit, over which batteries come from none to full: below 0.99 they give power; from there
// on charging is allowed.
static const double BATTERY_BELOW = 0.99, BATTERY_FREQUENCY = 0.02, CHARGE_FREQUENCY = 0.005;

// What moves continuously.
struct power_motion {
  double energy_j[MAX_GENERATORS], shaft_w[MAX_GENERATORS], setting[MAX_GENERATORS];
  double supply[MAX_BUSES], reduction[MAX_BUSES];
  double battery_j[MAX_BATTERIES];
};

// Its rates, and the powers that belong to them.
struct power_rates {
  struct power_motion of;
  double rack[MAX_GENERATORS], load_w[MAX_GENERATORS];
  double battery_w[MAX_BATTERIES], charge_w[MAX_BATTERIES];             // given to the bus, taken from it
  double frequency[MAX_BUSES], voltage[MAX_BUSES], drives_w[MAX_BUSES]; // frequency, voltage: by island
  double reactive_w[MAX_GENERATORS];
  double served[MAX_BUSES]; // share of its load that an island gives, by island
};

struct power_inputs {
  const struct power_def *def;
  const struct power_state *state;
  const struct power_switches *switches;
  const struct power_islands *islands;
  const struct power_load *load;
  int gives[MAX_BATTERIES]; // 1: the battery counts among the suppliers of its island
};

static inline double power_bounded(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}
