// Definition of the power plant: generator sets, ties between buses, batteries, protection and power
// management. docs/power.md. Without a set and without a battery there is no power plant: the power of each
// bus is then the number of its configuration (sagbend/vessel/plant_def.h).
#pragma once

#include "sagbend/signals/readings.h"

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

// A generator set: engine, generator and breaker.
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

// A battery with its inverter. It supplies what the sets of its island lack, and a whole island without sets.
// Sets with power to spare charge it.
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
  double recovery_after_s;           // from a blackout to the order to start the sets of the bus
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
