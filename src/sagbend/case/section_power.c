// What a power plant must satisfy beside the ranges of its keys (config_section_power.c).
#include "sagbend/case/power_check.h"

#include "sagbend/power/power_left.h"

#include <stdlib.h>
#include <string.h>

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
      report(c, to.text, "another bus than that of 'from' expected");
  }
  for (int i = 0; i < power->battery_count; i++) {
    check_signal_name(c, LISTS[2], i, power->battery[0].name, sizeof power->battery[0]);
    check_bus_of(c, LISTS[2], i, "bus", power->battery[i].bus_name);
  }
}

void power_resolve(const struct check *c, struct config *out) {
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

// The hotel load of an island as a share of the rating of its sets that run: normal load, which no set must
// trip in.
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
                   "a hotel load below the rating of the sets that run on the same buses expected");
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
    report(c, STOP, "less than load_start (%g) expected, as the set would start again", pms->load_start[0]);
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
             "a droop below %.3g expected where management.frequency_1ps is 0, as full load would trip the "
             "set on "
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
        report(c, path.text, "a number from %g to %g expected, as the set must not trip in normal load",
               NORMAL[k].low, NORMAL[k].high);
    }
}

void power_check(const struct check *c) {
  const struct plant_def *plant = &c->draft->out.sim.vessel.plant;
  const struct power_def *power = &plant->power;
  const int errors = c->errors->count;
  const int present = power_is_present(power);
  check_names(c, power);
  check_protection(c, power);
  check_management(c, power);
  for (int b = 0; b < plant->bus_count; b++) {
    check_allowed(c, key_path("vessel.power.buses.%d.hotel_w", b).text, present,
                  "the vessel has generators or batteries");
    check_allowed(c, key_path("vessel.power.buses.%d.available_w", b).text, !present,
                  "the vessel has neither generators nor batteries");
    struct key_path available = key_path("vessel.power.buses.%d.available_w", b);
    if (!present && !given(c, available.text))
      report(c, available.text, "a finite number > 0 expected");
  }
  check_allowed(c, "vessel.power.ties", present, "the vessel has generators or batteries");
  check_allowed(c, "vessel.power.management", present, "the vessel has generators or batteries");
  if (present && plant->bus_count > 0 && c->errors->count == errors)
    check_supply(c);
}
