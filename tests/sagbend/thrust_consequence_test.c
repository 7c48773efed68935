// Consequence analysis: margins against closed forms, the list of failures, when the alarm comes and ends.
#include "sagbend/thrust/thrust.h"

#include "suite.h"

#include <math.h>
#include <string.h>

enum { BOW, PORT, STARBOARD };

static struct actuator_def actuator(const char *name, enum thruster_kind kind, double x, double y,
                                    double thrust, const char *bus) {
  struct actuator_def a = {.kind = kind,
                           .position_b_m = {x, y, 0},
                           .thrust_max_n = thrust,
                           .thrust_astern = 1,
                           .revolutions_max_rpm = 100,
                           .power_max_w = 1e6,
                           .price = 1};
  strcpy(a.name, name);
  strcpy(a.bus, bus);
  return a;
}

// A tunnel at the bow and two azimuths at the stern, each on a bus of its own but for the tunnel.
static struct allocation_def vessel(void) {
  struct allocation_def d = {.actuator_count = 3, .error_weight = {1, 1, 10}, .bus_count = 2};
  d.actuator[BOW] = actuator("bow", THRUSTER_TUNNEL, 30, 0, 100e3, "a");
  d.actuator[PORT] = actuator("port", THRUSTER_AZIMUTH, -30, -5, 200e3, "a");
  d.actuator[STARBOARD] = actuator("starboard", THRUSTER_AZIMUTH, -30, 5, 200e3, "b");
  strcpy(d.bus[0].name, "a");
  strcpy(d.bus[1].name, "b");
  d.bus[0].power_w = d.bus[1].power_w = 2e6;
  return d;
}

struct scene {
  struct allocation_def allocation;
  struct allocation_state thrusters;
  struct readings readings;
  struct consequence_def def;
  struct consequence_state state;
  double time_s;
};

static void give(struct scene *s, int i, double thrust_n, double azimuth_rad) {
  struct thruster_feedback *f = &s->readings.thruster[i];
  f->revolutions_rpm =
      copysign(100 * sqrt(fabs(thrust_n) / s->allocation.actuator[i].thrust_max_n), thrust_n);
  f->azimuth_rad = azimuth_rad;
}

static struct scene scene_of(enum consequence_choice list) {
  struct scene s = {
      .allocation = vessel(),
      .def = {
          .present = 1, .period_s = 1, .mean_s = 10, .margin = 1, .on_s = 5, .off_s = 30, .list = (int)list}};
  s.readings.thruster_count = 3;
  for (int i = 0; i < 3; i++) {
    memcpy(s.readings.thruster[i].name, s.allocation.actuator[i].name, SIGNAL_NAME);
    s.readings.thruster[i].ready = s.readings.thruster[i].running = 1;
  }
  consequence_fill_list(&s.def, &s.allocation);
  return s;
}

static void sample(struct scene *s, int is_first, double fixed_n) {
  static struct thrust_left_work work;
  const struct consequence_sample now = {.allocation = &s->allocation,
                                         .state = &s->thrusters,
                                         .readings = &s->readings,
                                         .fixed_b = {fixed_n, 0, 0},
                                         .time_s = s->time_s,
                                         .work = &work};
  if (is_first)
    consequence_start(&s->state, &s->def, &now);
  else
    consequence_step(&s->state, &s->def, &now);
  s->time_s += 0.1;
}

static struct consequence_report told(const struct scene *s) {
  struct consequence_report r;
  consequence_report_of(&s->state, &s->def, &r);
  return r;
}

static void run_for(struct scene *s, double seconds, double fixed_n) {
  for (double end = s->time_s + seconds; s->time_s < end;)
    sample(s, 0, fixed_n);
}

static double margin_of(const struct scene *s, const char *name) {
  for (int i = 0; i < s->def.failure_count; i++)
    if (strcmp(s->def.failure[i].name, name) == 0)
      return s->state.margin[i];
  return NAN;
}

START_TEST(it_lists_buses_and_thrusters) {
  struct scene all = scene_of(CONSEQUENCE_ALL), buses = scene_of(CONSEQUENCE_BUSES),
               single = scene_of(CONSEQUENCE_THRUSTERS);
  ck_assert(all.def.failure_count == 5);
  ck_assert(strcmp(all.def.failure[0].name, "bus-a") == 0 && all.def.failure[0].lost == 3);
  ck_assert(strcmp(all.def.failure[4].name, "starboard") == 0 && all.def.failure[4].lost == 4);
  ck_assert(buses.def.failure_count == 2 && single.def.failure_count == 3);
}
END_TEST

// Surge of 100 kN by both azimuths: without one the other alone gives surge, but with a moment that the
// tunnel must take: force F at y = 5 gives 5 F, which the tunnel balances with 5 F / (30 + 30), the azimuth
// gives the opposite sway. |(F, F/12)| = 200 kN: F = 200 kN / sqrt(1 + 1/144).
START_TEST(margins_have_their_closed_form) {
  struct scene s = scene_of(CONSEQUENCE_ALL);
  give(&s, PORT, 50e3, 0);
  give(&s, STARBOARD, 50e3, 0);
  sample(&s, 1, 0);
  run_for(&s, 19, 0);
  ck_assert(!told(&s).known && told(&s).given);
  run_for(&s, 3, 0);
  ck_assert(told(&s).known && !told(&s).alarm);
  const double alone = 2 / sqrt(1 + 1.0 / 144);
  ck_assert(fabs(margin_of(&s, "port") - alone) < 1e-5 * alone);
  ck_assert(fabs(margin_of(&s, "starboard") - alone) < 1e-5 * alone);
  ck_assert(fabs(margin_of(&s, "bow") - 4) < 1e-4);
  ck_assert(margin_of(&s, "bus-a") < 1e-6); // one azimuth off the centre line cannot give surge alone
  ck_assert(strcmp(told(&s).failure, "bus-a") == 0);
}
END_TEST

// Half of the load is fixed: what is left for the rest counts.
START_TEST(a_fixed_force_does_not_grow) {
  struct scene s = scene_of(CONSEQUENCE_THRUSTERS);
  give(&s, PORT, 50e3, 0);
  give(&s, STARBOARD, 50e3, 0);
  sample(&s, 1, 60e3);
  run_for(&s, 25, 60e3);
  const double most = 200e3 / sqrt(1 + 1.0 / 144);
  ck_assert(fabs(margin_of(&s, "port") - (most - 60e3) / 40e3) < 1e-4);
}
END_TEST

START_TEST(what_is_out_already_takes_nothing_away) {
  struct scene s = scene_of(CONSEQUENCE_THRUSTERS);
  give(&s, PORT, 50e3, 0);
  give(&s, STARBOARD, 50e3, 0);
  s.thrusters.state[PORT] = ACTUATOR_OUT;
  sample(&s, 1, 0);
  run_for(&s, 25, 0);
  ck_assert(margin_of(&s, "port") == -1); // takes nothing away
  ck_assert(margin_of(&s, "starboard") < 1e-6);
  s.thrusters.state[PORT] =
      ACTUATOR_DEVIATING; // 50 kN ahead, whatever is asked; the tunnel cannot balance 250 kN m more
  run_for(&s, 5, 0);
  ck_assert(isfinite(margin_of(&s, "starboard")));
}
END_TEST

// The standard deviation makes the load larger, away from 0.
START_TEST(the_spread_of_the_load_counts) {
  struct scene calm = scene_of(CONSEQUENCE_THRUSTERS), rough = scene_of(CONSEQUENCE_THRUSTERS);
  rough.def.sigmas = calm.def.sigmas = 1;
  give(&calm, STARBOARD, 100e3, 0);
  give(&rough, STARBOARD, 100e3, 0);
  sample(&calm, 1, 0);
  sample(&rough, 1, 0);
  for (int i = 0; i < 300; i++) {
    give(&rough, STARBOARD, i / 5 % 2 ? 70e3 : 130e3, 0);
    sample(&calm, 0, 0);
    sample(&rough, 0, 0);
  }
  double ratio = margin_of(&calm, "bow") / margin_of(&rough, "bow");
  ck_assert(ratio > 1.2 && ratio < 1.4);
}
END_TEST

START_TEST(the_alarm_comes_and_ends_after_its_times) {
  struct scene s = scene_of(CONSEQUENCE_THRUSTERS);
  give(&s, STARBOARD, 150e3, 0);
  give(&s, PORT, 150e3, 0);
  sample(&s, 1, 0);
  run_for(&s, 24, 0);
  ck_assert(told(&s).known && told(&s).margin < 1 && !told(&s).alarm); // not yet 5 s
  run_for(&s, 4, 0);
  ck_assert(told(&s).alarm && s.state.alarms == 1);
  give(&s, STARBOARD, 20e3, 0);
  give(&s, PORT, 20e3, 0);
  run_for(&s, 60, 0);
  ck_assert(!told(&s).alarm && told(&s).margin > 1.1 && s.state.alarms == 1);
  struct reason why = {""};
  ck_assert(consequence_state_is_valid(&s.def, &s.state, &why));
  s.state.worst = s.def.failure_count;
  ck_assert(!consequence_state_is_valid(&s.def, &s.state, &why));
}
END_TEST

// The equipment of an alarm goes out, perhaps by the very failure: the alarm ends at once. One that deviates
// still gives something, and its loss takes that away.
START_TEST(an_alarm_ends_with_its_equipment) {
  struct scene s = scene_of(CONSEQUENCE_THRUSTERS);
  give(&s, STARBOARD, 150e3, 0);
  give(&s, PORT, 150e3, 0);
  sample(&s, 1, 0);
  run_for(&s, 28, 0);
  ck_assert(s.state.failure_alarm[PORT] && s.state.failure_alarm[STARBOARD]);
  s.thrusters.state[PORT] = ACTUATOR_DEVIATING;
  run_for(&s, 3, 0);
  ck_assert(margin_of(&s, "port") >= 0 && s.state.failure_alarm[PORT]);
  s.thrusters.state[PORT] = ACTUATOR_OUT;
  run_for(&s, 3, 0);
  ck_assert(!s.state.failure_alarm[PORT] && s.state.failure_alarm[STARBOARD] && told(&s).alarm);
  s.thrusters.state[PORT] = ACTUATOR_IN_USE; // back, with the load as before
  run_for(&s, 4, 0);
  ck_assert(!s.state.failure_alarm[PORT]);
  run_for(&s, 4, 0);
  ck_assert(s.state.failure_alarm[PORT] && s.state.alarms == 1);
}
END_TEST

// Each failure has an alarm of its own; that of the report is on with the first.
START_TEST(each_failure_has_its_alarm) {
  struct scene s = scene_of(CONSEQUENCE_THRUSTERS);
  give(&s, STARBOARD, 150e3, 0);
  give(&s, PORT, 150e3, 0);
  sample(&s, 1, 0);
  run_for(&s, 28, 0);
  const int32_t *on = s.state.failure_alarm;
  ck_assert(!on[BOW] && on[PORT] && on[STARBOARD] && told(&s).alarm && s.state.alarms == 1);
  s.thrusters.state[PORT] = ACTUATOR_OUT; // its loss takes nothing away any more
  run_for(&s, 40, 0);
  ck_assert(!on[PORT] && on[STARBOARD] && told(&s).alarm && s.state.alarms == 1);
  struct reason why = {""};
  s.state.failure_alarm[BOW] = 2;
  ck_assert(!consequence_state_is_valid(&s.def, &s.state, &why));
}
END_TEST

START_TEST(it_waits_at_a_new_setpoint) {
  struct scene s = scene_of(CONSEQUENCE_THRUSTERS);
  give(&s, STARBOARD, 150e3, 0);
  give(&s, PORT, 150e3, 0);
  sample(&s, 1, 0);
  run_for(&s, 40, 0);
  ck_assert(told(&s).alarm);
  consequence_wait(&s.state, &s.def, s.time_s);
  ck_assert(told(&s).given && !told(&s).known && !told(&s).alarm && told(&s).margin == 0);
  run_for(&s, 19, 0);
  ck_assert(!told(&s).known);
  run_for(&s, 10, 0);
  ck_assert(told(&s).known && told(&s).alarm);
}
END_TEST

// A new set-point amid a round: the margins of its first half are of the load before.
START_TEST(a_round_begins_anew_after_waiting) {
  struct scene s = scene_of(CONSEQUENCE_THRUSTERS);
  give(&s, STARBOARD, 150e3, 0);
  give(&s, PORT, 150e3, 0);
  sample(&s, 1, 0);
  run_for(&s, 40, 0);
  while (s.state.next != 2)
    sample(&s, 0, 0);
  consequence_wait(&s.state, &s.def, s.time_s);
  give(&s, STARBOARD, 20e3, 0);
  give(&s, PORT, 20e3, 0);
  for (int i = 0; i < 1000 && !told(&s).known; i++)
    sample(&s, 0, 0);
  ck_assert(told(&s).known && told(&s).margin > 2);
}
END_TEST

// A sample that comes late tells nothing of the time between, and must not count for all of it.
START_TEST(it_waits_after_a_gap) {
  struct scene s = scene_of(CONSEQUENCE_THRUSTERS);
  give(&s, STARBOARD, 150e3, 0);
  give(&s, PORT, 150e3, 0);
  sample(&s, 1, 0);
  run_for(&s, 40, 0);
  s.time_s += 0.5;
  sample(&s, 0, 0);
  ck_assert(told(&s).known && told(&s).alarm);
  s.time_s += 20;
  sample(&s, 0, 0);
  ck_assert(!told(&s).known && !told(&s).alarm);
  run_for(&s, 19, 0);
  ck_assert(!told(&s).known);
  run_for(&s, 10, 0);
  ck_assert(told(&s).known && told(&s).alarm && s.state.alarms == 2);
}
END_TEST

// A search that finds no number is counted. Its failure keeps the margin that was found last; without one
// nothing is known.
START_TEST(a_margin_that_is_not_found_is_counted) {
  struct scene s = scene_of(CONSEQUENCE_THRUSTERS);
  give(&s, STARBOARD, 50e3, 0);
  sample(&s, 1, 0);
  run_for(&s, 30, 0);
  const double found = told(&s).margin;
  ck_assert(told(&s).known && told(&s).unsolved == 0);
  s.state.mean[0] = (double)INFINITY;
  run_for(&s, 5, 0);
  ck_assert(told(&s).known && told(&s).unsolved > 0);
  ck_assert_double_eq(told(&s).margin, found);
  struct scene other = scene_of(CONSEQUENCE_THRUSTERS);
  sample(&other, 1, 0);
  other.state.mean[0] = (double)INFINITY;
  run_for(&other, 30, 0);
  ck_assert(!told(&other).known && !told(&other).alarm && told(&other).unsolved > 0);
}
END_TEST

// A declared failure with less power on a bus: what is left by hand. 2 MW for the port azimuth of 1 MW and
// the tunnel of 1 MW is enough; with 0.125 MW on bus a and an eighth of the power at 1/4 of the thrust, the
// port azimuth alone gives 50 kN ahead.
START_TEST(a_group_that_takes_power_counts_by_what_is_left) {
  struct scene s = scene_of(CONSEQUENCE_GROUPS);
  s.def.group_count = 2;
  strcpy(s.def.group[0].name, "set-1");
  s.def.group[0].has_power = 1;
  s.def.group[0].power_w[0] = 0.125e6, s.def.group[0].power_w[1] = 2e6;
  strcpy(s.def.group[1].name, "engine room");
  s.def.group[1].lost = 1U << BOW | 1U << STARBOARD;
  consequence_fill_list(&s.def, &s.allocation);
  ck_assert_int_eq(s.def.failure_count, 2);
  s.def.list = CONSEQUENCE_THRUSTERS;
  consequence_fill_list(&s.def, &s.allocation);
  ck_assert_int_eq(s.def.failure_count, 5);
  ck_assert_str_eq(s.def.failure[3].name, "set-1");
  ck_assert_str_eq(s.def.failure[4].name, "engine room");

  // Thrust with power^(2/3): 0.125 of it leaves a quarter, 50 kN of 200.
  static struct thrust_left_work work;
  const double ahead[3] = {100e3, 0, 0}, nothing[3] = {0, 0, 0};
  double whole, less;
  int is_closed;
  const uint32_t lost = 1U << BOW | 1U << STARBOARD;
  struct allocation_def alone = s.allocation;
  alone.actuator[PORT].position_b_m[1] = 0; // so that its thrust has no moment
  ck_assert(thrust_left_margin(&alone, &s.thrusters, &s.readings, lost, NULL, nothing, ahead, &work, &whole,
                               &is_closed) == STATUS_OK);
  ck_assert(thrust_left_margin(&alone, &s.thrusters, &s.readings, lost, s.def.group[0].power_w, nothing,
                               ahead, &work, &less, &is_closed) == STATUS_OK);
  ck_assert_double_eq_tol(whole, 2, 1e-5);
  ck_assert_double_eq_tol(less, 0.5, 1e-5);

  // The same by the power that power management says is missing on that bus already; a failure takes its own
  // from what is left.
  s.thrusters.power = (struct power_watch){.most_w = 4e6, .gone_w = 1.835e6, .is_known = 1, .is_short = {1}};
  ck_assert(thrust_left_margin(&alone, &s.thrusters, &s.readings, lost, NULL, nothing, ahead, &work, &less,
                               &is_closed) == STATUS_OK);
  ck_assert_double_eq_tol(less, 0.5, 1e-5);
  s.def.group[0].power_w[0] = 1.5e6;
  ck_assert(thrust_left_margin(&alone, &s.thrusters, &s.readings, lost, s.def.group[0].power_w, nothing,
                               ahead, &work, &less, &is_closed) == STATUS_OK);
  ck_assert_double_eq_tol(less, 0, 1e-5);

  // So it is in the analysis: 50 kN of either azimuth are held, and no more than 50 and 200 kN are there.
  s = scene_of(CONSEQUENCE_GROUPS);
  s.def.group_count = 1;
  strcpy(s.def.group[0].name, "set-1");
  s.def.group[0].has_power = 1;
  s.def.group[0].power_w[0] = 0.125e6, s.def.group[0].power_w[1] = 2e6;
  consequence_fill_list(&s.def, &s.allocation);
  give(&s, PORT, 50e3, 0);
  give(&s, STARBOARD, 50e3, 0);
  sample(&s, 1, 0);
  run_for(&s, 22, 0);
  ck_assert(told(&s).known);
  ck_assert_double_ge(margin_of(&s, "set-1"), 1 - 1e-5);
  ck_assert_double_le(margin_of(&s, "set-1"), 2.5 + 1e-5);
}
END_TEST

// The power of one set is missing on one of two buses, and nothing shows on which. The limits of the
// allocation differ with the load of the thrusters; what the vessel has left does not: the margins are the
// same at a light load, and the power is not missing twice. As soon as the bus is known its margin falls.
START_TEST(power_that_may_be_missing_on_two_buses_is_not_missing_on_both) {
  struct scene s = scene_of(CONSEQUENCE_THRUSTERS);
  static struct thrust_left_work work;
  const double ahead[3] = {100e3, 0, 0}, nothing[3] = {0, 0, 0};
  const uint32_t lost = 1U << BOW;
  double whole, heavy, light, found;
  int is_closed;
  ck_assert(thrust_left_margin(&s.allocation, &s.thrusters, &s.readings, lost, NULL, nothing, ahead, &work,
                               &whole, &is_closed) == STATUS_OK);
  ck_assert_double_eq_tol(whole, 4, 1e-4);
  s.thrusters.power =
      (struct power_watch){.most_w = 4e6, .gone_w = 1.835e6, .is_known = 1, .is_short = {1, 1}};
  ck_assert(thrust_left_margin(&s.allocation, &s.thrusters, &s.readings, lost, NULL, nothing, ahead, &work,
                               &heavy, &is_closed) == STATUS_OK);
  s.thrusters.power.is_light = 1;
  ck_assert(power_watch_limit_w(&s.thrusters.power, 0, 2e6, 4e6) < 0.13e6);
  ck_assert_double_eq(power_watch_missing_left_w(&s.thrusters.power, 0, 2e6, 4e6), 2e6);
  ck_assert(thrust_left_margin(&s.allocation, &s.thrusters, &s.readings, lost, NULL, nothing, ahead, &work,
                               &light, &is_closed) == STATUS_OK);
  ck_assert_double_eq(heavy, whole);
  ck_assert_double_eq(light, whole);
  // It is bus a: port gives 50 kN, and starboard no more, as nothing else balances its moment.
  s.thrusters.power.is_short[1] = 0;
  ck_assert(thrust_left_margin(&s.allocation, &s.thrusters, &s.readings, lost, NULL, nothing, ahead, &work,
                               &found, &is_closed) == STATUS_OK);
  ck_assert_double_eq_tol(found, 1, 1e-4);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("consequence");
  TCase *tc = add_case(suite, "consequence", 60);
  tcase_add_test(tc, it_lists_buses_and_thrusters);
  tcase_add_test(tc, a_group_that_takes_power_counts_by_what_is_left);
  tcase_add_test(tc, power_that_may_be_missing_on_two_buses_is_not_missing_on_both);
  tcase_add_test(tc, margins_have_their_closed_form);
  tcase_add_test(tc, a_fixed_force_does_not_grow);
  tcase_add_test(tc, what_is_out_already_takes_nothing_away);
  tcase_add_test(tc, the_spread_of_the_load_counts);
  tcase_add_test(tc, the_alarm_comes_and_ends_after_its_times);
  tcase_add_test(tc, each_failure_has_its_alarm);
  tcase_add_test(tc, an_alarm_ends_with_its_equipment);
  tcase_add_test(tc, it_waits_at_a_new_setpoint);
  tcase_add_test(tc, a_round_begins_anew_after_waiting);
  tcase_add_test(tc, it_waits_after_a_gap);
  tcase_add_test(tc, a_margin_that_is_not_found_is_counted);
  return run_suite(suite);
}
