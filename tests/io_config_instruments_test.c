// The sections instruments, nmea and events on osv-83m-instruments.yaml.
#include "io_config_suite.h"

// Ineffective or ambiguous settings on osv-83m-instruments.yaml.
static const struct {
  const char *set, *expected; // "": good
} bad_instruments[] = {
    {"nmea={ports: [{udp: '127.0.0.1:9', instruments: gnss-1 thrusters, sentences: GGA TRD}]}", ""},
    {"nmea={ports: [{udp: '127.0.0.1:9', instruments: gnss-1 gyro-1, sentences: GGA}]}",
     "one of the port's sentences expected, got 'gyro-1'"},
    {"nmea={ports: [{udp: '127.0.0.1:9', instruments: thrusters, sentences: GGA}]}",
     "one of the port's sentences expected, got 'thrusters'"},
    {"nmea={ports: [{udp: '127.0.0.1:9', instruments: '  '}]}",
     "or thrusters, separated by spaces, expected, got none"},
    {"instruments.0.name=all", "a name other than the reserved names all and thrusters expected"},
    {"instruments.0.name=thrusters", "a name other than the reserved names all and thrusters expected"},
    {"events=[{name: a, at_s: 1, fault: rotating, target: bow_tunnel_1, rate_radps: 1}]",
     "got the tunnel thruster 'bow_tunnel_1'"},
    {"events=[{name: a, at_s: 1, fault: copy, target: gnss-1, of_instrument: gnss-1}]",
     "another gnss expected, got 'gnss-1'"},
};

START_TEST(bad_instruments_are_refused) {
  int errors;
  char *got = messages(CONFIGS "osv-83m-instruments.yaml", &bad_instruments[_i].set, 1, 0, &errors);
  ck_assert_msg(*bad_instruments[_i].expected ? strstr(got, bad_instruments[_i].expected) != NULL
                                              : errors == 0,
                "%s: %s", bad_instruments[_i].set, got);
  free(got);
}
END_TEST

// The shipped instruments at any step that their fastest measurement rate permits.
START_TEST(shipped_instruments_at_any_step) {
  static const char *const steps[] = {"simulation.step_s=0.001", "simulation.step_s=0.002",
                                      "simulation.step_s=0.003", "simulation.step_s=0.01",
                                      "simulation.step_s=0.02",  "simulation.step_s=0.05",
                                      "simulation.step_s=0.1"};
  struct config c;
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    ck_assert_msg(config_load(CONFIGS "osv-83m-instruments.yaml", &steps[i], 1, &c, stderr) == 0, "%s",
                  steps[i]);
    config_free(&c);
  }
  static const char *const coarse = "simulation.step_s=0.2";
  ck_assert_int_ne(config_load(CONFIGS "osv-83m-instruments.yaml", &coarse, 1, &c, NULL), STATUS_OK);
}
END_TEST

static void add(TCase *tests) {
  tcase_add_loop_test(tests, bad_instruments_are_refused, 0,
                      (int)(sizeof bad_instruments / sizeof *bad_instruments));
  tcase_add_test(tests, shipped_instruments_at_any_step);
}

int main(void) {
  return run_config_suite("io_config_instruments", add);
}
