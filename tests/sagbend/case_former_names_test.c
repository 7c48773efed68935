// Former names: each leads to a present one, is refused with it, and is read in the text of a log.
#include "net/case/case.h"
#include "sagbend/case/case.h"

#include "case_suite.h"

static void assert_key_moved(const struct schema *schema, const struct former_name *row) {
  const char *dot = strrchr(row->was, '.');
  char present[128];
  snprintf(present, sizeof present, "%.*s%s", dot ? (int)(dot - row->was) + 1 : 0, row->was, row->now);
  ck_assert_msg(find_key(schema, present) != NULL, "%s", present);
  ck_assert_msg(find_key(schema, row->was) == NULL, "%s", row->was);
}

// A former name is the name of no present key; its present name is one.
START_TEST(former_names_lead_to_keys) {
  struct schema schema = _i ? dp_schema() : config_schema(&RUN_SECTIONS);
  int count = 0;
  for (int i = 0; i < former_name_count; i++)
    if (former_names[i].kind == schema.keys_were) {
      assert_key_moved(&schema, &former_names[i]);
      count++;
    }
  ck_assert_int_ge(count, 3);
  schema_free(&schema);
}
END_TEST

static int is_output(const char *name) {
  int found = 0;
  for (int q = 0; q < QUANTITY_COUNT; q++)
    found |= !strcmp(quantity_table[q].name, name) || !strcmp(quantity_table[q].shown_name, name);
  return found;
}

static int is_sim_event(const char *name) {
  int found = 0;
  for (int i = 0; i < EVENT_COUNT; i++)
    found |= !strcmp(sim_event_name(i), name);
  return found;
}

// Likewise of outputs, faults, their parameters and the events of the simulator.
START_TEST(former_names_lead_to_names) {
  int known[FORMER_KIND_COUNT] = {0};
  for (int i = 0; i < former_name_count; i++) {
    const struct former_name *row = &former_names[i];
    known[row->kind]++;
    if (row->kind == FORMER_OUTPUT)
      ck_assert_msg(is_output(row->now) && !is_output(row->was), "%s", row->was);
    if (row->kind == FORMER_FAULT)
      ck_assert_msg(fault_by_name(row->now) < FAULT_COUNT && fault_by_name(row->was) == FAULT_COUNT, "%s",
                    row->was);
    if (row->kind == FORMER_PARAMETER)
      ck_assert_msg(fault_parameter_find(row->now) >= 0 && fault_parameter_find(row->was) < 0, "%s",
                    row->was);
    if (row->kind == FORMER_EVENT)
      ck_assert_msg(!is_sim_event(row->was), "%s", row->was);
    ck_assert_ptr_null(former_name(row->kind, row->now)); // one step leads to the present name
    ck_assert_str_eq(former_name(row->kind, row->was), row->now);
  }
  for (int kind = FORMER_CASE_KEY; kind < FORMER_KIND_COUNT; kind++)
    ck_assert_int_gt(known[kind], 0);
}
END_TEST

START_TEST(parts_of_a_name_are_former_ones) {
  char out[64];
  ck_assert(former_parts(FORMER_FAULT, "gnss-1/off-freeze@S1", "/-@", out, sizeof out));
  ck_assert_str_eq(out, "gnss-1/no_output-freeze@S1");
  ck_assert(!former_parts(FORMER_FAULT, "gnss-1/bias@S1", "/-@", out, sizeof out));
  ck_assert_str_eq(out, "gnss-1/bias@S1");
  ck_assert(former_parts(FORMER_FIELD, "pipe.code_check.lcc.utilisation", ".[", out, sizeof out));
  ck_assert_str_eq(out, "pipe.code_check.load_controlled.utilisation");
  ck_assert(former_parts(FORMER_OUTPUT, "missed_steps", "", out, 8)); // cut
  ck_assert_str_eq(out, "late_st");
}
END_TEST

#define INSTRUMENTS CONFIGS "osv-83m-instruments.yaml"

// The error names the present key, in a file and in an override, for a DP file too.
START_TEST(former_names_are_refused) {
  static const struct {
    const char *text, *expected;
  } cases[] = {
      {"rig: {seed: 1}\n", "2:1: error: rig: unknown key, its present name is hil\n"},
      {"statics: {ballast: none}\n",
       "2:11: error: statics.ballast: unknown key, its present name is weight_compensation\n"},
      {"hold_wrench: balance\n",
       "2:1: error: hold_wrench: unknown key, its present name is initial_holding_force\n"},
      {"events: [{name: a, at_s: 1, fault: off, target: gnss-1}]\n",
       "2:36: error: events.0.fault: a name in use expected, got 'off', its present name is no_output\n"},
      {"verdicts: [{name: a, quantity: missed_steps, below: 1}]\n",
       "2:32: error: verdicts.0.quantity: a name in use expected, got 'missed_steps', its present name is "
       "late_steps_and_lost_periods\n"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char top[400];
    snprintf(top, sizeof top, "extends: " INSTRUMENTS "\n%s", cases[i].text);
    write_file(top, strlen(top));
    assert_messages(path, NULL, 0, 0, cases[i].expected);
  }
  static const char *const item[] = {"vessel.thrusters.0.ventilation=0.75"};
  assert_messages(CONFIGS "osv-83m.yaml", item, 1, 0,
                  "--set:1:20: error: vessel.thrusters.0.ventilation: unknown key, its present name is "
                  "ventilation_factor (in 'vessel.thrusters.0.ventilation=0.75')\n");
  static const char *const dp_item[] = {"thrusters.1.price=3"};
  assert_messages(CONFIGS "osv-83m-dp.yaml", dp_item, 1, 1,
                  "--set:1:13: error: thrusters.1.price: unknown key, its present name is weight (in "
                  "'thrusters.1.price=3')\n");
}
END_TEST

// A log contains a case of an earlier program: it is read as with the present names, the file that it extends
// too.
START_TEST(former_names_of_a_log_are_read) {
  static const char was[] =
      "extends: vessel-only.yaml\nname: a\n"
      "simulation: {unsolved_share_max: 0.5, on_event: {set_tripped: fail}}\n"
      "instruments: [{name: gnss-1, kind: gnss, rate_hz: 1, position_b_m: [0, 0, 0], errors: []}]\n"
      "events: [{name: e, at_s: 1, fault: step, target: gnss-1, step: 3},\n"
      "  {name: w, when: {quantity: yaw_degps, above: 1}, fault: 'off', target: gnss-1}]\n"
      "verdicts: [{name: v, quantity: unsolved_steps, below: 1}]\nnetwork: {reaction: hold_wrench}\n";
  static const char now[] = "initial_holding_force", before[] = "hold_wrench          ";
  static struct config config;
  size_t size;
  char *text = read_text(CONFIGS "vessel-only.yaml", &size), *hold = strstr(text, now);
  ck_assert_ptr_nonnull(hold);
  memcpy(hold, before, sizeof before - 1);
  struct config_files log = {.count = 1,
                             .file = {{.path = (char *)"vessel-only.yaml", .text = text, .size = size}},
                             .has_former_names = 1};
  ck_assert_int_eq(config_load_text("log", was, strlen(was), &log, NULL, 0, &config, stderr), STATUS_OK);
  ck_assert(!config.sim.hold_balances_statics);
  ck_assert_double_eq(config.run.not_converged_share_max, 0.5);
  ck_assert_int_eq(config.scenario.event[0].fault.kind, FAULT_JUMP);
  ck_assert_double_eq(config.scenario.event[0].fault.value[0], 3);
  ck_assert_int_eq(config.scenario.event[1].fault.kind, FAULT_NO_OUTPUT);
  ck_assert_int_eq(config.scenario.event[1].when.quantity, QUANTITY_BODY_RATE_YAW);
  ck_assert_int_eq(config.scenario.verdict[0].quantity, QUANTITY_NOT_CONVERGED);
  config_free(&config);
  log.has_former_names = 0;
  ck_assert_int_ne(config_load_text("text", was, strlen(was), &log, NULL, 0, &config, NULL), STATUS_OK);
  free(text);
}
END_TEST

static void add(TCase *tests) {
  tcase_add_loop_test(tests, former_names_lead_to_keys, 0, 2);
  tcase_add_test(tests, former_names_lead_to_names);
  tcase_add_test(tests, parts_of_a_name_are_former_ones);
  tcase_add_test(tests, former_names_are_refused);
  tcase_add_test(tests, former_names_of_a_log_are_read);
}

int main(void) {
  return run_config_suite("io_config_former_names", add);
}
