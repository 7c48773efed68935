// Trips of the sets and of the ties. All sets are judged by the same values, so that two sets with equal
// limits trip together.
#include "sagbend/power/power_internal.h"

#include <math.h>

// Speed below which no engine runs on, and above which none does, whatever its protection.
static const double STALLED = 0.5, BURST = 2;

// The side of its limit on which each protection trips.
#define X(id, name, side, level, delay, help) side,
static const enum protection_side SIDE[] = {PROTECTION_TABLE(X)};
#undef X

int power_has_lasted(double *since_s, int holds, double delay_s, double step_s) {
  *since_s = holds ? *since_s + step_s : 0;
  return holds && *since_s > delay_s * (1 - 1e-9);
}

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

void power_protect(const struct power_def *def, struct power_state *state,
                   const struct power_switches *switches, double step_s) {
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
