#include "sagbend/power/power.h"

#include <math.h>

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
