// The sections vessel and vessel.thrusters.
#include "case_suite.h"

static const struct bad_edit bad_edits[] = {
    {"mass_kg: 6.3622085e6", "mass_kg: heavy",
     ":12: error: vessel.mass_kg: finite number > 0 expected, got 'heavy'"},
    {"moments_kgm2: [2.873071e8, 2.726143e9, 2.90000e9]", "added_mass: 0",
     ":17: error: vessel.inertia.added_mass: list of 6 finite numbers or 6 rows of 6 finite numbers "
     "expected, got '0'"},
    {"moments_kgm2: [", "rigid_body: [1, 1, 1, 1, 1, 1]\n    moments_kgm2: [",
     ":17: error: vessel.inertia.rigid_body: exactly one of moments_kgm2 and rigid_body expected, got both"},
    {"moments_kgm2: [2.873071e8, 2.726143e9, 2.90000e9]", "rigid_body: [1, 1, 1, 0, 1, 1]",
     "-1:3: error: vessel.inertia: positive definite sum of rigid body and added mass expected, got an "
     "indefinite one"},
    {"moments_kgm2: [",
     "added_mass: [[1,2,0,0,0,0],[3,1,0,0,0,0],[0,0,1,0,0,0],[0,0,0,1,0,0],[0,0,0,0,1,0],[0,0,0,0,0,1]]\n"
     "    moments_kgm2: [",
     ":17: error: vessel.inertia.added_mass: symmetric matrix expected, got 2 in row 0, column 1 and 3 in "
     "row 1, column 0"},
    {"linear: [3.53933789e1,", "linear: [-3.53933789e1,",
     ":13: error: vessel.damping.linear: positive semidefinite matrix expected, got an indefinite one"},
    {"attitude_deg: [0, 0, 0]", "attitude_deg: [0, 0, 0]\n  attitude_rad: [0, 0, 0]",
     "+1:17: error: vessel.attitude_rad: exactly one of attitude_deg and attitude_rad expected, got both"},
};

START_TEST(each_bad_value_gets_its_line) {
  assert_bad_edit(&bad_edits[_i]);
}
END_TEST

// The keys of thrusters and power against each other, on osv-83m.yaml.
static const struct {
  const char *set, *expected; // "": good
} bad_plants[] = {
    {"vessel.thrusters.0.bus=null", ""},
    {"vessel.thrusters.2.forbidden=[{from_deg: -105, to_deg: -75}, {from_deg: -75, to_deg: 0}]", ""},
    {"vessel.thrusters.0.bus=starbord",
     "bus: the name of one of vessel.power.buses expected, got 'starbord'"},
    {"vessel.thrusters.0.power_max_w=0", "power_max_w: a power > 0 expected, got '0': bus needs it"},
    {"vessel.thrusters.1.name=bow_tunnel_1",
     "name: a name different from vessel.thrusters.0 expected, got 'bow_tunnel_1'"},
    {"vessel.thrusters.1.name=bow tunnel", "name: letters, digits, _, - and . expected, got 'bow tunnel'"},
    {"vessel.power.buses.1.name=port",
     "name: a name different from vessel.power.buses.0 expected, got 'port'"},
    {"vessel.thrusters.0.pitch_lag_s=2", "pitch_lag_s needs drive pitch"},
    {"vessel.thrusters.0.azimuth_lag_s=2", "azimuth_lag_s needs kind azimuth or main"},
    {"vessel.thrusters.2.rudder={lift: 1}", "rudder needs kind main"},
    {"vessel.thrusters.2.speed_half_mps=2", "speed_half_mps needs kind tunnel"},
    {"vessel.thrusters.2.forbidden=[{from_deg: 350, to_deg: 10}, {from_deg: 5, to_deg: 20}]",
     "to_deg: sectors that do not overlap expected, got '20'"},
    {"vessel.thrusters.2.forbidden=[{from_deg: 30, to_deg: 390}]",
     "to_deg: a direction different from from_deg expected, got '390'"},
    {"vessel.thrusters.2.forbidden=[{from_deg: 30, to_deg: 60, against: bow_tunnel_1}]", ""},
    {"vessel.thrusters.2.forbidden=[{from_deg: 30, to_deg: 60, against: stern_azimut}]",
     "against: the name of another one of vessel.thrusters expected, got 'stern_azimut'"},
    {"vessel.thrusters.2.forbidden=[{from_deg: 30, to_deg: 60, against: stern_azimuth_port}]",
     "against: the name of another one of vessel.thrusters expected, got 'stern_azimuth_port'"},
    {"vessel.thrusters.2.forbidden=[{from_deg: 30, to_deg: 60, against: ''}]", "against: "},
    {"vessel.thrusters.2.forbidden=[{from_deg: 30, to_deg: 60, against: [a]}]", "against: "},
    {"vessel.thrusters.0.forbidden=[{from_deg: 30, to_deg: 60, against: bow_tunnel_2}]",
     "forbidden needs kind azimuth"},
    {"vessel.power.buses.0.available_w=null", "available_w: a finite number > 0 expected"},
    {"vessel.power.buses.0.hotel_w=1e5", "hotel_w needs vessel.power.generators or batteries"},
    {"vessel.power.generators=[{name: a, bus: port, rating_w: 1e6}]",
     "available_w is not allowed with vessel.power.generators or batteries"},
    {"vessel.power.ties=[{name: t, from: port, to: starboard}]",
     "ties needs vessel.power.generators or batteries"},
    {"vessel.thrusters.2.thrust_max_n=0", "thrust_max_n: finite number > 0 expected, got '0'"},
};

START_TEST(bad_plants_are_refused) {
  int errors;
  char *got = messages(CONFIGS "osv-83m.yaml", &bad_plants[_i].set, 1, 0, &errors);
  ck_assert_msg(*bad_plants[_i].expected ? strstr(got, bad_plants[_i].expected) != NULL : errors == 0,
                "%s: %s", bad_plants[_i].set, got);
  free(got);
}
END_TEST

// The power plant, on osv-83m-power.yaml.
static const struct {
  const char *set, *expected; // "": good
} bad_power[] = {
    {"vessel.power.ties.0.trip={frequency_max: 1.08}", ""},
    {"vessel.power.generators.1.running=false", ""},
    {"vessel.power.generators.0.bus=prot", "bus: the name of one of vessel.power.buses expected, got 'prot'"},
    {"vessel.power.generators.1.name=set-1",
     "name: a name different from vessel.power.generators.0 expected, got 'set-1'"},
    {"vessel.power.ties.0.to=port", "to: a bus other than that of 'from' expected, got 'port'"},
    {"vessel.power.ties.0.from=stern", "from: the name of one of vessel.power.buses expected, got 'stern'"},
    {"vessel.power.buses=[{name: port}, {name: starboard}, {name: bow}]",
     "vessel.power.buses.2: a bus with a running set, a battery that carries its hotel load or a closed tie "
     "to "
     "such a bus expected"},
    {"vessel.power.buses=[{name: port, hotel_w: 12e6}, {name: starboard}]",
     "vessel.power.generators.0: a hotel load below the rating of the generators that run on the same buses "
     "expected, "
     "got 1.22 of their rating"},
    {"vessel.power={buses: [{name: port, hotel_w: 9e6}, {name: starboard}], generators: [{name: a, bus: "
     "port, "
     "rating_w: 2e6, protection: {overload: 2}}, {name: b, bus: starboard, rating_w: 2e6}]}",
     "vessel.power.generators.0: a hotel load below the rating of the generators that run on the same buses "
     "expected, "
     "got 4.5 of their rating"},
    {"vessel.power.generators.0.protection.overload=0.9",
     "overload: a number from 1 to 10 expected, got '0.9': the set must not trip in normal load"},
    {"vessel.power.ties.0.trip={frequency_max: 1}", "frequency_max: finite number from 1.01 to 1.5 expected"},
    {"vessel.power.ties.0.trip={frequency_min: 1}", "frequency_min: finite number from 0.5 to 0.99 expected"},
    {"vessel.power.ties.0.trip={voltage_max: 1}", "voltage_max: finite number from 1.03 to 2 expected"},
    {"vessel.power.ties.0.trip={voltage_min: 1}", "voltage_min: finite number from 0.2 to 0.98 expected"},
    {"vessel.power.management={load_start: 0.5, load_stop: 0.5}",
     "load_stop: less than load_start (0.5) expected, got '0.5': the set would start again"},
    {"vessel.power.management={load_start: 0, load_stop: 0.5}", ""},
    {"vessel.power.management={frequency_reduction_from: 0.9, frequency_reduction_to: 0.95}",
     "frequency_reduction_to (0.95) below frequency_reduction_from (0.9) expected, got '0.95'"},
    {"vessel.power.management={frequency_reduction_from: 0}", ""},
    {"vessel.power={buses: [{name: port}, {name: starboard}], management: {frequency_1ps: 0}, generators: "
     "[{name: "
     "a, bus: port, rating_w: 2e6, droop: 0.1}, {name: b, bus: starboard, rating_w: 2e6}]}",
     "vessel.power.generators.0.droop: a droop below 0.1 expected, got '0.1': with management.frequency_1ps "
     "0"},
    {"vessel.power.generators.0.protection.reverse=0.08",
     "reverse: a number from -2 to -0.001 expected, got '0.08': the set must not trip in normal load"},
    {"vessel.power.generators.0.protection.under_frequency=1",
     "under_frequency: a number from 0 to 0.99 expected, got '1': the set must not trip in normal load"},
    {"vessel.power.batteries=[{name: b, bus: port, power_w: 1e6}]",
     "energy_j: finite number from 1 to 1e+15 expected"},
    {"vessel.power.generators.0.rating_w=-1",
     "rating_w: finite number from 1000 to 1e+09 expected, got '-1'"},
    {"vessel.power.generators.0.rating_w=1e12",
     "rating_w: finite number from 1000 to 1e+09 expected, got '1e12'"},
};

START_TEST(bad_power_plants_are_refused) {
  int errors;
  char *got = messages(CONFIGS "osv-83m-power.yaml", &bad_power[_i].set, 1, 0, &errors);
  ck_assert_msg(*bad_power[_i].expected ? strstr(got, bad_power[_i].expected) != NULL : errors == 0, "%s: %s",
                bad_power[_i].set, got);
  free(got);
}
END_TEST

// What views draw, on osv-83m.yaml.
static const struct {
  const char *set, *expected; // "": good
} bad_views[] = {
    {"vessel.outline_m=null", ""},
    {"view=null", ""},
    {"view.limits.moment_nm=null", ""},
    {"vessel.outline_m=[{forward: 10, starboard: 0}, {forward: -10, starboard: 5}, {forward: -10, starboard: "
     "-5}]",
     ""},
    {"vessel.outline_m=[{forward: 10, starboard: 0}, {forward: -10, starboard: 5}]",
     "vessel.outline_m: at least 3 corners expected, got fewer"},
    {"vessel.outline_m=[{forward: 10, starboard: 0}, {forward: 5, starboard: 0}, {forward: -10, starboard: "
     "0}]",
     "vessel.outline_m: a polygon with an area expected, got corners on a line"},
    {"vessel.outline_m=[{forward: 0, starboard: 0}, {forward: 10, starboard: 10}, {forward: 10, starboard: "
     "0}, "
     "{forward: 0, starboard: 10}]",
     "a corner of a polygon whose sides do not meet expected"},
    {"vessel.outline_m=[{forward: 0, starboard: 0}, {forward: 0, starboard: 0}, {forward: 10, starboard: 0}, "
     "{forward: 0, starboard: 10}]",
     "a corner of a polygon whose sides do not meet expected"},
    {"vessel.outline_m.0.forward=far", "forward: finite number expected, got 'far'"},
    {"view.watch_circles_m=[10, 5]",
     "the radius of the warning and then the larger one of the alarm expected, "
     "got the larger one first"},
    {"view.watch_circles_m=[5, 5]", "got two equal radii"},
    {"view.watch_circles_m=[-5, 5]", "view.watch_circles_m"},
    {"view.watch_circles_m=[5]", "view.watch_circles_m: list of 2 finite numbers"},
    {"view.limits.tension_n=0", "view.limits.tension_n: finite number > 0 expected, got '0'"},
};

START_TEST(bad_views_are_refused) {
  int errors;
  char *got = messages(CONFIGS "osv-83m.yaml", &bad_views[_i].set, 1, 0, &errors);
  ck_assert_msg(*bad_views[_i].expected ? strstr(got, bad_views[_i].expected) != NULL : errors == 0, "%s: %s",
                bad_views[_i].set, got);
  free(got);
}
END_TEST

static void add(TCase *tests) {
  tcase_add_loop_test(tests, each_bad_value_gets_its_line, 0, (int)(sizeof bad_edits / sizeof *bad_edits));
  tcase_add_loop_test(tests, bad_views_are_refused, 0, (int)(sizeof bad_views / sizeof *bad_views));
  tcase_add_loop_test(tests, bad_plants_are_refused, 0, (int)(sizeof bad_plants / sizeof *bad_plants));
  tcase_add_loop_test(tests, bad_power_plants_are_refused, 0, (int)(sizeof bad_power / sizeof *bad_power));
}

int main(void) {
  return run_config_suite("io_config_vessel", add);
}
