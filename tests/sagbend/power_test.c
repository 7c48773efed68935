// The power plant by itself: balance of energy, order of convergence, the failures of docs/power.md.
#include "power_plant.h"

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

// One of two generators trips at 85 % load. Returns the largest time in the dark.
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

// Four generators and a battery that is half full.
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

// A battery that carries its bus alone has its generators started, before it is empty.
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
  return run_suite(suite);
}
