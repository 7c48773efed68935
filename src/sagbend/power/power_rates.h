// What moves continuously between two switchings, and its rates.
#pragma once

#include "sagbend/power/power_internal.h"

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

struct power_rates power_rates_at(const struct power_inputs *in, const struct power_motion *x) NONBLOCKING;
