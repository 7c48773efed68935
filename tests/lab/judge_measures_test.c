// The measures by which trials compare two controllers: what is equal or better is not worse, what is clearly
// larger is, and an alarm that no longer comes is.
#include "lab/judge/judge.h"

#include "suite.h"
#include <math.h>
#include <string.h>

static void fill(double m[MEASURE_COUNT], double value) {
  for (int i = 0; i < MEASURE_COUNT; i++)
    m[i] = value;
}

START_TEST(equal_and_better_runs_are_not_worse) {
  double then[MEASURE_COUNT], now[MEASURE_COUNT];
  fill(then, 10);
  fill(now, 10);
  ck_assert_int_eq(measures_worse(now, then, 0), MEASURE_COUNT);
  fill(now, 5);
  ck_assert_int_eq(measures_worse(now, then, 0), MEASURE_COUNT);
  fill(now, NAN);
  now[MEASURE_DETECTED] = 1; // an alarm that did not come before
  ck_assert_int_eq(measures_worse(now, then, 0), MEASURE_COUNT);
}
END_TEST

START_TEST(each_measure_that_grows_is_found) {
  double then[MEASURE_COUNT], now[MEASURE_COUNT];
  for (int m = 0; m < MEASURE_COUNT; m++) {
    fill(then, 10);
    fill(now, 10);
    now[m] = 1e9;
    ck_assert_int_eq(measures_worse(now, then, 0), m);
    ck_assert_int_eq(measures_worse(now, then, m + 1), MEASURE_COUNT);
    ck_assert(strstr(measures_text((enum measure)m, now, then).text, "there 10"));
  }
}
END_TEST

START_TEST(an_alarm_that_no_longer_comes_is_worse) {
  double then[MEASURE_COUNT], now[MEASURE_COUNT];
  fill(then, 10);
  fill(now, 10);
  now[MEASURE_DETECTED] = NAN;
  ck_assert_int_eq(measures_worse(now, then, 0), MEASURE_DETECTED);
  then[MEASURE_DETECTED] = NAN;
  ck_assert_int_eq(measures_worse(now, then, 0), MEASURE_COUNT);
}
END_TEST

START_TEST(measures_are_read_from_results) {
  cJSON *run = cJSON_Parse("{\"metrics\": {\"offset_m\": 1.5, \"detected_s\": null}}");
  double m[MEASURE_COUNT];
  measures_read(run, m);
  ck_assert_double_eq(m[MEASURE_OFFSET], 1.5);
  ck_assert(isnan(m[MEASURE_DETECTED]) && isnan(m[MEASURE_POWER]));
  cJSON_Delete(run);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("measures of trials");
  TCase *c = add_case(suite, "measures", 10);
  tcase_add_test(c, equal_and_better_runs_are_not_worse);
  tcase_add_test(c, each_measure_that_grows_is_found);
  tcase_add_test(c, an_alarm_that_no_longer_comes_is_worse);
  tcase_add_test(c, measures_are_read_from_results);
  return run_suite(suite);
}
