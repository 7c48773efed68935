// The section vessel.power: buses, generators, ties, batteries, protection and power management.
#include "sagbend/case/case.h"
#include "sagbend/case/case_internal.h"

#include "sagbend/power/power.h"

#include <stdlib.h>
#include <string.h>

#define POWER(member) IN(config_draft, out.sim.vessel.plant.power.member)

static const struct key_def KEYS[] = {
    {"vessel.power", AS_SECTION, .optional = 1, .doc = "Power supply of the thrusters."},
    {"vessel.power.buses", AS_ITEMS, .size = MAX_BUSES, .optional = 1,
     ITEMS_IN(config_draft, out.sim.vessel.plant.bus, bus_def, out.sim.vessel.plant.bus_count),
     .doc = "Switchboard buses that supply thrusters."},
    {"vessel.power.buses[].name", AS_TEXT, .size = SIGNAL_NAME, IN(bus_def, name),
     .doc = "Unique name of the bus, for thrusters and events."},
    {"vessel.power.buses[].available_w", AS_NUMBER, .range = POSITIVE, .optional = 1,
     IN(bus_def, available_w), .unit = "W",
     .doc = "Power available to thrusters. If their set-points demand more, all thrusters on the bus are "
            "scaled down. Required without a power plant; with one it follows from the generators on line."},
    {"vessel.power.buses[].hotel_w", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1e9, .fallback = "0",
     IN(bus_def, hotel_w), .unit = "W",
     .doc = "Load of the bus beside the thrusters. Only with generators or batteries."},
    {"vessel.power.generators", AS_ITEMS, .size = MAX_GENERATORS, .optional = 1,
     ITEMS_IN(config_draft, out.sim.vessel.plant.power.generator, generator_def,
              out.sim.vessel.plant.power.generator_count),
     .doc = "Generators. With a generator or a battery the power plant has a frequency, and failures of it "
            "cause "
            "blackouts."},
    {"vessel.power.generators[].name", AS_TEXT, .size = SIGNAL_NAME, IN(generator_def, name),
     .doc = "Unique name of the set, for events and messages."},
    {"vessel.power.generators[].bus", AS_TEXT, .size = SIGNAL_NAME, IN(generator_def, bus_name),
     .doc = "Name of its bus in vessel.power.buses."},
    {"vessel.power.generators[].rating_w", AS_NUMBER, .range = LIMITED, .low = 1e3, .high = 1e9,
     IN(generator_def, rating_w), .unit = "W", .doc = "Rated active power of the set."},
    {"vessel.power.generators[].inertia_s", AS_NUMBER, .range = LIMITED, .low = 0.2, .high = 20,
     .fallback = "1.5", IN(generator_def, inertia_s), .unit = "s",
     .doc = "Kinetic energy at rated speed over the rating (H)."},
    {"vessel.power.generators[].lag_s", AS_NUMBER, .range = LIMITED, .low = 0.05, .high = 10,
     .fallback = "0.4", IN(generator_def, lag_s), .unit = "s",
     .doc = "Time constant from the fuel rack to the power at the shaft."},
    {"vessel.power.generators[].droop", AS_NUMBER, .range = LIMITED, .low = 0.005, .high = 0.2,
     .fallback = "0.05", IN(generator_def, droop),
     .doc = "Fall of the frequency from no load to full load, per unit."},
    {"vessel.power.generators[].start_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "15",
     IN(generator_def, start_s), .unit = "s", .doc = "Time from the order to start to rated speed."},
    {"vessel.power.generators[].synchronise_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "8",
     IN(generator_def, synchronise_s), .unit = "s",
     .doc = "Time from rated speed until its breaker closes on a live bus. On a dead bus it closes at once."},
    {"vessel.power.generators[].running", AS_FLAG, .fallback = "true", IN(generator_def, running),
     .doc = "Whether the set is on line at the beginning. false: it stands by."},
    {"vessel.power.generators[].protection", AS_SECTION, .optional = 1,
     .doc = "Protection of the set. Each limit has a default."},
#define X(id, name, side, usual, delay, help)                                                                \
  {"vessel.power.generators[].protection." #name, AS_NUMBER, .fallback = #usual,                             \
   IN(generator_def, limit[id].level), .doc = "Limit of the " help "."},                                     \
      {"vessel.power.generators[].protection." #name "_delay_s",                                             \
       AS_NUMBER,                                                                                            \
       .range = NOT_NEGATIVE,                                                                                \
       .fallback = #delay,                                                                                   \
       IN(generator_def, limit[id].delay_s),                                                                 \
       .unit = "s",                                                                                          \
       .doc = "Time beyond that limit until the generator trips."},
    PROTECTION_TABLE(X)
#undef X
        {"vessel.power.ties", AS_ITEMS, .size = MAX_TIES, .optional = 1,
         ITEMS_IN(config_draft, out.sim.vessel.plant.power.tie, tie_def,
                  out.sim.vessel.plant.power.tie_count),
         .doc = "Tie breakers between two buses."},
    {"vessel.power.ties[].name", AS_TEXT, .size = SIGNAL_NAME, IN(tie_def, name),
     .doc = "Unique name of the tie, for events and messages."},
    {"vessel.power.ties[].from", AS_TEXT, .size = SIGNAL_NAME, IN(tie_def, bus_name[0]),
     .doc = "Name of one of its two buses."},
    {"vessel.power.ties[].to", AS_TEXT, .size = SIGNAL_NAME, IN(tie_def, bus_name[1]),
     .doc = "Name of the other one."},
    {"vessel.power.ties[].closed", AS_FLAG, .fallback = "true", IN(tie_def, closed),
     .doc = "Closed at the beginning."},
    {"vessel.power.ties[].trip", AS_SECTION, .optional = 1,
     .doc = "Protection of the tie. Without this section it does not trip."},
    {"vessel.power.ties[].trip.frequency_min", AS_NUMBER, .range = LIMITED, .low = 0.5, .high = 0.99,
     .fallback = "0.95", IN(tie_def, frequency[0]), .doc = "Least frequency, per unit."},
    {"vessel.power.ties[].trip.frequency_max", AS_NUMBER, .range = LIMITED, .low = 1.01, .high = 1.5,
     .fallback = "1.06", IN(tie_def, frequency[1]), .doc = "Largest frequency, per unit."},
    {"vessel.power.ties[].trip.voltage_min", AS_NUMBER, .range = LIMITED, .low = 0.2, .high = 0.98,
     .fallback = "0.85", IN(tie_def, voltage[0]), .doc = "Least voltage, per unit."},
    {"vessel.power.ties[].trip.voltage_max", AS_NUMBER, .range = LIMITED, .low = 1.03, .high = 2,
     .fallback = "1.10", IN(tie_def, voltage[1]), .doc = "Largest voltage, per unit."},
    {"vessel.power.ties[].trip.delay_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0.25",
     IN(tie_def, trip_delay_s), .unit = "s", .doc = "Time outside these limits until the tie opens."},
    {"vessel.power.batteries", AS_ITEMS, .size = MAX_BATTERIES, .optional = 1,
     ITEMS_IN(config_draft, out.sim.vessel.plant.power.battery, battery_def,
              out.sim.vessel.plant.power.battery_count),
     .doc = "Batteries. They supply what the generators of their buses lack, and buses without sets."},
    {"vessel.power.batteries[].name", AS_TEXT, .size = SIGNAL_NAME, IN(battery_def, name),
     .doc = "Unique name of the battery."},
    {"vessel.power.batteries[].bus", AS_TEXT, .size = SIGNAL_NAME, IN(battery_def, bus_name),
     .doc = "Name of its bus in vessel.power.buses."},
    {"vessel.power.batteries[].power_w", AS_NUMBER, .range = LIMITED, .low = 1, .high = 1e9,
     IN(battery_def, power_w), .unit = "W", .doc = "Largest power that the battery gives."},
    {"vessel.power.batteries[].energy_j", AS_NUMBER, .range = LIMITED, .low = 1, .high = 1e15,
     IN(battery_def, energy_j), .unit = "J", .doc = "Energy of the full battery."},
    {"vessel.power.batteries[].charge", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1, .fallback = "0.8",
     IN(battery_def, charge), .doc = "Share of energy_j at the beginning."},
    {"vessel.power.batteries[].charge_power_w", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1e9,
     .fallback = "0", IN(battery_def, charge_power_w), .unit = "W",
     .doc = "Most power that charging takes from the bus, where generators have it to spare. 0: it is not "
            "charged."},
    {"vessel.power.batteries[].charge_to", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1,
     .fallback = "0.9", IN(battery_def, charge_to), .doc = "Share of energy_j up to which it is charged."},
    {"vessel.power.batteries[].efficiency", AS_NUMBER, .range = LIMITED, .low = 0.1, .high = 1,
     .fallback = "0.92", IN(battery_def, efficiency),
     .doc =
         "Share of the power for charging that is stored; the rest is lost. Discharge has no further loss."},
    {"vessel.power.management", AS_SECTION, .optional = 1,
     .doc = "Power management (PMS). Without this section it has the defaults."},
    {"vessel.power.management.load_start", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1,
     .fallback = "0.85", POWER(management.load_start[0]),
     .doc = "Share of the rating on line above which the next set starts. 0: none does."},
    {"vessel.power.management.load_start_delay_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "5",
     POWER(management.load_start[1]), .unit = "s", .doc = "Time above load_start until it starts."},
    {"vessel.power.management.load_stop", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1, .fallback = "0",
     POWER(management.load_stop[0]),
     .doc = "Share of the rating that would remain below which a generator stops. 0: none does."},
    {"vessel.power.management.load_stop_delay_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "60",
     POWER(management.load_stop[1]), .unit = "s", .doc = "Time below load_stop until it stops."},
    {"vessel.power.management.frequency_reduction_from", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1,
     .fallback = "0.97", POWER(management.frequency_reduction[0]),
     .doc = "Frequency, per unit, below which the drives begin to give up power. 0: they do not."},
    {"vessel.power.management.frequency_reduction_to", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1,
     .fallback = "0.93", POWER(management.frequency_reduction[1]),
     .doc = "Frequency, per unit, at which they take none."},
    {"vessel.power.management.reduction", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1,
     .fallback = "0.98", POWER(management.reduction),
     .doc =
         "Share of the rating on line that the load may reach before power management reduces the drives. 0: "
         "it does not."},
    {"vessel.power.management.recovery_after_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "5",
     POWER(management.recovery_after_s), .unit = "s",
     .doc = "Time from a blackout to the start of the generators of the dark bus."},
    {"vessel.power.management.restart_interval_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "5",
     POWER(management.restart_interval_s), .unit = "s",
     .doc = "Least time between two breakers that close on the same buses."},
    {"vessel.power.management.open_ties_dark", AS_FLAG, .fallback = "true", POWER(management.open_ties_dark),
     .doc = "Whether the ties of a dark bus open, so that a fault does not spread as it recovers."},
    {"vessel.power.management.sharing_1ps", AS_NUMBER, .range = LIMITED, .low = 0, .high = 5,
     .fallback = "0.2", POWER(management.sharing_1ps), .unit = "1/s",
     .doc = "Gain of the load sharing: rate of the speed setting for a share that differs from the mean."},
    {"vessel.power.management.frequency_1ps", AS_NUMBER, .range = LIMITED, .low = 0, .high = 5,
     .fallback = "0.7", POWER(management.frequency_1ps), .unit = "1/s",
     .doc = "Gain that brings the frequency back to the rated one. 0: droop alone."},
};

static void power_check(const struct check *c);

static void power_resolve(const struct check *c, struct config *out);

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct config_section POWER_SECTION = {GROUPS, 1, power_check, power_resolve, NULL};

// ------------------------------------------------------------
// What a power plant must satisfy beside the ranges of its keys (section_power.c).

void check_signal_name(const struct check *c, const char *list, int index, const char *first, size_t stride) {
  struct key_path path = key_path("%s.%d.name", list, index);
  const char *name = first + (size_t)index * stride;

  if (is_given_well(c, path.text) &&
      name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.")])
    report(c, path.text, "letters, digits, _, - and . expected");
  check_unique(c, list, index, first, stride);
}

int config_bus(const struct plant_def *plant, const char *name) {
  int found = -1;
  for (int i = 0; i < plant->bus_count; i++)
    if (strcmp(plant->bus[i].name, name) == 0)
      found = i;
  return found;
}

static const char *const LISTS[] = {"vessel.power.generators", "vessel.power.ties", "vessel.power.batteries"};

static void check_bus_of(const struct check *c, const char *list, int index, const char *key,
                         const char *name) {
  struct key_path path = key_path("%s.%d.%s", list, index, key);
  if (is_given_well(c, path.text) && config_bus(&c->draft->out.sim.vessel.plant, name) < 0)
    report(c, path.text, "the name of one of vessel.power.buses expected");
}

static void check_names(const struct check *c, const struct power_def *power) {
  const struct plant_def *plant = &c->draft->out.sim.vessel.plant;
  for (int i = 0; i < plant->bus_count; i++)
    check_signal_name(c, "vessel.power.buses", i, plant->bus[0].name, sizeof plant->bus[0]);
  for (int i = 0; i < power->generator_count; i++) {
    check_signal_name(c, LISTS[0], i, power->generator[0].name, sizeof power->generator[0]);
    check_bus_of(c, LISTS[0], i, "bus", power->generator[i].bus_name);
  }
  for (int i = 0; i < power->tie_count; i++) {
    check_signal_name(c, LISTS[1], i, power->tie[0].name, sizeof power->tie[0]);
    check_bus_of(c, LISTS[1], i, "from", power->tie[i].bus_name[0]);
    check_bus_of(c, LISTS[1], i, "to", power->tie[i].bus_name[1]);
    struct key_path to = key_path("vessel.power.ties.%d.to", i);
    if (is_given_well(c, to.text) && strcmp(power->tie[i].bus_name[0], power->tie[i].bus_name[1]) == 0)
      report(c, to.text, "a bus other than that of 'from' expected");
  }
  for (int i = 0; i < power->battery_count; i++) {
    check_signal_name(c, LISTS[2], i, power->battery[0].name, sizeof power->battery[0]);
    check_bus_of(c, LISTS[2], i, "bus", power->battery[i].bus_name);
  }
}

// Buses by their names, and what they have at the beginning.
static void power_resolve(const struct check *c, struct config *out) {
  struct plant_def *plant = &out->sim.vessel.plant;
  struct power_def *power = &plant->power;
  if (!power_is_present(power))
    return;
  double all_w = 0;
  power->bus_count = plant->bus_count;
  for (int i = 0; i < power->generator_count; i++) {
    power->generator[i].bus = config_bus(plant, power->generator[i].bus_name);
    all_w += power->generator[i].rating_w;
  }
  for (int i = 0; i < power->tie_count; i++) {
    power->tie[i].bus[0] = config_bus(plant, power->tie[i].bus_name[0]);
    power->tie[i].bus[1] = config_bus(plant, power->tie[i].bus_name[1]);
    power->tie[i].trips = given(c, key_path("vessel.power.ties.%d.trip", i).text) != NULL;
  }
  for (int i = 0; i < power->battery_count; i++) {
    power->battery[i].bus = config_bus(plant, power->battery[i].bus_name);
    all_w += power->battery[i].power_w;
  }
  for (int b = 0; b < plant->bus_count; b++) {
    power->hotel_w[b] = plant->bus[b].hotel_w;
    plant->bus[b].available_w = all_w;
  }
}

// The hotel load of an island as a share of the rating of its generators that run: normal load, which no set
// must trip in.
static void check_hotel_load(const struct check *c, const struct power_def *power) {
  double hotel_w[MAX_BUSES] = {0}, rating_w[MAX_BUSES] = {0};
  struct power_left left;
  for (int i = 0; i < power->generator_count; i++)
    if (!is_readable(c, key_path("vessel.power.generators.%d.rating_w", i).text))
      return;
  power_left_after(power, 0, 0, &left);
  for (int b = 0; b < power->bus_count; b++)
    hotel_w[left.island[b]] += power->hotel_w[b];
  for (int i = 0; i < power->generator_count; i++)
    rating_w[left.island[power->generator[i].bus]] +=
        power->generator[i].running ? power->generator[i].rating_w : 0;
  for (int i = 0; i < power->generator_count; i++) {
    const struct generator_def *set = &power->generator[i];
    const double share = hotel_w[left.island[set->bus]] / rating_w[left.island[set->bus]];
    if (set->running && share > 1)
      report_found(c, key_path("vessel.power.generators.%d", i).text,
                   key_path("%.3g of their rating", share).text,
                   "a hotel load below the rating of the generators that run on the same buses expected");
  }
}

// Reports what the resolved plant cannot do from the beginning: a bus without supply, protection that trips
// in normal load.
static void check_supply(const struct check *c) {
  struct config *out = calloc(1, sizeof *out);
  if (!out)
    return;
  *out = c->draft->out;
  power_resolve(c, out);
  const struct plant_def *plant = &out->sim.vessel.plant;
  struct power_state state;
  static const struct power_load no_load;
  power_begin(&plant->power, &state, &no_load);
  for (int b = 0; b < plant->bus_count; b++)
    if (!state.bus[b].live)
      report(c, key_path("vessel.power.buses.%d", b).text,
             "a bus with a running set, a battery that carries its hotel load or a closed tie to such a bus "
             "expected");
  check_hotel_load(c, &plant->power);
  free(out);
}

// Thresholds against each other.
static void check_management(const struct check *c, const struct power_def *power) {
  const struct power_management_def *pms = &power->management;
  static const char STOP[] = "vessel.power.management.load_stop",
                    TO[] = "vessel.power.management.frequency_reduction_to",
                    FROM[] = "vessel.power.management.frequency_reduction_from";
  if (pms->load_start[0] > 0 && pms->load_stop[0] >= pms->load_start[0])
    report(c, STOP, "less than load_start (%g) expected: the set would start again", pms->load_start[0]);
  if (pms->frequency_reduction[0] > 0 && pms->frequency_reduction[1] >= pms->frequency_reduction[0])
    report(c, given(c, TO) ? TO : FROM,
           "frequency_reduction_to (%g) below frequency_reduction_from (%g) expected",
           pms->frequency_reduction[1], pms->frequency_reduction[0]);
  for (int i = 0; i < power->generator_count && !(pms->frequency_1ps > 0); i++) {
    const struct generator_def *set = &power->generator[i];
    const double most = 1 - set->limit[TRIP_UNDER_FREQUENCY].level;
    struct key_path droop = key_path("vessel.power.generators.%d.droop", i);
    if (is_readable(c, droop.text) && set->droop >= most)
      report(c, given(c, droop.text) ? droop.text : key_path("vessel.power.generators.%d", i).text,
             "a droop below %.3g expected: with management.frequency_1ps 0, full load would trip the set on "
             "under-frequency",
             most);
  }
}

static void check_protection(const struct check *c, const struct power_def *power) {
  static const struct {
    const char *name;
    enum trip trip;
    double low, high;
  } NORMAL[] = {{"overload", TRIP_OVERLOAD, 1, 10},
                {"over_frequency", TRIP_OVER_FREQUENCY, 1.01, 2},
                {"under_frequency", TRIP_UNDER_FREQUENCY, 0, 0.99},
                {"over_voltage", TRIP_OVER_VOLTAGE, 1.03, 3},
                {"reverse", TRIP_REVERSE, -2, -0.001},
                {"excitation", TRIP_EXCITATION, -5, -0.01},
                {"overspeed", TRIP_OVERSPEED, 1.02, 2}};
  for (int i = 0; i < power->generator_count; i++)
    for (size_t k = 0; k < sizeof NORMAL / sizeof *NORMAL; k++) {
      struct key_path path = key_path("vessel.power.generators.%d.protection.%s", i, NORMAL[k].name);
      const double level = power->generator[i].limit[NORMAL[k].trip].level;
      if (is_readable(c, path.text) && !(level >= NORMAL[k].low && level <= NORMAL[k].high))
        report(c, path.text, "a number from %g to %g expected: the set must not trip in normal load",
               NORMAL[k].low, NORMAL[k].high);
    }
}

static void power_check(const struct check *c) {
  const struct plant_def *plant = &c->draft->out.sim.vessel.plant;
  const struct power_def *power = &plant->power;
  const int errors = c->errors->count;
  const int present = power_is_present(power);
  check_names(c, power);
  check_protection(c, power);
  check_management(c, power);
  for (int b = 0; b < plant->bus_count; b++) {
    check_allowed(c, key_path("vessel.power.buses.%d.hotel_w", b).text, present,
                  "needs vessel.power.generators or batteries");
    check_allowed(c, key_path("vessel.power.buses.%d.available_w", b).text, !present,
                  "is not allowed with vessel.power.generators or batteries");
    struct key_path available = key_path("vessel.power.buses.%d.available_w", b);
    if (!present && !given(c, available.text))
      report(c, available.text, "a finite number > 0 expected");
  }
  check_allowed(c, "vessel.power.ties", present, "needs vessel.power.generators or batteries");
  check_allowed(c, "vessel.power.management", present, "needs vessel.power.generators or batteries");
  if (present && plant->bus_count > 0 && c->errors->count == errors)
    check_supply(c);
}
