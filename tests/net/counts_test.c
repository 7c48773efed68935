// How much of what peers do is worth a message of its own: budgets, and what has no event.
#include "net/counts/counts.h"

#include "suite.h"
#include <stdio.h>
#include <string.h>

// In every stretch of time no more than those at once and one for each pause within it.
START_TEST(a_budget_bounds_every_stretch) {
  enum { AT_ONCE = 5, EACH = 7, LAST = 4000 };
  struct budget budget = {0};
  static int taken[LAST]; // until this moment
  int count = 0;
  for (int now = 0; now < LAST; now++) {
    const int tries = now % 97 < 40 ? 3 : now % 11 == 0; // floods, and in between now and then
    for (int i = 0; i < tries; i++)
      count += budget_take(&budget, now, EACH, AT_ONCE);
    taken[now] = count;
  }
  for (int from = 0; from < LAST; from += 13)
    for (int to = from; to < LAST; to += 17)
      ck_assert_int_le(taken[to] - (from ? taken[from - 1] : 0), AT_ONCE + (to - from) / EACH + 1);
  ck_assert_int_gt(count, LAST / EACH / 2);
}
END_TEST

// The first use finds it full, whatever the clock says; so does one after a long rest.
START_TEST(a_budget_is_full_at_first_and_after_a_rest) {
  for (int begin = -1; begin < 2; begin++) {
    struct budget budget = {0};
    for (int k = 0; k < 2; k++) {
      const double now = begin * 1e9 + k * 1e6;
      for (int i = 0; i < 20; i++)
        ck_assert_int_eq(budget_take(&budget, now, 0.5, 20), 1);
      ck_assert_int_eq(budget_take(&budget, now, 0.5, 20), 0);
      ck_assert_int_eq(budget_take(&budget, now + 0.25, 0.5, 20), 0);
      ck_assert_int_eq(budget_take(&budget, now + 0.5, 0.5, 20), 1);
    }
  }
}
END_TEST

static const char *letter(int reason) {
  static char name[2];
  name[0] = (char)('a' + reason);
  return name;
}

// Time until the sum of a flood that begins at this moment.
static int64_t sum_after(struct unreported *unreported, int64_t begins_ms, int64_t most_ms) {
  char text[64] = "sum:";
  unreported_add(unreported, 1, begins_ms, most_ms);
  unreported_add(unreported, 0, begins_ms + 5, most_ms);
  unreported_add(unreported, 1, begins_ms + 6, most_ms);
  int64_t now_ms = begins_ms;
  while (!unreported_is_due(unreported, now_ms))
    now_ms++;
  ck_assert_uint_eq(unreported->in_all, 3);
  unreported_take(unreported, letter, text, sizeof text);
  ck_assert_str_eq(text, "sum: a 1 b 2");
  ck_assert_int_eq(unreported_is_due(unreported, INT64_MAX), 0);
  return now_ms - begins_ms;
}

START_TEST(the_sums_of_a_long_flood_become_rare) {
  struct unreported unreported = {0}, even = {0};
  int64_t now_ms = 1000, wanted_ms = SUM_AFTER_MS;
  for (int i = 0; i < 6; i++) {
    const int64_t after_ms = sum_after(&unreported, now_ms, 12 * SUM_AFTER_MS);
    ck_assert_int_eq(after_ms, wanted_ms);
    ck_assert_int_eq(sum_after(&even, now_ms, SUM_AFTER_MS), SUM_AFTER_MS);
    now_ms += after_ms;
    wanted_ms = wanted_ms < 6 * SUM_AFTER_MS ? 2 * wanted_ms : 12 * SUM_AFTER_MS;
  }
  now_ms += 24 * SUM_AFTER_MS + 1; // it has ended: the next one begins as the first did
  ck_assert_int_eq(sum_after(&unreported, now_ms, 12 * SUM_AFTER_MS), SUM_AFTER_MS);
}
END_TEST

// What does not fit is cut, and counted from zero again all the same.
START_TEST(a_sum_keeps_within_its_text) {
  struct unreported unreported = {0};
  char text[12] = "sum:";
  for (int i = 0; i < 8; i++)
    unreported_add(&unreported, i, 0, SUM_AFTER_MS);
  unreported_take(&unreported, letter, text, sizeof text);
  ck_assert_str_eq(text, "sum: a 1 b ");
  ck_assert_uint_eq(unreported.in_all, 0);
  ck_assert_uint_eq(unreported.of[7], 0);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("counts");
  TCase *tc = tcase_create("budgets");
  tcase_add_test(tc, a_budget_bounds_every_stretch);
  tcase_add_test(tc, a_budget_is_full_at_first_and_after_a_rest);
  tcase_add_test(tc, the_sums_of_a_long_flood_become_rare);
  tcase_add_test(tc, a_sum_keeps_within_its_text);
  suite_add_tcase(suite, tc);
  return run_suite(suite);
}
