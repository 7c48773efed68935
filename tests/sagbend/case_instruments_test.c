// The sections instruments, nmea and events on osv-83m-instruments.yaml.
#include "case_suite.h"
#include "net/case/case.h"

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
     "thrusters, power or alarms, separated by spaces, expected, got none"},
    {"nmea={ports: [{udp: '127.0.0.1:9', instruments: power}]}",
     "nmea.ports.0.instruments needs vessel.power.generators or batteries for power"},
    {"nmea={rated_frequency_hz: 0, ports: [{udp: '127.0.0.1:9', instruments: gnss-1}]}",
     "nmea.rated_frequency_hz"},
    {"nmea={ports: [{udp: '127.0.0.1:9', instruments: gyro-1, sentences: ARTEMIS}]}",
     "one of the port's sentences expected, got 'gyro-1'"},
    {"instruments.0.name=all", "is reserved: all, thrusters and alarms are not names of instruments"},
    {"instruments.0.name=alarms", "is reserved: all, thrusters and alarms are not names of instruments"},
    {"instruments.0.name=thrusters", "is reserved: all, thrusters and alarms are not names of instruments"},
    {"events=[{name: a, at_s: 1, fault: rotating, target: bow_tunnel_1, rate_radps: 1}]",
     "got the tunnel thruster 'bow_tunnel_1'"},
    {"events=[{name: a, at_s: 1, fault: duplicate_of, target: gnss-1, of_instrument: gnss-1}]",
     "another gnss expected, got 'gnss-1'"},
};

// The same on osv-83m-references.yaml.
static const struct {
  const char *set, *expected;
} bad_references[] = {
    {"targets.0.structure=nowhere", "targets.0.structure: the name of a structure expected, got 'nowhere'"},
    {"targets.1.name=tp-1", "targets.1.name: a name different from targets.0 expected"},
    {"structures.0.swing_m=2", "structures.0.swing_period_s: a period > 0"},
    {"obstructions=[{name: a, on: deck, min_m: [0, 0, 0], max_m: [1, 1, 1]}]",
     "obstructions.0.on: world, vessel or the name of a structure expected, got 'deck'"},
    {"obstructions=[{name: a, min_m: [0, 0, 0], max_m: [1, 0, 1]}]",
     "obstructions.0.max_m: a corner beyond min_m"},
    {"instruments.0.targets=tp-1", "instruments.0.targets needs kind hydroacoustic"},
    {"instruments.19.gate_m=3", "instruments.19.gate_m needs kind laser, radar or artemis"},
    {"instruments.0.kind=artemis", "instruments.0.targets: the name of a target expected, got 0"},
    {"instruments.20.kind=artemis", "a quantity of a artemis"},
    {"events=[{name: a, at_s: 1, fault: wire_slack, target: laser-1, longer_m: 1}]",
     "a fault of a laser expected, got wire_slack"},
    {"events=[{name: a, at_s: 1, fault: wire_slack, target: wire-1}]", "longer_m"},
    {"instruments.17.targets=tp-9",
     "instruments.17.targets: names of targets, separated by blanks, expected"},
    {"instruments.17.targets=tp-1 tp-2", "instruments.17.targets: at most 1 name"},
    {"instruments.18.targets=tp-1 tp-2",
     "instruments.18.targets: the names of three targets expected, got 2"},
    {"instruments.18.targets=tp-1 tp-2 tp-1", "different targets expected, got 'tp-1' twice"},
    {"targets.2.position_m=[500, 50, 299]",
     "instruments.18.targets: three targets that do not stand in a line"},
    {"instruments.19.clump_weight_n=3000", "instruments.19.clump_weight_n: more than wire_tension_n"},
    {"instruments.17.sound_gradient_1ps=-2", "instruments.17.sound_gradient_1ps: a speed of sound"},
    {"hil.common_errors.0.instruments=gnss-1 gyro-1",
     "instruments of one kind expected, got gyro-1, a gyro, beside"},
    {"hil.common_errors.0.instruments=nobody", "hil.common_errors.0.instruments: names of instruments"},
    {"hil.common_errors.0.quantity=heading_deg",
     "hil.common_errors.0.quantity: a quantity of a gnss expected"},
    {"events=[{name: a, at_s: 1, fault: obstructed, target: gnss-1}]",
     "a fault of a gnss expected, got obstructed"},
    {"events=[{name: a, at_s: 1, fault: wrong_target, target: radar-1}]", "a reference with several targets"},
    {"events=[{name: a, at_s: 1, fault: common_bias, target: gnss-1, bias: 8}]",
     "ionosphere or all expected"},
};

START_TEST(bad_references_are_refused) {
  int errors;
  char *got = messages(CONFIGS "osv-83m-references.yaml", &bad_references[_i].set, 1, 0, &errors);
  ck_assert_msg(strstr(got, bad_references[_i].expected) != NULL, "%s: %s", bad_references[_i].set, got);
  free(got);
}
END_TEST

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
  tcase_add_loop_test(tests, bad_references_are_refused, 0,
                      (int)(sizeof bad_references / sizeof *bad_references));
  tcase_add_loop_test(tests, bad_instruments_are_refused, 0,
                      (int)(sizeof bad_instruments / sizeof *bad_instruments));
  tcase_add_test(tests, shipped_instruments_at_any_step);
}

int main(void) {
  return run_config_suite("io_config_instruments", add);
}
