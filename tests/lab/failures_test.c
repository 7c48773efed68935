// The failures that trials generate: nothing that can fail is left unnamed, identifiers, and patterns.
#include "lab/failures/failures.h"
#include "net/case/case.h"
#include "sagbend/faults/faults.h"

#include <stdlib.h>
#include <string.h>

#include "suite.h" // after the others: Check defines fail as a macro

static const struct failure_magnitudes MAGNITUDES = {3, 30, 50, 0.3, 0.5, 0.04};
static const struct failure_times TIMES = {120, 100, 60, 10};

static void generate(const char *path, const char *const *overrides, int count, struct failures *out) {
  struct config *config = malloc(sizeof *config);
  ck_assert_ptr_nonnull(config);
  ck_assert_int_eq(config_load(path, overrides, count, config, stderr), STATUS_OK);
  ck_assert_int_eq(failures_generate(config, &MAGNITUDES, &TIMES, out), STATUS_OK);
  config_free(config);
  free(config);
}

static int count_of(const struct failures *all, enum failure_group group, const char *kind) {
  int count = 0;
  for (int i = 0; i < all->count; i++)
    count += all->item[i].group == group && (!kind || !strcmp(all->item[i].kind, kind));
  return count;
}

// 13 modes of every instrument, a wrong place of those whose place counts, a copy where there is a second
// one.
START_TEST(test_station_keeping) {
  struct failures all;
  generate(TEST_SOURCE_DIR "/configs/osv-83m-instruments.yaml", NULL, 0, &all);
  ck_assert_int_eq(count_of(&all, FAILURE_NONE, NULL), 1);
  ck_assert_str_eq(all.item[0].id, "none");
  ck_assert_int_eq(count_of(&all, FAILURE_SINGLE, "gnss"), 3 * 15);
  ck_assert_int_eq(count_of(&all, FAILURE_SINGLE, "gyro"), 3 * 14);
  ck_assert_int_eq(count_of(&all, FAILURE_SINGLE, "motion"), 3 * 15);
  ck_assert_int_eq(count_of(&all, FAILURE_SINGLE, "wind"), 3 * 15);
  ck_assert_int_eq(count_of(&all, FAILURE_SINGLE, "speed_log"), 14);
  ck_assert_int_eq(count_of(&all, FAILURE_SINGLE, "load_cell"), 2 * 14);
  ck_assert_int_eq(count_of(&all, FAILURE_SINGLE, "hangoff_angle"), 13);
  ck_assert_int_eq(count_of(&all, FAILURE_SINGLE, "touchdown"), 13);
  ck_assert_int_eq(count_of(&all, FAILURE_SINGLE, "tunnel thruster"), 2 * 7);
  ck_assert_int_eq(count_of(&all, FAILURE_SINGLE, "azimuth thruster"), 2 * 8);
  ck_assert_int_eq(count_of(&all, FAILURE_SINGLE, "bus"), 2 * 2);
  ck_assert_int_eq(count_of(&all, FAILURE_SINGLE, "link"), 6);
  ck_assert_int_eq(count_of(&all, FAILURE_COMMON, NULL), 5 * 4 + 3 + 2);
  ck_assert_int_eq(count_of(&all, FAILURE_HIDDEN, NULL), 4 * 2 + 1 + 4 * 6 + 4 * 4);
  failures_free(&all);
}
END_TEST

START_TEST(test_identifiers_are_unique) {
  struct failures all;
  generate(TEST_SOURCE_DIR "/configs/osv-83m-lay.yaml", NULL, 0, &all);
  ck_assert_int_eq(count_of(&all, FAILURE_SINGLE, "tensioner"), 13 + 3); // its signals, and itself
  for (int i = 0; i < all.count; i++) {
    ck_assert_int_eq(failures_find(&all, all.item[i].id), i);
    ck_assert_uint_lt(strlen(all.item[i].events), sizeof all.item[i].events - 1); // nothing is cut
    if (i)
      ck_assert_int_gt(all.item[i].name_count, 0);
  }
  failures_free(&all);
}
END_TEST

// On a vessel that has all equipment every fault of the simulator is tried, or left out with a reason.
START_TEST(test_no_fault_is_unnamed) {
  static const char *const all_equipment[] = {
      "pipe.inner_diameter_m=0.2", "vessel.power.buses=[{name: port}, {name: starboard}]",
      "vessel.power.generators=[{name: set-1, bus: port, rating_w: 5e6}]",
      "vessel.power.ties=[{name: tie, from: port, to: starboard}]",
      "network.command_endpoint_b=tcp://127.0.0.2:*"};
  struct failures all, references, class3;
  char word[64];
  generate(TEST_SOURCE_DIR "/configs/osv-83m-lay.yaml", all_equipment, 5, &all);
  generate(TEST_SOURCE_DIR "/configs/osv-83m-references.yaml", NULL, 0, &references);
  generate(TEST_SOURCE_DIR "/configs/osv-83m-class3.yaml", NULL, 0, &class3);
  for (int k = 0; k < FAULT_COUNT; k++) {
    int named = fault_target_of((enum fault_kind)k) == TARGET_SETPOINT; // an order, of operations
    snprintf(word, sizeof word, "fault: '%s'", fault_name((enum fault_kind)k));
    for (int i = 0; i < all.count; i++)
      named |= all.item[i].group != FAILURE_HIDDEN && strstr(all.item[i].events, word) != NULL;
    for (int i = 0; i < references.count; i++)
      named |= references.item[i].group != FAILURE_HIDDEN && strstr(references.item[i].events, word) != NULL;
    for (int i = 0; i < class3.count; i++)
      named |= class3.item[i].group != FAILURE_HIDDEN && strstr(class3.item[i].events, word) != NULL;
    snprintf(word, sizeof word, "*/%s", fault_name((enum fault_kind)k));
    for (int i = 0; i < all.excluded_count; i++)
      named |= failure_matches(all.excluded[i].id, word) && *all.excluded[i].why;
    ck_assert_msg(named, "no trial has the fault %s, and none says why", fault_name((enum fault_kind)k));
  }
  ck_assert_int_ge(failures_find(&class3, "zone-main/lost"), 0);
  ck_assert_int_ge(failures_find(&class3, "dp-backup/zone-lost"), 0); // the backup is lost unseen before
  ck_assert_int_ge(failures_find(&class3, "gnss-3/zone-lost"), 0);    // its own reference
  ck_assert_int_lt(failures_find(&class3, "gnss-2/zone-lost"), 0);
  ck_assert_int_ge(failures_find(&class3, "dp-b/hidden"), 0);
  ck_assert_int_lt(failures_find(&class3, "dp-backup/hidden"), 0); // it is no successor
  ck_assert_int_ge(failures_find(&references, "laser-1/wrong_target"), 0);
  ck_assert_int_ge(failures_find(&references, "wire-1/clump_dragging"), 0);
  ck_assert_int_ge(failures_find(&references, "ionosphere/bias"), 0);
  ck_assert_int_ge(failures_find(&references, "wire-1/wire_slack"), 0);
  ck_assert_int_lt(failures_find(&references, "radar-1/wrong_target"), 0); // it has one target
  static const char *const artemis[] = {"instruments.20.kind=artemis",
                                        "instruments.20.errors=[{quantity: range_m, white: 1}]"};
  static const char *const modes[] = {"no_output",    "invalid",   "freeze",       "bias",
                                      "drift",        "lever_arm", "target_moved", "obstructed",
                                      "wrong_target", "reflection"};
  failures_free(&references);
  failures_free(&class3);
  generate(TEST_SOURCE_DIR "/configs/osv-83m-references.yaml", artemis, 2, &references);
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    snprintf(word, sizeof word, "laser-1/%s", modes[i]);
    ck_assert_msg(failures_find(&references, word) >= 0, "no trial of an Artemis: %s", word);
  }
  failures_free(&references);
  failures_free(&all);
}
END_TEST

// A fault of the power plant that nobody sees is tried with the one that shows it. Of the 83 m vessel three
// sets run, one stands by.
START_TEST(test_hidden_faults_of_the_plant) {
  static const struct {
    const char *id, *first, *second;
  } PAIRS[] = {
      {"set-1/status_frozen-trip", "fault: 'status_frozen', target: set-1", "fault: 'trip', target: set-1"},
      {"set-3/status_frozen-trip", "fault: 'status_frozen', target: set-3", "fault: 'trip', target: set-3"},
      {"set-4/start_fails-trip", "fault: 'start_fails', target: set-4", "fault: 'trip', target: set-1"},
      {"tie/tie_stuck-governor_high", "fault: 'tie_stuck', target: tie",
       "fault: 'governor_high', target: set-1"},
      {"management/no_reduction-trip", "fault: 'no_reduction'", "fault: 'trip', target: set-1"},
  };
  struct failures all;
  generate(TEST_SOURCE_DIR "/configs/osv-83m-class-2.yaml", NULL, 0, &all);
  for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++) {
    int found = failures_find(&all, PAIRS[i].id);
    ck_assert_msg(found > 0, "%s is not tried", PAIRS[i].id);
    ck_assert_int_eq(all.item[found].group, FAILURE_HIDDEN);
    const char *first = strstr(all.item[found].events, PAIRS[i].first),
               *second = strstr(all.item[found].events, PAIRS[i].second);
    ck_assert_msg(first && second > first, "%s: %s", PAIRS[i].id, all.item[found].events);
  }
  ck_assert_int_lt(failures_find(&all, "set-4/status_frozen-trip"), 0); // it does not run: nothing can trip
  ck_assert_int_eq(count_of(&all, FAILURE_HIDDEN, "power plant"), 3 + 1 + 1 + 1);
  ck_assert_int_eq(count_of(&all, FAILURE_SINGLE, "generator"), 4 * 7);
  int batteries = 0;
  for (int i = 0; i < all.excluded_count; i++)
    batteries += failure_matches(all.excluded[i].id, "battery-*/*") && *all.excluded[i].why;
  ck_assert_int_eq(batteries, 2);
  failures_free(&all);
}
END_TEST

START_TEST(test_patterns) {
  ck_assert(failure_matches("gnss-1/drift", "gnss-1/drift"));
  ck_assert(failure_matches("gnss-1/drift", "gnss-*/dr*"));
  ck_assert(failure_matches("gnss-1/drift", "*"));
  ck_assert(!failure_matches("gnss-1/drift", "gnss-1/drif"));
  ck_assert(!failure_matches("gnss-1/drift", "gnss-2/*"));
  ck_assert(!failure_matches("", "a*"));
  ck_assert(failure_matches("", "*"));
}
END_TEST

START_TEST(test_exclusion_keeps_the_rest) {
  struct failures all;
  generate(TEST_SOURCE_DIR "/configs/osv-83m-instruments.yaml", NULL, 0, &all);
  int count = all.count, excluded = all.excluded_count;
  ck_assert_int_eq(failures_exclude(&all, "gyro-?/no_output", "none has this name"), 0);
  ck_assert_int_eq(failures_exclude(&all, "gyro-2/*", "not fitted"),
                   14 + 1); // and a hidden pair that begins with it
  ck_assert_int_eq(all.count, count - 15);
  ck_assert_int_eq(all.excluded_count, excluded + 15);
  ck_assert_str_eq(all.excluded[excluded].why, "not fitted");
  ck_assert_int_eq(failures_exclude(&all, "*", "all"), count - 16); // the run without a failure stays
  ck_assert_int_eq(all.count, 1);
  failures_free(&all);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("failures");
  TCase *all = add_case(suite, "failures", 60);
  tcase_add_test(all, test_station_keeping);
  tcase_add_test(all, test_identifiers_are_unique);
  tcase_add_test(all, test_no_fault_is_unnamed);
  tcase_add_test(all, test_hidden_faults_of_the_plant);
  tcase_add_test(all, test_patterns);
  tcase_add_test(all, test_exclusion_keeps_the_rest);
  return run_suite(suite);
}
