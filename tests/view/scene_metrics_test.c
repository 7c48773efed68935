// The text for Prometheus: fixed buckets from sparse ones, escapes, what is absent, a full buffer.
#include "view/scene/scene.h"

#include "sagbend/v1/operator.pb-c.h"
#include "sagbend/v1/telemetry.pb-c.h"

#include "suite.h"
#include <stdlib.h>
#include <string.h>

static struct metrics *metrics;
static char text[1 << 16];
static const struct metrics_view VIEW = {.has_data = 1, .clients = 3, .joined = 9, .sent = 100};

static void set_up(void) {
  metrics = metrics_create();
  ck_assert_ptr_nonnull(metrics);
}
static void tear_down(void) {
  metrics_free(metrics);
}

static void give(const char *type, const void *message) {
  const ProtobufCMessage *m = message;
  uint8_t *bytes = malloc(protobuf_c_message_get_packed_size(m) + 1);
  metrics_take(metrics, type, bytes, protobuf_c_message_pack(m, bytes));
  free(bytes);
}

static void write_all(void) {
  size_t size = metrics_write(metrics, &VIEW, text, sizeof text);
  ck_assert_uint_lt(size, sizeof text);
  text[size] = 0;
}

static void check_line(const char *line) {
  const char *at = strstr(text, line);
  ck_assert_msg(at && (at == text || at[-1] == '\n') && at[strlen(line)] == '\n', "no line '%s' in:\n%s",
                line, text);
}

static Sagbend__V1__Header *header(void) {
  static Sagbend__V1__Header h;
  static char session[] = "s-1";
  sagbend__v1__header__init(&h);
  h.protocol = 1;
  h.session = session;
  h.step = 1200;
  h.time_s = 12;
  return &h;
}

START_TEST(histograms) {
  double upper[] = {9, 10, 10.5, 99, 3e6};
  uint64_t counts[] = {1, 2, 4, 8, 16};
  Sagbend__V1__Histogram h = SAGBEND__V1__HISTOGRAM__INIT;
  Sagbend__V1__Timing t = SAGBEND__V1__TIMING__INIT;
  h.upper_us = upper;
  h.counts = counts;
  h.n_upper_us = h.n_counts = 5;
  t.header = header();
  t.late_steps = 18446744073709551615u;
  t.step_histogram = &h;
  give("sagbend.v1.Timing", &t);
  write_all();
  check_line("sagbend_steps_total 1200");
  check_line("sagbend_late_steps_total 18446744073709551615");
  check_line("sagbend_step_duration_seconds_bucket{le=\"5e-06\"} 0");
  check_line("sagbend_step_duration_seconds_bucket{le=\"1e-05\"} 3");
  check_line("sagbend_step_duration_seconds_bucket{le=\"2e-05\"} 7");
  check_line("sagbend_step_duration_seconds_bucket{le=\"0.0001\"} 15");
  check_line("sagbend_step_duration_seconds_bucket{le=\"1\"} 15");
  check_line("sagbend_step_duration_seconds_bucket{le=\"+Inf\"} 31");
  check_line("sagbend_step_duration_seconds_count 31");
  check_line("sagbend_step_duration_seconds_sum 48.000863");
  ck_assert_ptr_null(strstr(text, "sagbend_wakeup_lateness_seconds_bucket")); // absent
  ck_assert_ptr_nonnull(strstr(text, "# TYPE sagbend_wakeup_lateness_seconds histogram\n"));
}
END_TEST

START_TEST(verdicts_and_sessions) {
  Sagbend__V1__Status s = SAGBEND__V1__STATUS__INIT;
  Sagbend__V1__VerdictStatus v = SAGBEND__V1__VERDICT_STATUS__INIT, *list[] = {&v};
  char name[] = "a \"b\" \\ c";
  s.header = header();
  v.name = name;
  v.violations = 2;
  s.lag_s = 0.25;
  s.verdict = list;
  s.n_verdict = 1;
  metrics_begin_session(metrics, "s-1");
  give("sagbend.v1.Status", &s);
  write_all();
  check_line("sagbend_session_info{session=\"s-1\"} 1");
  check_line("sagbend_verdict_violations_total{verdict=\"a \\\"b\\\" \\\\ c\"} 2");
  check_line("sagbend_verdict_passes{verdict=\"a \\\"b\\\" \\\\ c\"} 0");
  ck_assert_ptr_null(strstr(text, "sagbend_verdict_margin{")); // it has none
  check_line("sagbend_steps_total 1200");
  check_line("sagbend_lag_seconds 0.25");
  Sagbend__V1__Timing t = SAGBEND__V1__TIMING__INIT; // an older message, and a newer one
  t.header = header();
  t.header->step = 1100;
  t.header->time_s = 11;
  t.lag_s = 0.125;
  give("sagbend.v1.Timing", &t);
  write_all();
  check_line("sagbend_simulated_time_seconds 12");
  check_line("sagbend_lag_seconds 0.25");
  t.header->step = 1300;
  give("sagbend.v1.Timing", &t);
  write_all();
  check_line("sagbend_steps_total 1300");
  check_line("sagbend_lag_seconds 0.125");
  check_line("sagbend_view_clients 3");
  metrics_begin_session(metrics, "s-2");
  write_all();
  ck_assert_ptr_null(strstr(text, "sagbend_verdict_passes{"));
  check_line("sagbend_session_info{session=\"s-2\"} 1");
}
END_TEST

START_TEST(the_tension_is_the_exact_one) {
  Sagbend__V1__Truth truth = SAGBEND__V1__TRUTH__INIT;
  Sagbend__V1__PipeTruth pipe = SAGBEND__V1__PIPE_TRUTH__INIT;
  Sagbend__V1__Sensors sensors = SAGBEND__V1__SENSORS__INIT;
  Sagbend__V1__PipeSensors sensed = SAGBEND__V1__PIPE_SENSORS__INIT;
  truth.header = sensors.header = header();
  write_all();
  ck_assert_ptr_null(strstr(text, "sagbend_hangoff_tension_newtons 2"));
  truth.pipe = &pipe; // of an older simulator
  sensed.hangoff_tension_n = 2e5;
  sensors.pipe = &sensed;
  give("sagbend.v1.Truth", &truth);
  give("sagbend.v1.Sensors", &sensors);
  write_all();
  check_line("sagbend_hangoff_tension_newtons 200000");
  pipe.hangoff_tension_n = 250e3;
  give("sagbend.v1.Truth", &truth);
  sensors.pipe = NULL; // instruments
  give("sagbend.v1.Sensors", &sensors);
  write_all();
  check_line("sagbend_hangoff_tension_newtons 250000");
}
END_TEST

START_TEST(a_full_buffer_ends_with_a_line) {
  for (size_t capacity = 1; capacity < 3000; capacity += 7) {
    size_t size = metrics_write(metrics, &VIEW, text, capacity);
    ck_assert_uint_le(size, capacity);
    ck_assert(!size || text[size - 1] == '\n');
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("view_metrics");
  TCase *cases = tcase_create("all");
  tcase_add_checked_fixture(cases, set_up, tear_down);
  tcase_add_test(cases, histograms);
  tcase_add_test(cases, verdicts_and_sessions);
  tcase_add_test(cases, the_tension_is_the_exact_one);
  tcase_add_test(cases, a_full_buffer_ends_with_a_line);
  suite_add_tcase(suite, cases);
  return run_suite(suite);
}
