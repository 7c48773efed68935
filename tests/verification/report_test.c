// sagbend verify can fail: a wrong reference, a value that is not a number, a case that judges no row.

#include "verification/harness/harness.h"
#include "verification/report/report.h"

#include "suite.h"

#include <check.h>
#include <math.h>
#include <string.h>

static const struct verify_setup setup = {.configs = TEST_SOURCE_DIR "/configs"};

START_TEST(a_number_is_judged) {
  struct verify_row row = {.value = 1.01, .low = 1, .high = 1, .limit = 0.02};
  verify_judge(&row);
  ck_assert_int_eq(row.ok, 1);
  ck_assert_double_eq_tol(row.error, 0.01, 1e-12);
  row.limit = 0.005;
  verify_judge(&row);
  ck_assert_int_eq(row.ok, 0);
  row = (struct verify_row){.value = 202, .low = 200, .high = 200, .kind = VERIFY_RELATIVE, .limit = 0.009};
  verify_judge(&row);
  ck_assert_int_eq(row.ok, 0);
  row.value = (double)NAN;
  row.limit = 1;
  verify_judge(&row);
  ck_assert_int_eq(row.ok, 0);
}
END_TEST

START_TEST(a_range_is_judged) {
  struct verify_row row = {.value = 5, .low = 4, .high = 6, .kind = VERIFY_RELATIVE, .limit = 0};
  verify_judge(&row);
  ck_assert_int_eq(row.ok, 1);
  row.value = 6.1;
  verify_judge(&row);
  ck_assert_int_eq(row.ok, 0);
  row.value = -3.9;
  verify_judge(&row);
  ck_assert_int_eq(row.ok, 0);
}
END_TEST

START_TEST(shown_rows_do_not_carry_a_case) {
  struct verify_result r = {0};
  verify_show(&r, "m", 1, 2, "shown");
  ck_assert_int_eq(verify_ok(&r), 0); // no row was judged
  verify_add(&r, VERIFY_ABSOLUTE, "m", 1, 1, 0, "judged");
  ck_assert_int_eq(verify_ok(&r), 1);
  verify_add(&r, VERIFY_ABSOLUTE, "m", 1, 2, 0.5, "wrong");
  ck_assert_int_eq(verify_ok(&r), 0);
  verify_free(&r);
  verify_add(&r, VERIFY_ABSOLUTE, "m", 1, 1, 0, "judged");
  verify_fail(&r, "stopped");
  ck_assert_int_eq(verify_ok(&r), 0);
  verify_free(&r);
}
END_TEST

// Each judged row of a case that holds fails once its reference is moved by more than its limit, and with it
// the case.
START_TEST(a_wrong_reference_fails_the_case) {
  const char *const names[] = {"statics-jlay", "elastica", "frame-forces", "terminal-velocity"};
  struct verify_result r;
  verify_run(verify_find(names[_i]), &setup, &r);
  ck_assert_int_eq(verify_ok(&r), 1);
  for (int i = 0; i < r.row_count; i++) {
    struct verify_row kept = r.rows[i];
    double size = kept.kind == VERIFY_RELATIVE ? fmax(fabs(kept.low), fabs(kept.high)) : 1;
    if (isinf(kept.limit))
      continue;
    r.rows[i].low += 2.5 * kept.limit * size, r.rows[i].high += 2.5 * kept.limit * size;
    verify_judge(&r.rows[i]);
    ck_assert_msg(!r.rows[i].ok && !verify_ok(&r), "%s: %s", names[_i], kept.quantity);
    r.rows[i] = kept;
  }
  ck_assert_int_eq(verify_ok(&r), 1);
  verify_free(&r);
}
END_TEST

START_TEST(a_missing_configuration_fails_the_case) {
  const struct verify_setup nowhere = {.configs = "/nonexistent"};
  struct verify_result r;
  verify_run(verify_find("statics-jlay"), &nowhere, &r);
  ck_assert_int_eq(verify_ok(&r), 0);
  ck_assert_int_ne(*r.failure, 0);
  verify_free(&r);
}
END_TEST

START_TEST(a_case_repeats_its_bits) {
  struct verify_result a, b;
  const struct verify_case *c = verify_find("passivity");
  struct verify_setup few = setup;
  few.attacks = 20; // of the 300 that the case has by itself
  verify_run(c, &few, &a), verify_run(c, &few, &b);
  ck_assert_int_eq(a.row_count, b.row_count);
  for (int i = 0; i < a.row_count; i++)
    ck_assert(memcmp(&a.rows[i].value, &b.rows[i].value, sizeof(double)) == 0);
  verify_free(&a), verify_free(&b);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("verify");
  TCase *t = add_case(suite, "verdict", 60);
  tcase_add_test(t, a_number_is_judged);
  tcase_add_test(t, a_range_is_judged);
  tcase_add_test(t, shown_rows_do_not_carry_a_case);
  tcase_add_loop_test(t, a_wrong_reference_fails_the_case, 0, 4);
  tcase_add_test(t, a_missing_configuration_fails_the_case);
  tcase_add_test(t, a_case_repeats_its_bits);
  return run_suite(suite);
}
