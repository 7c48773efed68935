// Definition of the power plant: generators, ties between buses, batteries, protection and power
// management. docs/power.md. Without a set and without a battery there is no power plant: the power of each
// bus is then the number of its configuration (sagbend/vessel/vessel.h).
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/signals/signals.h"

#include <stdint.h>

enum { MAX_BATTERIES = 6 };

// Protection of a set: enumerator, name, largest or least allowed value, delay in s, what is watched. A set
// trips when the value has been beyond its limit for the delay. TRIPS_BELOW: the limit is a lower one.
#define PROTECTION_TABLE(X)                                                                                  \
  X(TRIP_REVERSE, reverse, TRIPS_BELOW, -0.08, 5, "active power as a share of the rating")                   \
  X(TRIP_OVERLOAD, overload, TRIPS_ABOVE, 1.05, 10, "active power as a share of the rating")                 \
  X(TRIP_OVER_FREQUENCY, over_frequency, TRIPS_ABOVE, 1.10, 0.5, "frequency, per unit")                      \
  X(TRIP_UNDER_FREQUENCY, under_frequency, TRIPS_BELOW, 0.90, 1, "frequency, per unit")                      \
  X(TRIP_OVER_VOLTAGE, over_voltage, TRIPS_ABOVE, 1.15, 1, "voltage, per unit")                              \
  X(TRIP_EXCITATION, excitation, TRIPS_BELOW, -0.3, 2, "reactive power as a share of the rating")            \
  X(TRIP_OVERSPEED, overspeed, TRIPS_ABOVE, 1.15, 0, "speed of the engine, per unit")
enum protection_side { TRIPS_BELOW = -1, TRIPS_ABOVE = 1 };
#define X(id, name, side, level, delay, help) id,
enum trip { PROTECTION_TABLE(X) PROTECTION_COUNT, TRIP_ORDERED = PROTECTION_COUNT, TRIP_NONE };
#undef X

struct trip_limit {
  double level, delay_s;
};

// A generator: engine, generator and breaker.
struct generator_def {
  char name[SIGNAL_NAME];
  char bus_name[SIGNAL_NAME];
  int bus;
  double rating_w;
  double inertia_s;     // H: kinetic energy at rated speed over the rating
  double lag_s;         // from the fuel rack to the power at the shaft
  double droop;         // fall of the frequency from no load to full load, per unit
  double start_s;       // from the order to start until the engine runs at rated speed
  double synchronise_s; // from then on until the breaker closes on a live bus
  int running;          // 1: on line at the beginning
  struct trip_limit limit[PROTECTION_COUNT];
};

// A tie breaker between two buses. It opens when frequency or voltage have been outside their limits for
// trip_delay_s.
struct tie_def {
  char name[SIGNAL_NAME];
  char bus_name[2][SIGNAL_NAME];
  int bus[2];
  int closed; // at the beginning
  int trips;  // 0: no trip
  double frequency[2], voltage[2], trip_delay_s;
};

// A battery with its inverter. It supplies what the generators of its island lack, and a whole island without
// sets. Sets with power to spare charge it.
struct battery_def {
  char name[SIGNAL_NAME];
  char bus_name[SIGNAL_NAME];
  int bus;
  double power_w;
  double energy_j;       // when full
  double charge;         // share of energy_j at the beginning
  double charge_power_w; // most that charging takes from the bus; 0: it is not charged
  double charge_to;      // share of energy_j up to which it is charged
  double efficiency;     // of what charging takes from the bus, the share that is stored
};

// Power management (PMS).
struct power_management_def {
  double load_start[2];              // share of the rating on line that starts the next set, and its delay, s
  double load_stop[2];               // share that would remain after a stop, and its delay, s; 0: no stop
  double frequency_reduction[2];     // drives: full power above the first frequency, none below the second
  double reduction;                  // share of the rating on line above which drives are reduced
  double recovery_after_s;           // from a blackout to the order to start the generators of the bus
  double restart_interval_s;         // least time between two breakers that close in one island
  int open_ties_dark;                // 1: the ties of a dark bus open
  double sharing_1ps, frequency_1ps; // gains of the speed setting: equal shares, rated frequency
};

struct power_def {
  int bus_count, generator_count, tie_count, battery_count;
  double hotel_w[MAX_BUSES];
  struct generator_def generator[MAX_GENERATORS];
  struct tie_def tie[MAX_TIES];
  struct battery_def battery[MAX_BATTERIES];
  struct power_management_def management;
};

// ------------------------------------------------------------
// The power plant: sets with inertia, governor, field and breaker; buses with ties and hotel load; batteries;
// protection of each generator; load sharing and power management. docs/power.md gives equations and sources.
//
// Buses that closed ties join are an island, with one frequency and one voltage. The kinetic energy of the
// sets is part of the state, so that every flow balances exactly:
//     change of kinetic energy and of charge = fuel - electric - losses, every loss >= 0.
// Frequency, voltage: per unit of the rated value. All powers: W. Flows divide long times into parts of at
// most POWER_STEP_S; between two switchings they are of order 2.

static const double POWER_STEP_S = 0.01;

enum generator_phase {
  GENERATOR_STOPPED,
  GENERATOR_STARTING,
  GENERATOR_IDLE,    // at speed, breaker open
  GENERATOR_ON_LINE, // breaker closed
  GENERATOR_PHASES
};

// State of a set. 8-byte members only, as in the other states.
struct generator_state {
  double energy_j;   // kinetic energy
  double shaft_w;    // power of the engine at the shaft
  double rack;       // fuel rack, share of the rating
  double setting;    // speed setting of the governor, as the share that it gives at rated frequency
  double load_w;     // active power that it gives to its bus
  double reactive_w; // reactive power that it gives to its bus
  double left_s;     // of starting or of synchronising
  double beyond_s[PROTECTION_COUNT]; // time that each watched value has been beyond its limit
  uint64_t phase;                    // enum generator_phase
  uint64_t trip;                     // enum trip: why it tripped last
  uint64_t locked;                   // 1: it may not start until its failure is mended
  uint64_t reported;                 // 1: power management takes its breaker for closed
  uint64_t trip_count;
};

struct tie_state {
  double beyond_s;
  uint64_t closed, trip_count;
  uint64_t opened_dark; // 1: power management opened it in a blackout
};

struct battery_state {
  double energy_j;
  double power_w; // given to the bus; negative: it is charged
};

struct power_bus_state {
  double frequency, voltage;
  double supply;        // power factor of the drives by the frequency, 0 to 1
  double reduction;     // power factor of the drives by the power management, 0 to 1
  double asked_w;       // power that the set-points of the drives ask for
  double drives_w;      // power that the drives take
  double dark_s;        // time since the bus went dark; 0: live
  double start_s;       // time above load_start
  double stop_s;        // time below load_stop
  double since_close_s; // since a breaker closed in its island
  uint64_t live, dark_count;
};

// Sums since the beginning, J.
struct power_ledger {
  double fuel_j;          // work of the engines
  double electric_j;      // work taken by drives and hotel
  double coasting_j;      // loss: sets that run down
  double synchronising_j; // loss: breakers that close on another frequency
  double charging_j;      // loss: charging of batteries
  double stored_j;        // kinetic energy and charge, now
  double residual_j;      // sum of the residuals of the flows
  double worst_residual;  // largest residual of a flow over the energy that it moved, or that turns
};

struct power_state {
  struct generator_state generator[MAX_GENERATORS];
  struct tie_state tie[MAX_TIES];
  struct battery_state battery[MAX_BATTERIES];
  struct power_bus_state bus[MAX_BUSES];
  struct power_ledger ledger;
  uint64_t present; // 1: there is a power plant
};

// Failures. Zero: none.
enum actuator_failure { ACTUATOR_SOUND, ACTUATOR_HIGH, ACTUATOR_LOW, ACTUATOR_STUCK };
struct generator_switches {
  enum actuator_failure governor, field; // the field is never stuck
  int trips;                             // the breaker opens and stays open
  int fuel_lost;                         // the rack gives no power
  int start_fails;                       // the engine does not start
  int status_frozen;                     // power management keeps the status of the breaker that it had
};
struct tie_switches {
  int opens; // opens and stays open
  int stuck; // does not open
};
struct power_switches {
  struct generator_switches generator[MAX_GENERATORS];
  struct tie_switches tie[MAX_TIES];
  int bus_lost[MAX_BUSES]; // the generators of the bus trip, its ties open, it stays dark
  int no_reduction;        // power management reduces no drives
};

// What the drives of each bus ask for, and what their propellers take now.
struct power_load {
  double asked_w[MAX_BUSES], taken_w[MAX_BUSES];
};

// 1 if the definition has a generator or a battery.
static inline int power_is_present(const struct power_def *def) {
  return def->generator_count > 0 || def->battery_count > 0;
}

// The generators of the definition that run share this load at rated frequency; the others stand still.
void power_begin(const struct power_def *def, struct power_state *state, const struct power_load *load);

// Advances the plant by duration_s under a constant load.
void power_flow(const struct power_def *def, struct power_state *state, const struct power_switches *switches,
                const struct power_load *load, double duration_s) NONBLOCKING;

// Power that the drives of each bus may take, out[bus]: what they ask for, as far as frequency and power
// management allow it, and a part of the reserve of the island that grows with weight[bus].
void power_available(const struct power_def *def, const struct power_state *state,
                     const struct power_load *load, const double *weight, double *out) NONBLOCKING;

// Power on line that nothing uses, in the whole plant.
double power_reserve_w(const struct power_def *def, const struct power_state *state) NONBLOCKING;

// Returns 1 if a state read from a file is possible for this plant. Otherwise returns 0 and fills why
// (sagbend/base/base.h).
int power_state_is_valid(const struct power_def *def, const struct power_state *state, struct reason *why);

// Name of the reason of a trip in messages.
const char *trip_name(enum trip trip);

// ------------------------------------------------------------
// What the power plant can supply in the long run when equipment has failed: no transients, no trips that
// follow (power_flow has these).

struct power_left {
  int island[MAX_BUSES];      // of each bus: the first bus of those that closed ties join with it
  int live[MAX_BUSES];        // 1: a set, or a battery that carries its hotel load, supplies the bus
  double drives_w[MAX_BUSES]; // power for all drives of the island, at its first bus; 0 at the others
};

// buses, generators: bits of those that failed. A lost bus has no generators, and its ties are open. Sets
// that stand by count if power management starts them (management.load_start). Sets are loaded up to
// management.reduction of their rating. Batteries count only where the sound plant has no set: they do not
// last.
void power_left_after(const struct power_def *def, unsigned buses, unsigned generators,
                      struct power_left *out);
