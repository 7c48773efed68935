#define _GNU_SOURCE // usleep
// src/view/limits: the limits for the capability plot, from programs that stand for sagbend capability.
#include "programs/view/view_program_internal.h"

#include "suite.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/view_limits_XXXXXX", program[64], runs[64];

// A program that counts its runs and says how many it has had.
static void write_program(const char *script) {
  FILE *file = fopen(program, "w");
  ck_assert_ptr_nonnull(file);
  fprintf(file, "#!/bin/sh\necho run >> %s\n%s\n", runs, script);
  fclose(file);
  ck_assert_int_eq(chmod(program, 0700), 0);
  unlink(runs);
}

// Prints an answer whose one limit is the speed of the current that it is asked for, after a notice.
static const char ANSWERS[] =
    "echo a notice\n"
    "printf '{\"model_hash\": \"00\", \"cases\": [{\"name\": \"intact\", \"directions\": "
    "[{\"limit_wind_mps\": %s, \"beyond_table\": false}]}]}\\n' ${7%,*}\n";

static int run_count(void) {
  char line[16];
  int count = 0;
  FILE *file = fopen(runs, "r");
  while (file && fgets(line, sizeof line, file))
    count++;
  if (file)
    fclose(file);
  return count;
}

static struct limits *open_limits(struct limits_case of) {
  struct limits *l;
  struct reason why;
  of.program = program;
  of.config = "case.yaml";
  ck_assert_int_eq(limits_open(&of, &l, &why), STATUS_OK);
  return l;
}

static cJSON *ask(struct limits *l, const char *query) {
  char *text = NULL;
  struct reason why = {""};
  ck_assert_msg(limits_response(l, "capability", query, &text, &why) == STATUS_OK, "%s", why.text);
  cJSON *answer = cJSON_Parse(text);
  free(text);
  return answer;
}

static const char *word(const cJSON *answer, const char *name) {
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(answer, name));
  return text ? text : "";
}

// The wind of the first case; -1: no case.
static double limit_of(const cJSON *answer) {
  const cJSON *one = cJSON_GetArrayItem(cJSON_GetObjectItem(answer, "cases"), 0);
  const cJSON *wind = cJSON_GetArrayItem(cJSON_GetObjectItem(one, "limit_wind_mps"), 0);
  return wind ? wind->valuedouble : -1;
}

// The answer once it is more than computing.
static cJSON *settled(struct limits *l, const char *query) {
  cJSON *answer = ask(l, query);
  while (!strcmp(word(answer, "state"), "computing")) {
    cJSON_Delete(answer);
    usleep(2000);
    answer = ask(l, query);
  }
  return answer;
}

static void check_ready(struct limits *l, const char *query, double limit) {
  cJSON *answer = settled(l, query);
  ck_assert_str_eq(word(answer, "state"), "ready");
  ck_assert_double_eq_tol(limit_of(answer), limit, 1e-9);
  cJSON_Delete(answer);
}

START_TEST(pages_that_watch_different_currents_do_not_take_turns_computing) {
  write_program(ANSWERS);
  struct limits *l = open_limits((struct limits_case){.config = NULL});
  for (int round = 0; round < 5; round++) {
    check_ready(l, "current=0.5,90&external=none", 0.5);
    check_ready(l, "current=1.26,270&external=none", 1.25);
    check_ready(l, "current=-0.0,11&external=none", 0);
    check_ready(l, "current=0,200&external=none", 0); // still water has no direction
  }
  ck_assert_int_eq(run_count(), 3);
  for (int i = 1; i <= 60; i++) { // more than are kept
    char query[64];
    snprintf(query, sizeof query, "current=%.2f,10&external=pipe", 0.1 * i);
    check_ready(l, query, 0.1 * i);
  }
  check_ready(l, "current=0.5,90&external=none", 0.5);
  ck_assert_int_eq(run_count(), 64);
  limits_close(l);
}
END_TEST

START_TEST(meanwhile_the_limits_of_the_nearest_current_are_shown) {
  write_program(ANSWERS);
  struct limits *l = open_limits((struct limits_case){.config = NULL});
  check_ready(l, "current=0.5,90&external=none", 0.5);
  check_ready(l, "current=0.4,270&external=none", 0.4);
  check_ready(l, "current=0.7,90&external=pipe", 0.7);
  write_program("sleep 1000");
  cJSON *answer = ask(l, "current=0.6,90&external=none");
  ck_assert_str_eq(word(answer, "state"), "computing");
  ck_assert_double_eq_tol(limit_of(answer), 0.5, 1e-9);
  cJSON_Delete(answer);
  check_ready(l, "current=0.4,270&external=none", 0.4); // what is known needs no process
  limits_close(l);
}
END_TEST

START_TEST(a_failure_says_why_and_is_tried_again_after_some_time) {
  write_program("echo first; echo case.yaml:3: a number expected; echo >&2; exit 2");
  struct limits *l = open_limits((struct limits_case){.failure_s = 1000});
  for (int i = 0; i < 5; i++) {
    static const char *const queries[] = {"current=1,0&external=none", "current=2,0&external=none"};
    cJSON *answer = settled(l, queries[i % 2]);
    ck_assert_str_eq(word(answer, "state"), "failed");
    ck_assert_str_eq(word(answer, "reason"), "case.yaml:3: a number expected");
    cJSON_Delete(answer);
  }
  ck_assert_int_eq(run_count(), 2);
  limits_close(l);

  l = open_limits((struct limits_case){.failure_s = 0.01});
  cJSON *answer = ask(l, "current=1,0&external=none");
  write_program(ANSWERS); // the configuration is mended
  while (strcmp(word(answer, "state"), "ready") != 0) {
    cJSON_Delete(answer);
    usleep(2000);
    answer = ask(l, "current=1,0&external=none");
  }
  cJSON_Delete(answer);
  limits_close(l);
}
END_TEST

START_TEST(what_is_no_answer_is_a_failure) {
  static const char *const scripts[] = {"exit 0", "kill -9 $$", "printf '{\"cases\": 3}\\n'", "printf '{\\n'",
                                        "printf '[1]\\n'"};
  for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
    write_program(scripts[i]);
    struct limits *l = open_limits((struct limits_case){.config = NULL});
    cJSON *answer = settled(l, "current=1,0&external=none");
    ck_assert_str_eq(word(answer, "state"), "failed");
    ck_assert_str_ne(word(answer, "reason"), "");
    cJSON_Delete(answer);
    limits_close(l);
  }
  unlink(program);
  struct limits *l = open_limits((struct limits_case){.config = NULL});
  cJSON *answer = settled(l, "current=1,0&external=none");
  ck_assert_str_eq(word(answer, "state"), "failed");
  ck_assert_msg(strstr(word(answer, "reason"), "cannot be started") != NULL, "%s", word(answer, "reason"));
  cJSON_Delete(answer);
  limits_close(l);
}
END_TEST

START_TEST(a_process_that_takes_too_long_is_ended) {
  write_program("exec sleep 1000");
  struct limits *l = open_limits((struct limits_case){.patience_s = 0.05});
  cJSON *answer = settled(l, "current=1,0&external=none");
  ck_assert_str_eq(word(answer, "state"), "failed");
  ck_assert_msg(strstr(word(answer, "reason"), "longer than 0.05 s") != NULL, "%s", word(answer, "reason"));
  cJSON_Delete(answer);
  limits_close(l);
}
END_TEST

START_TEST(it_computes_below_the_priority_of_a_session) {
  write_program("until [ $(nice) -ge 10 ]; do sleep 0.01; done; echo '{\"cases\": []}'");
  struct limits *l = open_limits((struct limits_case){.patience_s = 20});
  cJSON *answer = settled(l, "current=1,0&external=none");
  ck_assert_str_eq(word(answer, "state"), "ready");
  cJSON_Delete(answer);
  limits_close(l);
}
END_TEST

START_TEST(a_question_that_is_none_starts_nothing) {
  static const char *const queries[] = {"",
                                        "current=1",
                                        "current=1,2",
                                        "current=-1,2&external=none",
                                        "current=nan,2&external=none",
                                        "current=1,inf&external=none",
                                        "current=1,361&external=none",
                                        "current=1,2&external=rope",
                                        "current=99,2&external=pipe",
                                        "current=1,2&external=none --set x=1"};
  write_program(ANSWERS);
  struct limits *l = open_limits((struct limits_case){.config = NULL});
  for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
    char *text = NULL;
    struct reason why;
    ck_assert_msg(limits_response(l, "capability", queries[i], &text, &why) == STATUS_BAD_INPUT, "%s",
                  queries[i]);
    ck_assert_ptr_null(text);
  }
  ck_assert_int_eq(run_count(), 0);
  limits_close(l);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("view/limits");
  TCase *tests = add_case(suite, "processes", 60);
  if (!mkdtemp(folder))
    return 1;
  snprintf(program, sizeof program, "%s/program", folder);
  snprintf(runs, sizeof runs, "%s/runs", folder);
  tcase_add_test(tests, pages_that_watch_different_currents_do_not_take_turns_computing);
  tcase_add_test(tests, meanwhile_the_limits_of_the_nearest_current_are_shown);
  tcase_add_test(tests, a_failure_says_why_and_is_tried_again_after_some_time);
  tcase_add_test(tests, what_is_no_answer_is_a_failure);
  tcase_add_test(tests, a_process_that_takes_too_long_is_ended);
  tcase_add_test(tests, it_computes_below_the_priority_of_a_session);
  tcase_add_test(tests, a_question_that_is_none_starts_nothing);
  int failed = run_suite(suite);
  unlink(program);
  unlink(runs);
  rmdir(folder);
  return failed;
}
