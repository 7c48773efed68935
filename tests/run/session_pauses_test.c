// Accounting of pauses: counted, added up and kept, with a clock that the test gives.
#include "run/session/session.h"

#include "suite.h"
#include <string.h>

static const uint64_t SECOND_NS = 1000000000;

static struct pause pause_at(uint64_t step, uint64_t begin_s) {
  struct pause pause = {.step = step, .time_s = 0.01 * (double)step, .begin_ns = begin_s * SECOND_NS};
  strcpy(pause.why, "ordered");
  strcpy(pause.operator_name, "anna");
  return pause;
}

START_TEST(pauses_add_up) {
  struct pauses p = {0};
  struct pause first = pause_at(100, 10), second = pause_at(200, 30);
  pauses_end(&p, 5 * SECOND_NS); // none is there
  ck_assert_uint_eq(pauses_ns(&p, 9 * SECOND_NS), 0);
  pauses_begin(&p, &first);
  ck_assert_int_eq(p.now, 1);
  ck_assert_uint_eq(pauses_ns(&p, 12 * SECOND_NS), 2 * SECOND_NS); // it goes on
  pauses_begin(&p, &second);                                       // a pause within a pause is none
  ck_assert_uint_eq(p.count, 1);
  pauses_end(&p, 15 * SECOND_NS);
  pauses_end(&p, 16 * SECOND_NS);
  ck_assert_int_eq(p.now, 0);
  ck_assert_uint_eq(pauses_ns(&p, 29 * SECOND_NS), 5 * SECOND_NS);

  second.halted = 1;
  pauses_begin(&p, &second);
  ck_assert_uint_eq(pauses_ns(&p, 31 * SECOND_NS), 6 * SECOND_NS);
  ck_assert_uint_eq(p.count, 2);
  ck_assert_double_eq(pause_s(&p.kept[0], 31 * SECOND_NS), 5);
  ck_assert_double_eq(pause_s(&p.kept[1], 31 * SECOND_NS), 1);
  ck_assert(p.kept[1].halted && p.kept[1].step == 200 && !p.kept[0].halted);
  ck_assert_str_eq(p.kept[0].operator_name, "anna");
}
END_TEST

START_TEST(the_first_ones_are_kept_and_all_are_counted) {
  struct pauses p = {0};
  for (uint64_t i = 0; i < 3 * PAUSES_KEPT; i++) {
    struct pause pause = pause_at(i, 10 * i);
    pauses_begin(&p, &pause);
    pauses_end(&p, (10 * i + 1) * SECOND_NS);
  }
  ck_assert_uint_eq(p.count, 3 * PAUSES_KEPT);
  ck_assert_uint_eq(pauses_ns(&p, 0), 3 * PAUSES_KEPT * SECOND_NS);
  ck_assert_uint_eq(p.kept[PAUSES_KEPT - 1].step, PAUSES_KEPT - 1);
  ck_assert_double_eq(pause_s(&p.kept[PAUSES_KEPT - 1], 0), 1);
  ck_assert_uint_eq(p.newest.step, 3 * PAUSES_KEPT - 1);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("pauses");
  TCase *tc = add_case(suite, "pauses", 4);
  tcase_add_test(tc, pauses_add_up);
  tcase_add_test(tc, the_first_ones_are_kept_and_all_are_counted);
  return run_suite(suite);
}
