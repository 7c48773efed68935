// The power plant at its edges: light generators, large batteries, engines without fuel, ties to dead buses.
#include "power_plant.h"

static double speed_of(const struct plant *p, int i) {
  const struct generator_def *def = &p->def.generator[i];
  return sqrt(p->state.generator[i].energy_j / (def->inertia_s * def->rating_w));
}

static void check_sound(const struct plant *p) {
  struct reason why;
  ck_assert_msg(power_state_is_valid(&p->def, &p->state, &why), "%s", why.text);
  ck_assert_double_le(fabs(p->state.ledger.residual_j), 1e-12 * p->state.ledger.fuel_j);
}

// A generator that is left with a hundred times its rating is stopped within one part; the load gets what
// there is.
START_TEST(a_load_takes_no_more_than_the_sets_have) {
  struct power_def def = four_sets(1);
  def.generator[3].rating_w = 0.03e6;
  def.generator[3].inertia_s = 0.2;
  struct plant p = plant_of(def, 4e6, 0.01);
  run_until(&p, 5);
  p.switches.generator[0].trips = p.switches.generator[1].trips = p.switches.generator[2].trips = 1;
  const double before_j = p.state.generator[3].energy_j;
  run_until(&p, 5.01);
  const double electric_j = p.state.ledger.electric_j;
  run_until(&p, 5.02);
  ck_assert_double_le(p.state.ledger.electric_j - electric_j, before_j + 1.1 * 0.03e6 * 0.01);
  ck_assert_int_eq(live_buses(&p), 0);
  check_sound(&p);
}
END_TEST

// Under-excited sets with a reactive load that they cannot give have no voltage, and not a negative one.
START_TEST(the_voltage_never_becomes_negative) {
  struct power_def def = four_sets(1);
  def.hotel_w[0] = 6e6;
  struct plant p = plant_of(def, 0, 0.01);
  for (int i = 0; i < 3; i++)
    p.switches.generator[i].trips = 1;
  p.switches.generator[3].field = ACTUATOR_LOW;
  run_until(&p, 0.02);
  ck_assert_int_eq(live_buses(&p), 2);
  ck_assert_double_eq(p.state.bus[0].voltage, 0);
  check_sound(&p);
}
END_TEST

// A battery that is large beside the inertia of the set that it helps: explicit steps of 10 ms would swing.
START_TEST(a_large_battery_beside_a_light_set_is_steady) {
  struct power_def def = four_sets(1);
  def.generator_count = 1;
  def.generator[0].rating_w = 0.4e6;
  def.generator[0].inertia_s = 0.4;
  def.hotel_w[0] = def.hotel_w[1] = 0.05e6;
  def.battery_count = 1;
  def.battery[0] = (struct battery_def){.power_w = 6e6, .energy_j = 4e9, .charge = 0.8};
  struct plant p = plant_of(def, 0.1e6, 0.01);
  p.load.asked_w[0] = 0.6e6;
  run_until(&p, 10);
  p.least_frequency = p.largest_frequency = p.state.bus[0].frequency;
  run_until(&p, 15);
  ck_assert_double_le(p.largest_frequency - p.least_frequency, 1e-4);
  ck_assert_double_eq_tol(p.state.generator[0].load_w + p.state.battery[0].power_w,
                          0.1e6 + p.state.bus[0].drives_w + p.state.bus[1].drives_w, 1e3);
  check_sound(&p);
}
END_TEST

// 20 MWh that are charged: the ledger closes from the first step on, although the charge rounds coarsely.
START_TEST(the_ledger_closes_beside_a_large_charge) {
  struct power_def def = four_sets(1);
  def.battery_count = 1;
  def.battery[0] = (struct battery_def){.power_w = 1e6,
                                        .energy_j = 70e9,
                                        .charge = 0.5,
                                        .charge_power_w = 0.5e6,
                                        .charge_to = 0.9,
                                        .efficiency = 0.92};
  struct plant p = plant_of(def, 1.234e6, 0.01);
  for (int k = 0; k < 500; k++) {
    run_until(&p, p.time_s + p.step_s);
    check_sound(&p);
  }
  ck_assert_double_lt(p.state.battery[0].power_w, -0.4e6);
}
END_TEST

// Standby sets without fuel, with the governor at none, or that do not start: they come to no speed, are
// locked, and the next one starts.
START_TEST(an_engine_without_fuel_comes_to_no_speed) {
  for (int k = 0; k < 3; k++) {
    struct power_def def = four_sets(1);
    def.generator[1].running = def.generator[2].running = def.generator[3].running = 0;
    struct plant p = plant_of(def, 1.3e6, 0.01);
    p.switches.generator[1].fuel_lost = k == 0;
    p.switches.generator[1].governor = k == 1 ? ACTUATOR_LOW : ACTUATOR_SOUND;
    p.switches.generator[1].start_fails = k == 2;
    for (int n = 0; n < 250; n++) {
      run_until(&p, p.time_s + 0.1);
      ck_assert_double_eq(p.state.generator[1].energy_j, 0);
    }
    ck_assert_uint_eq(p.state.generator[1].locked, 1);
    run_until(&p, 60);
    ck_assert_int_eq((int)p.state.generator[2].phase, GENERATOR_ON_LINE);
    memset(&p.switches, 0, sizeof p.switches);
    run_until(&p, 60.1);
    ck_assert_uint_eq(p.state.generator[1].locked, 0);
    check_sound(&p);
  }
}
END_TEST

// An engine that idles runs down without fuel and never closes; one above 1.05 of its speed waits.
START_TEST(only_a_set_at_rated_speed_closes) {
  struct power_def def = four_sets(1);
  def.generator[3].running = 0;
  def.generator[3].start_s = 1;
  def.generator[3].inertia_s = 20;
  struct plant p = plant_of(def, 0.9 * 6.6e6 - 0.8e6, 0.01);
  while (p.state.generator[3].phase != GENERATOR_IDLE && p.time_s < 30)
    run_until(&p, p.time_s + 0.01);
  struct plant fast = p;
  p.switches.generator[3].fuel_lost = 1;
  run_until(&p, p.time_s + 7.9);
  ck_assert_int_eq((int)p.state.generator[3].phase, GENERATOR_STOPPED);
  ck_assert_double_lt(speed_of(&p, 3), 0.5);
  ck_assert_uint_eq(p.state.generator[3].locked, 1);
  check_sound(&p);

  fast.def.generator[3].synchronise_s = 3;
  fast.state.generator[3].left_s = 3;
  fast.switches.generator[3].governor = ACTUATOR_HIGH;
  while (fast.state.generator[3].phase == GENERATOR_IDLE)
    run_until(&fast, fast.time_s + 0.01);
  ck_assert_int_eq((int)fast.state.generator[3].trip, TRIP_OVERSPEED);
  ck_assert_double_eq(fast.state.ledger.synchronising_j, 0);
  check_sound(&fast);
}
END_TEST

// Three buses in a row, the middle one without a set. After a blackout its ties close from one side only: the
// sets of both ends would otherwise be joined unsynchronised.
START_TEST(one_tie_only_closes_on_a_dead_bus) {
  struct power_def def = four_sets(1);
  def.bus_count = 3;
  def.tie_count = 2;
  def.hotel_w[2] = 0.2e6;
  def.generator[0].droop = 0.03; // so that both ends differ
  def.tie[0].bus[1] = def.tie[1].bus[1] = 2;
  def.tie[1].bus[0] = 1;
  def.tie[1].closed = 1;
  struct plant p = plant_of(def, 1e6, 0.01);
  for (int i = 0; i < 4; i++)
    p.switches.generator[i].trips = 1;
  run_until(&p, 1);
  ck_assert_int_eq(live_buses(&p), 0);
  memset(&p.switches, 0, sizeof p.switches);
  run_until(&p, 60);
  ck_assert_int_eq(live_buses(&p), 3);
  ck_assert_uint_eq(p.state.tie[0].closed + p.state.tie[1].closed, 1);
  ck_assert_int_eq(on_line(&p), 4);
  check_sound(&p);
}
END_TEST

// An imposed loss of a bus without a set of its own ends, and its tie supplies it again.
START_TEST(a_lost_bus_without_sets_is_supplied_again) {
  struct power_def def = four_sets(1);
  def.generator_count = 2;
  struct plant p = plant_of(def, 1e6, 0.01);
  p.switches.bus_lost[1] = 1;
  run_until(&p, 2);
  ck_assert_int_eq(live_buses(&p), 1);
  ck_assert_double_eq(p.state.bus[1].frequency, 0);
  p.switches.bus_lost[1] = 0;
  run_until(&p, 10);
  ck_assert_int_eq(live_buses(&p), 2);
  ck_assert_double_eq_tol(p.state.bus[1].frequency, 1, 0.01);
  p.switches.tie[0].opens = 1; // a tie that a failure opened stays open
  run_until(&p, 11);
  p.switches.tie[0].opens = 0;
  run_until(&p, 30);
  ck_assert_int_eq(live_buses(&p), 1);
}
END_TEST

// Protection without effect: an engine at full fuel that nothing loads bursts no number.
START_TEST(no_engine_runs_faster_than_twice_its_speed) {
  struct power_def def = four_sets(0);
  for (int i = 0; i < 4; i++)
    def.generator[i].limit[TRIP_OVERSPEED] = def.generator[i].limit[TRIP_OVER_FREQUENCY] =
        (struct trip_limit){2, 1e8};
  struct plant p = plant_of(def, 0, 0.01);
  p.switches.generator[0].governor = ACTUATOR_HIGH;
  p.switches.generator[1].trips = 1;
  run_until(&p, 60);
  ck_assert_double_le(p.largest_frequency, 2.05);
  ck_assert_int_eq((int)p.state.generator[0].trip, TRIP_OVERSPEED);
  check_sound(&p);
}
END_TEST

START_TEST(a_battery_on_a_dark_bus_is_no_reserve) {
  struct power_def def = four_sets(0);
  def.hotel_w[1] = 0.5e6;
  def.battery_count = 1; // it cannot carry the hotel load of its bus
  def.battery[0] = (struct battery_def){.bus = 1, .power_w = 0.3e6, .energy_j = 1e9, .charge = 0.8};
  struct plant p = plant_of(def, 0.8e6, 0.01);
  ck_assert_double_eq_tol(power_reserve_w(&p.def, &p.state), 8.8e6 + 0.3e6 - 1.7e6, 1);
  p.switches.generator[2].trips = p.switches.generator[3].trips = 1;
  run_until(&p, 1);
  ck_assert_int_eq(live_buses(&p), 1);
  ck_assert_double_eq_tol(power_reserve_w(&p.def, &p.state), 4.4e6 - 0.8e6, 1e3);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("power");
  TCase *t = add_case(suite, "edges", 100);
  tcase_add_test(t, a_load_takes_no_more_than_the_sets_have);
  tcase_add_test(t, the_voltage_never_becomes_negative);
  tcase_add_test(t, a_large_battery_beside_a_light_set_is_steady);
  tcase_add_test(t, the_ledger_closes_beside_a_large_charge);
  tcase_add_test(t, an_engine_without_fuel_comes_to_no_speed);
  tcase_add_test(t, only_a_set_at_rated_speed_closes);
  tcase_add_test(t, one_tie_only_closes_on_a_dead_bus);
  tcase_add_test(t, a_lost_bus_without_sets_is_supplied_again);
  tcase_add_test(t, no_engine_runs_faster_than_twice_its_speed);
  tcase_add_test(t, a_battery_on_a_dark_bus_is_no_reserve);
  return run_suite(suite);
}
