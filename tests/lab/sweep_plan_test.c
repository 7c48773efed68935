// Plans of a sweep: their points, their random values, and values as overrides.
#define _DEFAULT_SOURCE
#include "lab/plan/plan.h"
#include "sagbend/yaml/yaml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h" // after the others: Check defines fail as a macro

// Reads a plan from a text. Its base only has to be there.
static enum status read_text(const char *text, struct plan *plan, char *errors, size_t size) {
  char path[] = "/tmp/sweep-plan-XXXXXX";
  FILE *file = fdopen(mkstemp(path), "w"), *out = fmemopen(errors, size, "w");
  ck_assert_ptr_nonnull(file);
  fprintf(file, "base: %s\n%s", TEST_SOURCE_DIR "/README.md", text);
  fclose(file);
  enum status status = plan_read(path, plan, out);
  fclose(out);
  unlink(path);
  return status;
}

static void read_good(const char *text, struct plan *plan) {
  char errors[4096] = "";
  ck_assert_msg(read_text(text, plan, errors, sizeof errors) == STATUS_OK, "%s", errors);
}

static const char *setting(const struct plan *plan, int number, const char *key) {
  static struct plan_point point;
  static char text[256];
  ck_assert_int_eq(plan_point_make(plan, number, &point), STATUS_OK);
  *text = '\0';
  for (int i = 0; i < point.setting_count; i++) // the last one wins, as on the command line
    if (!strncmp(point.text[i], key, strlen(key)) && point.text[i][strlen(key)] == '=')
      snprintf(text, sizeof text, "%s", point.text[i] + strlen(key) + 1);
  plan_point_free(&point);
  return text;
}

START_TEST(test_last_axis_is_fastest) {
  struct plan plan;
  read_good("vary:\n- {key: a.b, values: [x, [1, 2], {c: 'off', d: {e: 3}}]}\n- {key: f, from: 0, to: 0.3, "
            "step: 0.1}\n",
            &plan);
  ck_assert_int_eq(plan.point_count, 12);
  ck_assert_str_eq(setting(&plan, 1, "a.b"), "x");
  ck_assert_str_eq(setting(&plan, 1, "f"), "0");
  ck_assert_str_eq(setting(&plan, 4, "f"), "0.3");
  ck_assert_str_eq(setting(&plan, 5, "a.b"), "[1, 2]");
  ck_assert_str_eq(setting(&plan, 12, "a.b.c"), "\"off\"");
  ck_assert_str_eq(setting(&plan, 12, "a.b.d.e"), "3");
  plan_free(&plan);
}
END_TEST

START_TEST(test_evenly_spaced) {
  struct plan plan;
  read_good("vary:\n- {key: f, from: -1, to: 1, count: 5}\n", &plan);
  static const char *const expected[] = {"-1", "-0.5", "0", "0.5", "1"};
  ck_assert_int_eq(plan.point_count, 5);
  for (int i = 0; i < 5; i++)
    ck_assert_str_eq(setting(&plan, i + 1, "f"), expected[i]);
  plan_free(&plan);
  read_good("vary:\n- {key: f, from: 0, to: 1, step: 0.3}\n", &plan); // the last one does not reach 1
  ck_assert_int_eq(plan.point_count, 4);
  ck_assert_str_eq(setting(&plan, 4, "f"), "0.9");
  plan_free(&plan);
}
END_TEST

// Draws depend on seed, column and number only, not on the axes or on other random values.
START_TEST(test_draws_are_their_own) {
  struct plan small, large, other;
  char value[64];
  read_good("draws: 3\nrandom:\n- {key: u, uniform: [5, 6]}\n", &small);
  read_good("draws: 9\nvary:\n- {key: f, values: [1, 2]}\nrandom:\n- {key: n, normal: [0, 1]}\n- {key: u, "
            "uniform: [5, 6]}\n",
            &large);
  read_good("seed: 2\ndraws: 3\nrandom:\n- {key: u, uniform: [5, 6]}\n", &other);
  for (int draw = 1; draw <= 3; draw++) {
    snprintf(value, sizeof value, "%s", setting(&small, draw, "u"));
    ck_assert_str_eq(setting(&large, draw, "u"), value);
    ck_assert_str_eq(setting(&large, 9 + draw, "u"), value);
    ck_assert_str_ne(setting(&other, draw, "u"), value);
  }
  snprintf(value, sizeof value, "%s", setting(&small, 1, "u"));
  ck_assert_str_ne(setting(&small, 2, "u"), value);
  plan_free(&small);
  plan_free(&large);
  plan_free(&other);
}
END_TEST

START_TEST(test_distributions) {
  enum { DRAWS = 4000 };
  struct plan plan;
  double uniform = 0, normal = 0, square = 0;
  int count[4] = {0};
  read_good(
      "draws: 4000\nrandom:\n- {key: u, uniform: [-2, 4]}\n- {key: n, normal: [10, 3]}\n- {key: w, whole: "
      "[2, 5]}\n",
      &plan);
  for (int draw = 1; draw <= DRAWS; draw++) {
    double u = strtod(setting(&plan, draw, "u"), NULL), n = strtod(setting(&plan, draw, "n"), NULL);
    long w = strtol(setting(&plan, draw, "w"), NULL, 10);
    ck_assert(u >= -2 && u < 4 && w >= 2 && w <= 5);
    uniform += u / DRAWS;
    normal += n / DRAWS;
    square += (n - 10) * (n - 10) / DRAWS;
    count[w - 2]++;
  }
  ck_assert_double_eq_tol(uniform, 1, 0.12); // four standard deviations of the mean
  ck_assert_double_eq_tol(normal, 10, 0.2);
  ck_assert_double_eq_tol(sqrt(square), 3, 0.14);
  for (int i = 0; i < 4; i++)
    ck_assert_int_lt(abs(count[i] - DRAWS / 4), 110);
  plan_free(&plan);
}
END_TEST

START_TEST(test_errors_have_places) {
  struct plan plan;
  char errors[4096] = "";
  ck_assert_int_eq(read_text("vary:\n- {key: a, values: []}\n- {key: b, from: 2, to: 1, step: 1}\nbad: 1\n",
                             &plan, errors, sizeof errors),
                   STATUS_BAD_INPUT);
  ck_assert_ptr_nonnull(strstr(errors, ":3:20: error: vary.0.values: a list of at least one value expected"));
  ck_assert_ptr_nonnull(strstr(errors, ":4:25: error: vary.1.to: a number above from expected, got '1'"));
  ck_assert_ptr_nonnull(strstr(errors, ":5:1: error: bad: unknown key"));
  plan_free(&plan);
}
END_TEST

// A value in flow style is the same value when it is read again.
START_TEST(test_flow_text_is_read_back) {
  static const char *const texts[] = {"[1, -2.5e3, off, 'off', \"a \\\"b\\\" \\\\ c\", ~, '5', 'tcp://*:1', "
                                      "'', 'a: b', '- x', \"tab\\there\"]",
                                      "{a: {b: [1, [2, 3]]}, 'c d': [], e: {}, 'x: y': \"\\u00e4\"}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct tree first = {0}, second = {0};
    struct error_list errors = {0};
    struct source source = {.name = "text"};
    char *flow = node_flow_text(tree_parse(&first, &source, texts[i], strlen(texts[i]), &errors));
    ck_assert_ptr_nonnull(flow);
    ck_assert_ptr_null(strchr(flow, '\t'));
    char *again = node_flow_text(tree_parse(&second, &source, flow, strlen(flow), &errors));
    ck_assert_int_eq(errors.count, 0);
    ck_assert_str_eq(again, flow);
    free(flow);
    free(again);
    tree_free(&first);
    tree_free(&second);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("sweep plan");
  TCase *all = add_case(suite, "plan", 60);
  tcase_add_test(all, test_last_axis_is_fastest);
  tcase_add_test(all, test_evenly_spaced);
  tcase_add_test(all, test_draws_are_their_own);
  tcase_add_test(all, test_distributions);
  tcase_add_test(all, test_errors_have_places);
  tcase_add_test(all, test_flow_text_is_read_back);
  return run_suite(suite);
}
