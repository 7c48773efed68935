// Base functions: rounding of seconds to steps, the FNV hash against its published vectors, negative zeros.
#include "core/base/fnv.h"
#include "core/base/steps.h"
#include "core/base/zeros.h"
#include "suite.h"

#include <math.h>
#include <string.h>

START_TEST(each_rounding_to_steps_has_its_own_ties) {
  ck_assert_uint_eq(steps_in_period(0.1, 0.02), 5);
  ck_assert_uint_eq(steps_in_period(1.25, 0.5), 2); // 2.5: to the even step
  ck_assert_uint_eq(steps_in_period(1.75, 0.5), 4); // 3.5
  ck_assert_uint_eq(steps_in_period(0.001, 0.1), 1);
  ck_assert_uint_eq(steps_in_period(0, 0.1), 1);
  ck_assert_uint_eq(steps_in_period_or_off(0, 0.1), 0);
  ck_assert_uint_eq(steps_in_period_or_off(-1, 0.1), 0);
  ck_assert_uint_eq(steps_in_period_or_off(0.001, 0.1), 1);
  ck_assert_uint_eq(steps_nearest_to(1.25, 0.5), 3); // 2.5: to the later step
  ck_assert_uint_eq(steps_nearest_to(0.04, 0.1), 0);
  ck_assert_uint_eq(steps_up(0.2, 0.1), 2);
  ck_assert_uint_eq(steps_up(0.20009, 0.1), 2); // below the tolerance
  ck_assert_uint_eq(steps_up(0.2002, 0.1), 3);
  ck_assert_uint_eq(steps_up(0, 0.1), 0);
  ck_assert_uint_eq(steps_down(0.29, 0.1), 2);
  ck_assert_uint_eq(steps_in_period(1e30, 0.1), STEPS_MOST);
  ck_assert_uint_eq(steps_nearest_to(1e30, 0.1), STEPS_MOST);
  ck_assert_uint_eq(steps_up(1e30, 0.1), STEPS_MOST);
  ck_assert_uint_eq(steps_down(1e30, 0.1), STEPS_MOST);
  ck_assert(steps_is_whole(0.3, 0.1));
  ck_assert(steps_is_whole(0.30009, 0.1));
  ck_assert(!steps_is_whole(0.3002, 0.1));
}
END_TEST

START_TEST(fnv_has_its_published_values) { // RFC 9923, test vectors of FNV-1a with 64 bits
  ck_assert(fnv1a(FNV1A_START, "", 0) == UINT64_C(0xcbf29ce484222325));
  ck_assert(fnv1a(FNV1A_START, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
  ck_assert(fnv1a(FNV1A_START, "foobar", 6) == UINT64_C(0x85944171f73967e8));
  ck_assert(fnv1a(fnv1a(FNV1A_START, "foo", 3), "bar", 3) == UINT64_C(0x85944171f73967e8));
}
END_TEST

START_TEST(only_negative_zeros_change) {
  double values[5] = {-0.0, 0.0, -1.5, (double)INFINITY, (double)NAN}, before[5];
  memcpy(before, values, sizeof values);
  unsign_zeros(values, 5);
  ck_assert(!signbit(values[0]) && values[0] == 0);
  ck_assert_mem_eq(values + 1, before + 1, sizeof values - sizeof *values);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("base");
  TCase *t = add_case(suite, "base", 10);
  tcase_add_test(t, each_rounding_to_steps_has_its_own_ties);
  tcase_add_test(t, fnv_has_its_published_values);
  tcase_add_test(t, only_negative_zeros_change);
  return run_suite(suite);
}
