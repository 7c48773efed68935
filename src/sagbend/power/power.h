// The power plant: sets with inertia, governor, field and breaker; buses with ties and hotel load; batteries;
// protection of each set; load sharing and power management. docs/power.md gives equations and sources.
//
// Buses that closed ties join are an island, with one frequency and one voltage. The kinetic energy of the
// sets is part of the state, so that every flow balances exactly:
//     change of kinetic energy and of charge = fuel - electric - losses, every loss >= 0.
// Frequency, voltage: per unit of the rated value. All powers: W. Flows divide long times into parts of at
// most POWER_STEP_S; between two switchings they are of order 2.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/base/base.h"
#include "sagbend/power/power_def.h"

#include <stdint.h>

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
  int bus_lost[MAX_BUSES]; // the sets of the bus trip, its ties open, it stays dark
  int no_reduction;        // power management reduces no drives
};

// What the drives of each bus ask for, and what their propellers take now.
struct power_load {
  double asked_w[MAX_BUSES], taken_w[MAX_BUSES];
};

// 1 if the definition has a set or a battery.
static inline int power_is_present(const struct power_def *def) {
  return def->generator_count > 0 || def->battery_count > 0;
}

// The sets of the definition that run share this load at rated frequency; the others stand still.
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

// Kinetic energy of the sets and charge of the batteries.
double power_stored_j(const struct power_def *def, const struct power_state *state) NONBLOCKING;

// Returns 1 if a state read from a file is possible for this plant. Otherwise returns 0 and fills why
// (sagbend/base/base.h).
int power_state_is_valid(const struct power_def *def, const struct power_state *state, struct reason *why);

// Name of a phase or of the reason of a trip in messages.
const char *generator_phase_name(enum generator_phase phase);
const char *trip_name(enum trip trip);
