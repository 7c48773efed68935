// The sections vessel and vessel.thrusters.
#include "io_config_suite.h"

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
    {"vessel.thrusters.0.power_max_w=0", "power_max_w: a power > 0 beside bus expected, got '0'"},
    {"vessel.thrusters.1.name=bow_tunnel_1",
     "name: a name different from vessel.thrusters.0 expected, got 'bow_tunnel_1'"},
    {"vessel.thrusters.1.name=bow tunnel", "name: letters, digits, _, - and . expected, got 'bow tunnel'"},
    {"vessel.power.buses.1.name=port",
     "name: a name different from vessel.power.buses.0 expected, got 'port'"},
    {"vessel.thrusters.0.pitch_lag_s=2", "pitch_lag_s: nothing expected unless drive is pitch, got '2'"},
    {"vessel.thrusters.0.azimuth_lag_s=2",
     "azimuth_lag_s: nothing expected unless kind is azimuth or main, got '2'"},
    {"vessel.thrusters.2.rudder={lift: 1}", "rudder: nothing expected unless kind is main"},
    {"vessel.thrusters.2.speed_half_mps=2",
     "speed_half_mps: nothing expected unless kind is tunnel, got '2'"},
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
     "forbidden: nothing expected unless kind is azimuth"},
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
}

int main(void) {
  return run_config_suite("io_config_vessel", add);
}
