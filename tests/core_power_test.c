// The power plant by itself: balance of energy, order of convergence, the failures of docs/power.md.
#include "core/power/power.h"
#include "core/power/power_left.h"

#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static uint64_t stream = 1;
static double uniform(double low, double high) {
  stream = stream * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return low + (high - low) * (double)(stream >> 11) * 0x1p-53;
}
static int whole(int low, int high) {
  return low + (int)uniform(0, (double)(high - low) + 1 - 1e-12);
}

static struct generator_def set_on(int bus) {
  struct generator_def def = {.bus = bus,
                              .rating_w = 2.2e6,
                              .inertia_s = 1.5,
                              .lag_s = 0.4,
                              .droop = 0.05,
                              .start_s = 15,
                              .synchronise_s = 8,
                              .running = 1};
#define X(id, name, side, level_, delay, help) def.limit[id] = (struct trip_limit){level_, delay};
  PROTECTION_TABLE(X)
#undef X
  return def;
}

static const struct power_management_def MANAGEMENT = {.load_start = {0.85, 5},
                                                       .frequency_reduction = {0.97, 0.93},
                                                       .reduction = 0.98,
                                                       .recovery_after_s = 5,
                                                       .restart_interval_s = 5,
                                                       .open_ties_dark = 1,
                                                       .sharing_1ps = 0.2,
                                                       .frequency_1ps = 0.7};

// Four sets of 2.2 MW on two buses with a tie, hotel load of 0.4 MW each.
static struct power_def four_sets(int tie_closed) {
  struct power_def def = {.bus_count = 2,
                          .generator_count = 4,
                          .tie_count = 1,
                          .hotel_w = {0.4e6, 0.4e6},
                          .tie[0] = {.bus = {0, 1},
                                     .closed = tie_closed,
                                     .frequency = {0.95, 1.06},
                                     .voltage = {0.85, 1.10},
                                     .trip_delay_s = 0.25},
                          .management = MANAGEMENT};
  for (int i = 0; i < 4; i++)
    def.generator[i] = set_on(i / 2);
  return def;
}

struct plant {
  struct power_def def;
  struct power_state state;
  struct power_switches switches;
  struct power_load load;
  double time_s, step_s;
  double least_frequency, largest_frequency;
};

static struct plant plant_of(struct power_def def, double drives_w, double step_s) {
  struct plant p = {.def = def, .step_s = step_s, .least_frequency = 1, .largest_frequency = 1};
  for (int b = 0; b < def.bus_count; b++)
    p.load.asked_w[b] = p.load.taken_w[b] = drives_w / def.bus_count;
  power_begin(&p.def, &p.state, &p.load);
  return p;
}

// The drives as the vessel has them: within half a second they take what they may.
static void drives_follow(struct plant *p) {
  double available_w[MAX_BUSES], weight[MAX_BUSES] = {1, 1, 1, 1, 1, 1};
  power_available(&p->def, &p->state, &p->load, weight, available_w);
  for (int b = 0; b < p->def.bus_count; b++)
    p->load.taken_w[b] += (fmin(p->load.asked_w[b], available_w[b]) - p->load.taken_w[b]) * p->step_s / 0.5;
}

static void run_until(struct plant *p, double time_s) {
  while (p->time_s < time_s - 1e-9) {
    power_flow(&p->def, &p->state, &p->switches, &p->load, p->step_s);
    drives_follow(p);
    p->time_s += p->step_s;
    for (int b = 0; b < p->def.bus_count; b++)
      if (p->state.bus[b].live) {
        p->least_frequency = fmin(p->least_frequency, p->state.bus[b].frequency);
        p->largest_frequency = fmax(p->largest_frequency, p->state.bus[b].frequency);
      }
  }
}

static int live_buses(const struct plant *p) {
  int sum = 0;
  for (int b = 0; b < p->def.bus_count; b++)
    sum += p->state.bus[b].live != 0;
  return sum;
}

static int on_line(const struct plant *p) {
  int sum = 0;
  for (int i = 0; i < p->def.generator_count; i++)
    sum += p->state.generator[i].phase == GENERATOR_ON_LINE;
  return sum;
}

// Time at which the number of live buses first becomes this, at most end_s.
static double time_of_live(struct plant *p, int buses, double end_s) {
  while (p->time_s < end_s && live_buses(p) != buses)
    run_until(p, p->time_s + p->step_s);
  return p->time_s;
}

START_TEST(steady_plant_stays_steady) {
  struct plant p = plant_of(four_sets(1), 2e6, 0.01);
  run_until(&p, 60);
  ck_assert_double_eq_tol(p.least_frequency, 1, 1e-12);
  ck_assert_double_eq_tol(p.state.generator[3].load_w, 0.7e6, 1e-3);
  ck_assert_double_eq_tol(p.state.ledger.fuel_j, 2.8e6 * 60, 1);
}
END_TEST

START_TEST(governor_at_full_darkens_a_closed_bus_in_calm_weather) {
  struct plant p = plant_of(four_sets(1), 0.8e6, 0.01);
  run_until(&p, 10);
  p.switches.generator[0].governor = ACTUATOR_HIGH;
  run_until(&p, 13);
  ck_assert_double_eq_tol(p.state.bus[0].frequency, 1.088, 0.01);
  ck_assert_double_eq_tol(p.state.generator[0].load_w, 2.2e6, 0.1e6);
  ck_assert_double_eq_tol(p.state.generator[1].load_w, -0.2e6, 0.05e6);
  ck_assert_double_eq_tol(time_of_live(&p, 0, 30), 13.9, 0.3); // over-frequency trips all sets
  ck_assert_int_eq((int)p.state.generator[0].trip, TRIP_OVER_FREQUENCY);
  double dark_s = p.time_s;
  ck_assert_double_eq_tol(time_of_live(&p, 2, 60) - dark_s, 20, 0.1); // 5 s, then 15 s to start
  run_until(&p, dark_s + 30);
  ck_assert_int_eq(on_line(&p), 3); // the faulty one stays locked
  ck_assert_uint_eq(p.state.generator[0].locked, 1);
}
END_TEST

START_TEST(governor_at_full_darkens_one_bus_where_the_tie_is_open_or_trips) {
  for (int closed = 0; closed < 2; closed++) {
    struct power_def def = four_sets(closed);
    def.tie[0].trips = 1;
    struct plant p = plant_of(def, 0.8e6, 0.01);
    run_until(&p, 10);
    p.switches.generator[0].governor = ACTUATOR_HIGH;
    double first = time_of_live(&p, 1, 30);
    ck_assert_double_eq_tol(first, closed ? 13.1 : 11.7, 0.4);
    ck_assert_uint_eq(p.state.bus[1].live, 1);
    p.least_frequency = 1;
    run_until(&p, first + 15);
    ck_assert_uint_eq(p.state.bus[1].dark_count, 0); // the other bus keeps its load
    ck_assert_double_eq_tol(p.state.bus[1].frequency, 1, 0.01);
  }
}
END_TEST

START_TEST(governor_at_full_is_harmless_under_load) {
  struct plant p = plant_of(four_sets(1), 5.2e6, 0.01);
  run_until(&p, 10);
  p.switches.generator[0].governor = ACTUATOR_HIGH;
  run_until(&p, 40);
  ck_assert_int_eq(live_buses(&p), 2);
  ck_assert_int_eq((int)p.state.generator[0].trip, TRIP_OVERLOAD);
  ck_assert_int_eq(on_line(&p), 3);
  ck_assert_double_ge(p.least_frequency, 0.95);
}
END_TEST

// One of two sets trips at 85 % load. Returns the largest time in the dark.
static struct plant one_trips(double end_s, int frequency_reduction, int reduction) {
  struct power_def def = four_sets(1);
  def.generator_count = 3;
  def.generator[2].running = 0;
  def.generator[1].bus = 1;
  def.management.frequency_reduction[0] *= frequency_reduction;
  def.management.reduction *= reduction;
  def.management.load_start[0] *= end_s > 20;
  struct plant p = plant_of(def, 0.85 * 4.4e6 - 0.8e6, 0.01);
  run_until(&p, 10);
  p.switches.generator[0].trips = 1;
  run_until(&p, 10 + end_s);
  return p;
}

START_TEST(a_set_lost_at_high_load_needs_load_reduction) {
  struct plant p = one_trips(3, 0, 0);
  ck_assert_int_eq(live_buses(&p), 0); // dark after 1.4 s in the design's trial
  p = one_trips(9, 1, 0);
  ck_assert_int_eq(live_buses(&p), 2);
  ck_assert_double_ge(p.state.generator[1].load_w, 1.05 * 2.2e6); // overloaded, trips after 10 s
  p = one_trips(14, 1, 0);
  ck_assert_int_eq(live_buses(&p), 0);
  p = one_trips(60, 1, 1); // no blackout, and the standby set takes over
  ck_assert_uint_eq(p.state.bus[0].dark_count + p.state.bus[1].dark_count, 0);
  ck_assert_int_eq(on_line(&p), 2);
  ck_assert_double_eq_tol(p.load.taken_w[0] / p.load.asked_w[0], 1, 1e-2);
}
END_TEST

START_TEST(a_frozen_breaker_status_pulls_the_frequency_down) {
  struct plant p = plant_of(four_sets(1), 4e6, 0.01);
  run_until(&p, 10);
  p.switches.generator[0].status_frozen = p.switches.generator[0].trips = 1;
  run_until(&p, 40);
  ck_assert_double_eq_tol(p.state.bus[0].frequency, 0.973, 0.01);
  run_until(&p, 120);
  ck_assert_double_eq_tol(p.state.bus[0].frequency, 0.959, 0.01);
  ck_assert_double_eq_tol(p.state.bus[0].supply, 0.73, 0.2); // the drives are limited, nothing trips
  ck_assert_int_eq(on_line(&p), 3);
}
END_TEST

START_TEST(field_at_full_darkens_a_closed_bus) {
  struct power_def def = four_sets(1);
  def.tie[0].trips = 1; // a tie at 1.10 V comes too late
  struct plant p = plant_of(def, 0.8e6, 0.01);
  run_until(&p, 10);
  p.switches.generator[0].field = ACTUATOR_HIGH;
  run_until(&p, 12.1);
  for (int i = 1; i < 4; i++)
    ck_assert_int_eq((int)p.state.generator[i].trip, TRIP_EXCITATION);
  ck_assert_double_eq_tol(time_of_live(&p, 0, 20), 13, 0.2);
  ck_assert_int_eq((int)p.state.generator[0].trip, TRIP_OVER_VOLTAGE);
}
END_TEST

START_TEST(order_two_between_switchings) {
  double error[3], reference = 0;
  for (int k = 3; k >= 0; k--) {
    struct plant p = plant_of(four_sets(1), 4e6, k == 3 ? 0.0003125 : 0.01 / (1 << k));
    p.load.asked_w[0] = p.load.taken_w[0] = 2.6e6;
    while (p.time_s < 2 - 1e-9) {
      power_flow(&p.def, &p.state, &p.switches, &p.load, p.step_s);
      p.time_s += p.step_s;
    }
    double value = p.state.generator[0].energy_j;
    if (k == 3)
      reference = value;
    else
      error[k] = fabs(value - reference);
  }
  ck_assert_double_eq_tol(error[0] / error[1], 4, 0.4);
  ck_assert_double_eq_tol(error[1] / error[2], 4, 0.4);
}
END_TEST

START_TEST(a_battery_carries_the_island_until_it_is_empty) {
  struct power_def def = {.bus_count = 1,
                          .battery_count = 1,
                          .hotel_w = {0.4e6},
                          .battery[0] = {.power_w = 1e6, .energy_j = 60e6, .charge = 1},
                          .management = MANAGEMENT};
  struct plant p = plant_of(def, 0.2e6, 0.01);
  run_until(&p, 99);
  ck_assert_int_eq(live_buses(&p), 1);
  ck_assert_double_eq_tol(p.state.battery[0].energy_j, 0.6e6, 1e3);
  run_until(&p, 102);
  ck_assert_int_eq(live_buses(&p), 0);
  ck_assert_double_ge(p.state.battery[0].energy_j, 0);
}
END_TEST

// Four sets and a battery that is half full.
static struct power_def with_battery(void) {
  struct power_def def = four_sets(1);
  def.battery_count = 1;
  def.battery[0] = (struct battery_def){.power_w = 1e6,
                                        .energy_j = 200e6,
                                        .charge = 0.5,
                                        .charge_power_w = 1e6,
                                        .charge_to = 0.9,
                                        .efficiency = 0.92};
  return def;
}

START_TEST(sets_charge_a_battery_and_the_rest_is_lost) {
  struct plant p = plant_of(with_battery(), 0.8e6, 0.01);
  run_until(&p, 15);
  ck_assert_double_eq_tol(p.state.battery[0].power_w, -1e6, 1);
  ck_assert_double_eq_tol(p.state.bus[0].frequency, 1, 5e-3);
  run_until(&p, 400);
  ck_assert_double_eq_tol(p.state.battery[0].energy_j, 180e6, 0.5e6);
  ck_assert_double_le(p.state.battery[0].energy_j, 180e6);
  // What was stored is 0.92 of what was taken, and 0.08 of it is lost.
  ck_assert_double_eq_tol(p.state.ledger.charging_j, (p.state.battery[0].energy_j - 100e6) * 0.08 / 0.92, 10);
  ck_assert_double_le(fabs(p.state.ledger.residual_j), 1e-12 * p.state.ledger.fuel_j);
}
END_TEST

// Charging gives way to the drives: it starts no set and takes no power from them.
START_TEST(charging_gives_way_to_the_drives) {
  struct plant p = plant_of(with_battery(), 0.74 * 8.8e6 - 0.8e6, 0.01);
  run_until(&p, 20);
  ck_assert_double_eq_tol(p.state.battery[0].power_w, -0.01 * 8.8e6, 2e3);
  p.load.asked_w[0] += 0.3e6;
  run_until(&p, 40);
  ck_assert_double_eq(p.state.battery[0].power_w, 0);
  ck_assert_double_eq_tol(p.load.taken_w[0], p.load.asked_w[0], 1);
}
END_TEST

START_TEST(charging_is_of_order_two) {
  double error[3], reference = 0;
  for (int k = 3; k >= 0; k--) {
    struct power_def def = with_battery();
    def.battery[0].charge = 0.85; // its end, where the power falls with the gap
    struct plant p = plant_of(def, 4e6, k == 3 ? 0.0003125 : 0.01 / (1 << k));
    while (p.time_s < 2 - 1e-9) {
      power_flow(&p.def, &p.state, &p.switches, &p.load, p.step_s);
      p.time_s += p.step_s;
    }
    if (k == 3)
      reference = p.state.battery[0].energy_j;
    else
      error[k] = fabs(p.state.battery[0].energy_j - reference);
  }
  ck_assert_double_eq_tol(error[0] / error[1], 4, 0.4);
  ck_assert_double_eq_tol(error[1] / error[2], 4, 0.4);
}
END_TEST

// A battery that carries its bus alone has its sets started, before it is empty.
START_TEST(a_bus_on_its_battery_starts_its_sets) {
  struct power_def def = with_battery();
  def.tie[0].closed = 0;
  struct plant p = plant_of(def, 0.6e6, 0.01);
  run_until(&p, 10);
  p.switches.generator[0].trips = p.switches.generator[1].trips = 1;
  run_until(&p, 12);
  p.switches.generator[1].trips = 0;
  ck_assert_int_eq(live_buses(&p), 2);
  ck_assert_int_eq(on_line(&p), 2);
  run_until(&p, 60);
  ck_assert_int_eq(on_line(&p), 3);
  ck_assert_uint_eq(p.state.bus[0].dark_count, 0);
  ck_assert_double_eq_tol(p.state.bus[0].frequency, 1, 0.02);
}
END_TEST

static struct power_def random_plant(void) {
  struct power_def def = {.bus_count = whole(1, 4), .management = MANAGEMENT};
  def.generator_count = whole(1, 8);
  def.tie_count = def.bus_count > 1 ? whole(0, 4) : 0;
  def.battery_count = whole(0, 2);
  for (int b = 0; b < def.bus_count; b++)
    def.hotel_w[b] = uniform(0, 0.6e6);
  for (int i = 0; i < def.generator_count; i++) {
    def.generator[i] = set_on(whole(0, def.bus_count - 1));
    def.generator[i].rating_w = uniform(0.5e6, 4e6);
    def.generator[i].inertia_s = uniform(0.5, 4);
    def.generator[i].lag_s = uniform(0.1, 1);
    def.generator[i].droop = uniform(0.02, 0.08);
    def.generator[i].start_s = uniform(0, 20);
    def.generator[i].synchronise_s = uniform(0, 10);
    def.generator[i].running = whole(0, 3) > 0;
  }
  for (int t = 0; t < def.tie_count; t++) {
    int one = whole(0, def.bus_count - 2);
    def.tie[t] = (struct tie_def){.bus = {one, one + 1},
                                  .closed = whole(0, 1),
                                  .trips = whole(0, 1),
                                  .frequency = {0.95, 1.06},
                                  .voltage = {0.85, 1.10},
                                  .trip_delay_s = 0.25};
  }
  for (int i = 0; i < def.battery_count; i++)
    def.battery[i] = (struct battery_def){.bus = whole(0, def.bus_count - 1),
                                          .power_w = uniform(0, 2e6),
                                          .energy_j = 50e6,
                                          .charge = uniform(0, 1),
                                          .charge_power_w = whole(0, 1) * uniform(0, 2e6),
                                          .charge_to = uniform(0, 1),
                                          .efficiency = uniform(0.1, 1)};
  def.management.load_stop[0] = whole(0, 1) * 0.4;
  def.management.load_stop[1] = 10;
  def.management.open_ties_dark = whole(0, 1);
  return def;
}

static void fail_at_random(struct plant *p) {
  struct generator_switches *set = &p->switches.generator[whole(0, p->def.generator_count - 1)];
  switch (whole(0, 9)) {
  case 0:
    set->governor = (enum actuator_failure)whole(0, 3);
    break;
  case 1:
    set->field = (enum actuator_failure)whole(0, 2);
    break;
  case 2:
    set->trips = whole(0, 1);
    break;
  case 3:
    set->fuel_lost = whole(0, 1);
    break;
  case 4:
    set->start_fails = whole(0, 1);
    break;
  case 5:
    set->status_frozen = whole(0, 1);
    break;
  case 6:
    p->switches.tie[whole(0, 3)].opens = whole(0, 1);
    break;
  case 7:
    p->switches.tie[whole(0, 3)].stuck = whole(0, 1);
    break;
  case 8:
    p->switches.bus_lost[whole(0, p->def.bus_count - 1)] = whole(0, 1);
    break;
  default:
    memset(&p->switches, 0, sizeof p->switches);
    break;
  }
}

// Number of sets that the last step closed on this bus, which was dead before it.
static int closed_on_dead(const struct plant *p, const struct power_state *before, int bus) {
  int sum = 0;
  for (int i = 0; i < p->def.generator_count; i++)
    sum += p->def.generator[i].bus == bus && before->generator[i].phase != GENERATOR_ON_LINE &&
           p->state.generator[i].phase == GENERATOR_ON_LINE;
  return before->bus[bus].live ? 0 : sum;
}

// One step. Adds to the numbers of blackouts and of closings. Returns 1 if all holds that must hold in a
// step; the library of the tests is too slow to be asked in each.
static int step_is_sound(struct plant *p, int *blackouts, int *closings) {
  const struct power_state before = p->state;
  run_until(p, p->time_s + p->step_s);
  int sound = p->state.ledger.coasting_j >= before.ledger.coasting_j &&
              p->state.ledger.synchronising_j >= before.ledger.synchronising_j &&
              p->state.ledger.charging_j >= before.ledger.charging_j;
  for (int b = 0; b < p->def.bus_count; b++) {
    const int closed = closed_on_dead(p, &before, b);
    sound &= closed <= 1;
    *closings += closed;
    *blackouts += p->state.bus[b].dark_count > before.bus[b].dark_count;
  }
  return sound;
}

START_TEST(random_plants_balance_and_close_one_breaker_at_a_time) {
  int blackouts = 0, closings = 0;
  for (int k = 0; k < 10000; k++) {
    struct plant p = plant_of(random_plant(), uniform(0, 6e6), uniform(0.002, 0.05));
    int sound = 1;
    const double begin_j = p.state.ledger.stored_j;
    for (int n = k % 10 ? 15 : 100; n > 0; n--) { // some of them long enough to start again
      if (whole(0, 4) == 0)
        fail_at_random(&p);
      if (whole(0, 9) == 0)
        p.load.asked_w[whole(0, p.def.bus_count - 1)] = uniform(0, 5e6);
      for (int steps = whole(1, 20); steps > 0; steps--)
        sound &= step_is_sound(&p, &blackouts, &closings);
    }
    ck_assert_msg(sound, "plant %d", k);
    struct reason why;
    ck_assert_msg(power_state_is_valid(&p.def, &p.state, &why), "plant %d: %s", k, why.text);
    ck_assert_msg(p.state.ledger.worst_residual < 1e-14, "plant %d: %g", k, p.state.ledger.worst_residual);
    const double turned_j = fabs(p.state.ledger.fuel_j) + p.state.ledger.electric_j + begin_j;
    ck_assert_msg(fabs(p.state.ledger.residual_j) <= 1e-12 * turned_j, "plant %d: %g J", k,
                  p.state.ledger.residual_j);
  }
  ck_assert_int_gt(blackouts, 1000);
  ck_assert_int_gt(closings, 300);
}
END_TEST

static struct power_left left_of(const struct power_def *def, unsigned buses, unsigned generators) {
  struct power_left left;
  power_left_after(def, buses, generators, &left);
  return left;
}

// 0.98 of the ratings on line less the hotel load of the island, by hand.
START_TEST(power_left_is_that_of_the_island) {
  const struct power_def open = four_sets(0), closed = four_sets(1);
  struct power_left left = left_of(&closed, 0, 0);
  ck_assert_int_eq(left.island[1], 0);
  ck_assert_double_eq_tol(left.drives_w[0], 0.98 * 8.8e6 - 0.8e6, 1e-3);
  ck_assert_double_eq(left.drives_w[1], 0);
  left = left_of(&closed, 0, 1); // a set
  ck_assert_double_eq_tol(left.drives_w[0], 0.98 * 6.6e6 - 0.8e6, 1e-3);
  left = left_of(&closed, 1, 0); // a bus, whose tie opens
  ck_assert_int_eq(left.live[0], 0);
  ck_assert_double_eq(left.drives_w[0], 0);
  ck_assert_int_eq(left.island[1], 1);
  ck_assert_double_eq_tol(left.drives_w[1], 0.98 * 4.4e6 - 0.4e6, 1e-3);
  left = left_of(&open, 0, 3); // both sets of one bus, with the tie open and closed
  ck_assert_int_eq(left.live[0], 0);
  ck_assert_int_eq(left.live[1], 1);
  left = left_of(&closed, 0, 3);
  ck_assert_int_eq(left.live[0], 1);
  ck_assert_double_eq_tol(left.drives_w[0], 0.98 * 4.4e6 - 0.8e6, 1e-3);
  left = left_of(&closed, 3, 0);
  ck_assert(!left.live[0] && !left.live[1]);
}
END_TEST

START_TEST(sets_that_stand_by_are_left_if_they_are_started) {
  struct power_def def = four_sets(1);
  def.generator[3].running = 0;
  ck_assert_double_eq_tol(left_of(&def, 0, 0).drives_w[0], 0.98 * 8.8e6 - 0.8e6, 1e-3);
  def.management.load_start[0] = 0;
  ck_assert_double_eq_tol(left_of(&def, 0, 0).drives_w[0], 0.98 * 6.6e6 - 0.8e6, 1e-3);
}
END_TEST

START_TEST(a_battery_is_left_where_no_set_ever_was) {
  struct power_def def = four_sets(0);
  def.battery_count = 1;
  def.battery[0] = (struct battery_def){.bus = 1, .power_w = 1.5e6, .energy_j = 1e9, .charge = 0.8};
  const double with_sets_w = left_of(&def, 0, 0).drives_w[1];
  ck_assert_double_eq_tol(with_sets_w, 0.98 * 4.4e6 - 0.4e6, 1e-3);
  ck_assert_int_eq(left_of(&def, 0, 12).live[1], 0); // the battery does not last
  def.generator_count = 2;                           // bus 1 has the battery alone
  ck_assert_int_eq(left_of(&def, 0, 0).live[1], 1);
  ck_assert_double_eq_tol(left_of(&def, 0, 0).drives_w[1], 1.1e6, 1e-3);
}
END_TEST

// More failures never leave more power, and no island more than its sets and batteries have.
START_TEST(failures_never_leave_more) {
  for (int k = 0; k < 2000; k++) {
    struct power_def def = random_plant();
    double all_w = 0, sum_w[2] = {0};
    for (int i = 0; i < def.generator_count; i++)
      all_w += def.generator[i].rating_w;
    for (int i = 0; i < def.battery_count; i++)
      all_w += def.battery[i].power_w;
    const unsigned sets = (unsigned)whole(0, (1 << def.generator_count) - 1);
    for (int failed = 0; failed < 2; failed++)
      for (int b = 0; b < def.bus_count; b++) {
        struct power_left left = left_of(&def, 0, failed ? sets : 0);
        ck_assert(left.drives_w[b] >= 0 && left.island[left.island[b]] == left.island[b]);
        sum_w[failed] += left.drives_w[b];
      }
    ck_assert_msg(sum_w[1] <= sum_w[0] && sum_w[0] <= 1.1 * all_w, "plant %d: %g, %g of %g W", k, sum_w[1],
                  sum_w[0], all_w);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("power");
  TCase *t = add_case(suite, "plant", 100);
  tcase_add_test(t, steady_plant_stays_steady);
  tcase_add_test(t, governor_at_full_darkens_a_closed_bus_in_calm_weather);
  tcase_add_test(t, governor_at_full_darkens_one_bus_where_the_tie_is_open_or_trips);
  tcase_add_test(t, governor_at_full_is_harmless_under_load);
  tcase_add_test(t, a_set_lost_at_high_load_needs_load_reduction);
  tcase_add_test(t, a_frozen_breaker_status_pulls_the_frequency_down);
  tcase_add_test(t, field_at_full_darkens_a_closed_bus);
  tcase_add_test(t, order_two_between_switchings);
  tcase_add_test(t, a_battery_carries_the_island_until_it_is_empty);
  tcase_add_test(t, sets_charge_a_battery_and_the_rest_is_lost);
  tcase_add_test(t, charging_gives_way_to_the_drives);
  tcase_add_test(t, charging_is_of_order_two);
  tcase_add_test(t, a_bus_on_its_battery_starts_its_sets);
  tcase_add_test(t, power_left_is_that_of_the_island);
  tcase_add_test(t, sets_that_stand_by_are_left_if_they_are_started);
  tcase_add_test(t, a_battery_is_left_where_no_set_ever_was);
  tcase_add_test(t, failures_never_leave_more);
  tcase_add_test(t, random_plants_balance_and_close_one_breaker_at_a_time);
  return run_suite(suite);
}
