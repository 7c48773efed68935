// The section route of a DP file: the route that it gives, and what is refused.
#include "case_suite.h"
#include "net/case/case.h"

static const char DP_HEAD[] = "name: route\n"
                              "pid:\n"
                              "  kp: [1e5, 1e5, 0, 0, 0, 1e8]\n"
                              "  kd: [1e6, 1e6, 0, 0, 0, 1e9]\n"
                              "  ki: [0, 0, 0, 0, 0, 0]\n"
                              "  start_s: 10\n"
                              "  setpoint: {position_m: [45, 0, 0], attitude_deg: [0, 0, 0]}\n";
static const char ROUTE[] = "route:\n"
                            "  waypoints:\n"
                            "    - {position_m: [0, 0]}\n"
                            "    - {position_m: [600, 0], radius_m: 200}\n"
                            "    - {position_m: [600, 700]}\n"
                            "  point_b_m: [-45, 0]\n"
                            "  speed_mps: 0.5\n";

static void write_dp(const char *route) {
  char text[4096];
  int size = snprintf(text, sizeof text, "%s%s", DP_HEAD, route);
  write_file(text, (size_t)size);
}

START_TEST(a_route_is_read) {
  struct dp_config dp;
  char place[200];
  write_dp(ROUTE);
  ck_assert_int_eq(dp_config_load(path, NULL, 0, &dp, stderr), STATUS_OK);
  ck_assert_int_eq(dp.def.track.route.count, 3);
  ck_assert_double_eq_tol(dp.def.track.route.length_m, 400 + 500 + 314.159265, 1e-5);
  ck_assert_double_eq_tol(dp.def.track.ramp_s, 30, 1e-12);
  snprintf(place, sizeof place, "%s:11:40", path);
  ck_assert_str_eq(dp.route_places.radius_at[1], place);
  ck_assert_str_eq(dp.route_places.radius_at[0], "");
  write_dp("");
  ck_assert_int_eq(dp_config_load(path, NULL, 0, &dp, stderr), STATUS_OK);
  ck_assert_int_eq(dp.def.track.route.count, 0);
}
END_TEST

START_TEST(errors_of_a_route_stand_at_their_place) {
  static const struct {
    const char *override, *word;
  } cases[] = {
      {"route.waypoints.1.radius_m=600.5",
       "route.waypoints.1.radius_m: at most 600 m expected, got '600.5': the legs beside"},
      {"route.waypoints.1.radius_m=null",
       "route.waypoints.1.radius_m: a radius expected, got 'null': the route turns"},
      {"route.waypoints.1.radius_m=-1", "finite number > 0 expected"},
      {"route.waypoints.1.position_m=[0,0]", "route.waypoints.1.position_m: a position other than"},
      {"route.waypoints.1.position_m=[0]", "route.waypoints.1.position_m: list of 2 finite numbers"},
      {"route.waypoints=[{position_m: [0, 0]}]", "route.waypoints: at least two waypoints"},
      {"route.waypoints.2.radius_m=10", "needs a waypoint between two others"},
      {"route.speed_mps=11", "route.speed_mps: finite number from 0.001 to 10 expected"},
      {"route.speed_mps=0", "route.speed_mps: finite number from 0.001 to 10 expected"},
      {"route.joint_m=24.4", "route.hold_s: a time expected"},
      {"route.hold_s=10", "route.hold_s needs joint_m"},
      {"route.joint_m=10", "route.joint_m: at least 15 m, speed_mps times ramp_s, expected"},
      {"route.payout={}", "route.joint_m: a length expected"},
      {"route.payout={behind_m: 0}", "route.payout.behind_m: finite number from 0.1 to 1000 expected"},
      {"route.tension_limits_n=[3e5,1e5]",
       "route.tension_limits_n: the lowest and then the highest tension expected"},
      {"route.stop_s=0", "route.stop_s: finite number from 1 to 3600 expected"},
      {"route.point_b_m=[-40,0]",
       "pid.setpoint.position_m: north 40.00 m, east 0.00 m, within 0.1 m, expected, got"},
      {"route.heading_offset_deg=5", "expected"},
      {"pid.setpoint.attitude_deg=[0,0,2]", "pid.setpoint: a heading of 0.00 deg"},
      {"route.path=1", "unknown key"},
  };
  write_dp(ROUTE);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int errors;
    const char *overrides[] = {cases[i].override};
    char *text = messages(path, overrides, 1, 1, &errors);
    ck_assert_msg(errors >= 1 && strstr(text, cases[i].word), "%s: '%s' expected, got:\n%s",
                  cases[i].override, cases[i].word, text);
    free(text);
  }
}
END_TEST

static void add(TCase *tests) {
  tcase_add_test(tests, a_route_is_read);
  tcase_add_test(tests, errors_of_a_route_stand_at_their_place);
}

int main(void) {
  return run_config_suite("io_config_route", add);
}
