// The step of the thrust at a changeover: what belongs to it, and what stays of it.
#include "sagbend/link/link.h"

#include "suite.h"

static const struct command_def DEF = {.period_steps = 10, .controllers = {.count = 2}};

// One step with this surge force asked for.
static void ask(struct bump *b, const struct command_latch *l, double surge_n) {
  const double asked_b[6] = {surge_n};
  struct reason why;
  bump_step(b, &DEF, l, asked_b, 0.01);
  ck_assert_msg(bump_is_valid(b, &why), "%s", why.text);
}

static void settle(struct bump *b, struct command_latch *l) {
  l->has_command = 1;
  for (int i = 0; i < 200; i++)
    ask(b, l, 1000 + i % 2);
}

START_TEST(a_jump_some_samples_later_belongs_to_the_changeover) {
  struct command_latch l = {0};
  struct bump b = {0};
  settle(&b, &l);
  l.changeover.count = 1; // the next one commands, and repeats the last command twice
  for (int i = 0; i < 20; i++)
    ask(&b, &l, 1000);
  ask(&b, &l, 9000);
  ck_assert_double_eq(bump_newest(&b).force_n, 8000);
  ck_assert_double_le(b.before.force_n, 1);
  ck_assert_double_le(b.usual.force_n, 1); // and is nothing usual
  for (int i = 0; i < 100; i++)
    ask(&b, &l, 9000);
  ask(&b, &l, 9500);
  ck_assert_double_eq(bump_newest(&b).force_n, 8000);
  ck_assert_double_eq(b.usual.force_n, 500);
}
END_TEST

START_TEST(a_changeover_that_does_not_take_place_leaves_the_one_before) {
  struct command_latch l = {0};
  struct bump b = {0};
  settle(&b, &l);
  l.changeover.count = 1;
  ask(&b, &l, 1300);
  for (int i = 0; i < 200; i++)
    ask(&b, &l, 1300);
  ck_assert_double_eq_tol(bump_newest(&b).force_n, 300, 1.01);
  l.changeover.since = 5; // taken from it, and the thrust is taken away
  ask(&b, &l, 0);
  ck_assert_double_eq(bump_newest(&b).force_n, 1300); // while it lasts
  l.changeover.since = 0;                             // the same one commands again
  for (int i = 0; i < 200; i++)
    ask(&b, &l, 0);
  ck_assert_double_eq_tol(bump_newest(&b).force_n, 300, 1.01);
  ck_assert_double_le(b.usual.force_n, 1);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("bump");
  TCase *tc = tcase_create("bump");
  tcase_add_test(tc, a_jump_some_samples_later_belongs_to_the_changeover);
  tcase_add_test(tc, a_changeover_that_does_not_take_place_leaves_the_one_before);
  suite_add_tcase(suite, tc);
  return run_suite(suite);
}
