// The section network.
#include "case_suite.h"

static const struct bad_edit bad_edits[] = {
    {"  command_endpoint: tcp://127.0.0.1:47700", "  command_endpoint: 127.0.0.1:47700",
     ":21: error: network.command_endpoint: tcp://HOST:PORT or ipc://PATH expected, got '127.0.0.1:47700'"},
    {"  command_endpoint: tcp://127.0.0.1:47700", "  command_endpoint: tcp://127.0.0.1:47701",
     "+1:23: error: network.telemetry_endpoint: an endpoint different from command_endpoint expected, got "
     "'tcp://127.0.0.1:47701'"},
    {"  command_endpoint: tcp://127.0.0.1:47700", "  sensor_period_s: 0.105",
     ":20: error: network.sensor_period_s: a whole number of steps of 0.01 s expected, got '0.105'"},
};

START_TEST(each_bad_value_gets_its_line) {
  assert_bad_edit(&bad_edits[_i]);
}
END_TEST

static void add(TCase *tests) {
  tcase_add_loop_test(tests, each_bad_value_gets_its_line, 0, (int)(sizeof bad_edits / sizeof *bad_edits));
}

int main(void) {
  return run_config_suite("io_config_network", add);
}
