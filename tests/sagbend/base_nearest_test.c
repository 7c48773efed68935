// The nearest word of a list: a true metric of changes, found in the whole list, and none where none is near.
#include "sagbend/base/base.h"
#include "suite.h"

#include <string.h>

START_TEST(changes_are_counted) {
  static const struct {
    const char *a, *b;
    int distance;
  } cases[] = {{"", "", 0},
               {"", "abc", 3},
               {"gyro", "gyro", 0},
               {"gyro", "gryo", 1},
               {"gyro", "giro", 1},
               {"gyro", "gyros", 1},
               {"kitten", "sitting", 3},
               {"ca", "abc", 3},
               {"GNSS", "gnss", 0},
               {"lay-back", "lay_back", 0},
               {"abcd", "badc", 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ck_assert_int_eq(nearest_distance(cases[i].a, cases[i].b), cases[i].distance);
    ck_assert_int_eq(nearest_distance(cases[i].b, cases[i].a), cases[i].distance);
  }
  char longer[100];
  memset(longer, 'a', 99);
  longer[99] = '\0';
  ck_assert_int_eq(nearest_distance(longer, "a"), LONG_WORDS);
  ck_assert_int_eq(nearest_distance("a", longer), LONG_WORDS);
}
END_TEST

static const char *nearest_of(const char *wanted) {
  static const char *const words[] = {"run",        "replay", "serve", "tension_n",
                                      "approach_s", "x52",    "x60",   "capability"};
  struct nearest nearest = nearest_to(wanted);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    nearest_try(&nearest, words[i]);
  return nearest.word ? nearest.word : "";
}

START_TEST(the_nearest_word_is_found) {
  ck_assert_str_eq(nearest_of("rnu"), "run");
  ck_assert_str_eq(nearest_of("reply"), "replay");
  ck_assert_str_eq(nearest_of("capabilty"), "capability");
  ck_assert_str_eq(nearest_of("TENSION-N"), "tension_n");
  ck_assert_str_eq(nearest_of("approach"), "approach_s"); // a beginning
  ck_assert_str_eq(nearest_of("cap"), "capability");
  ck_assert_str_eq(nearest_of("y52"), "x52");
}
END_TEST

START_TEST(a_word_that_is_far_suggests_nothing) {
  static const char *const far[] = {"", "a", "qq", "spectrum", "x80", "y80", "n"};
  for (size_t i = 0; i < sizeof far / sizeof *far; i++)
    ck_assert_str_eq(nearest_of(far[i]), "");
  struct nearest nearest = nearest_to("nothing");
  const struct nearest_hint hint = nearest_hint(&nearest);
  ck_assert_str_eq(hint.text, "");
  nearest_try(&nearest, "nothign");
  const struct nearest_hint suggested = nearest_hint(&nearest);
  ck_assert_str_eq(suggested.text, ", did you mean nothign?");
}
END_TEST

int main(void) {
  Suite *suite = suite_create("nearest");
  TCase *t = add_case(suite, "nearest", 10);
  tcase_add_test(t, changes_are_counted);
  tcase_add_test(t, the_nearest_word_is_found);
  tcase_add_test(t, a_word_that_is_far_suggests_nothing);
  return run_suite(suite);
}
