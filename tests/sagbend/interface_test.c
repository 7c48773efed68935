// libsagbend as a host meets it: errors as data, the gate of commands, orders, states, rollouts, and a host
// that has its own locale, rounding, flush-to-zero, a small stack and no stderr.
#include "sagbend/sagbend.h"

#include "suite.h"

#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_OWN_ALLOCATOR
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_OWN_ALLOCATOR
#endif

#define CONFIGS TEST_SOURCE_DIR "/configs/"
#define FAULTY  "vessel.mass_kg=-3"

struct host {
  sagbend_case *c;
  sagbend_sim *s;
  sagbend_error error;
};

static struct host open_with(const char *path, const char *const *sets, size_t count, int controller) {
  struct host h = {.error = {.size = sizeof h.error}};
  ck_assert_msg(sagbend_case_open(path, sets, count, controller, &h.c, &h.error) == SAGBEND_OK, "%s",
                h.error.text);
  ck_assert_msg(sagbend_open(h.c, &h.s, &h.error) == SAGBEND_OK, "%s", h.error.text);
  return h;
}

static struct host open_host(const char *path, int controller) {
  return open_with(path, NULL, 0, controller);
}

static void close_host(struct host *h) {
  sagbend_close(h->s);
  sagbend_case_close(h->c);
}

static double value_of(const sagbend_sim *s, const char *name) {
  const uint32_t id = sagbend_find(s, name);
  double value = 0;
  ck_assert_msg(id != 0, "%s", name);
  ck_assert_int_eq(sagbend_get(s, &id, 1, &value), SAGBEND_OK);
  return value;
}

static sagbend_status set_value(struct host *h, const char *name, double value) {
  const uint32_t id = sagbend_find(h->s, name);
  return sagbend_set(h->s, &id, 1, &value, &h->error);
}

static void step(struct host *h, uint64_t steps) {
  ck_assert_int_eq(sagbend_step(h->s, steps, NULL), SAGBEND_OK);
}

// ---- Cases and their errors ----

START_TEST(errors_are_data) {
  sagbend_error e = {.size = sizeof e};
  sagbend_case *c = NULL;
  static const char text[] = "name: x\nsimulation:\n  step_s: 0\nvessel:\n  mass_kg: -3\n  nonsense: 1\n";
  ck_assert_int_eq(sagbend_case_open_text("here.yaml", text, strlen(text), NULL, 0, NULL, 0,
                                          SAGBEND_CONTROLLER_INSIDE, &c, &e),
                   SAGBEND_BAD_INPUT);
  ck_assert_ptr_nonnull(c);
  ck_assert_uint_ge(sagbend_case_error_count(c), 3);
  ck_assert_str_eq(e.file, "here.yaml"); // the first one: what is missing
  ck_assert_int_eq(e.line, 1);
  size_t at = 0;
  while (sagbend_case_error(c, at, &e) == SAGBEND_OK && strcmp(e.key, "simulation.step_s") != 0)
    at++;
  ck_assert_str_eq(e.key, "simulation.step_s");
  ck_assert_int_eq(e.line, 3);
  ck_assert_int_eq(e.column, 11);
  ck_assert_ptr_nonnull(strstr(e.text, "expected, got '0'"));
  ck_assert_int_eq(sagbend_case_error(c, sagbend_case_error_count(c), &e), SAGBEND_WRONG_CALL);
  sagbend_sim *s = NULL;
  ck_assert_int_eq(sagbend_open(c, &s, &e), SAGBEND_WRONG_CALL);
  ck_assert_ptr_null(s);
  sagbend_case_close(c);
}
END_TEST

START_TEST(errors_of_overrides_and_of_files) {
  sagbend_error e = {.size = sizeof e};
  sagbend_case *c = NULL;
  const char *sets[] = {FAULTY};
  ck_assert_int_eq(sagbend_case_open(CONFIGS "vessel-only.yaml", sets, 1, SAGBEND_CONTROLLER_CALLER, &c, &e),
                   SAGBEND_BAD_INPUT);
  ck_assert_str_eq(e.file, "--set");
  ck_assert_str_eq(e.key, "vessel.mass_kg");
  ck_assert_ptr_nonnull(strstr(e.text, "(in '" FAULTY "')"));
  sagbend_case_close(c);
  ck_assert_int_eq(sagbend_case_open("/nowhere/case.yaml", NULL, 0, SAGBEND_CONTROLLER_CALLER, &c, &e),
                   SAGBEND_BAD_INPUT);
  ck_assert_str_eq(e.file, "/nowhere/case.yaml");
  sagbend_case_close(c);
  ck_assert_int_eq(sagbend_case_open(NULL, NULL, 0, SAGBEND_CONTROLLER_CALLER, &c, &e), SAGBEND_WRONG_CALL);
}
END_TEST

// The controller is asked for, not set: a second answer would win without a word.
START_TEST(the_mode_is_no_override) {
  sagbend_error e = {.size = sizeof e};
  static const char *const sets[] = {"vessel.mass_kg=6e6", "simulation.mode=realtime"};
  for (int controller = SAGBEND_CONTROLLER_INSIDE; controller <= SAGBEND_CONTROLLER_CALLER; controller++) {
    sagbend_case *c = NULL;
    ck_assert_int_eq(sagbend_case_open(CONFIGS "vessel-only.yaml", sets, 2, controller, &c, &e),
                     SAGBEND_WRONG_CALL);
    ck_assert_ptr_null(c);
    ck_assert_ptr_nonnull(strstr(e.text, "simulation.mode is not allowed as an override"));
  }
}
END_TEST

START_TEST(a_section_with_a_mode_does_not_win) {
  static const char *const sets[][2] = {{"simulation.step_s=0.01", "simulation.duration_s=9"},
                                        {"simulation={step_s: 0.01, duration_s: 9, mode: lockstep}"}};
  uint64_t hash[2];
  for (int i = 0; i < 2; i++) {
    struct host h = open_with(CONFIGS "jlay-900m.yaml", sets[i], i ? 1 : 2, SAGBEND_CONTROLLER_INSIDE);
    ck_assert_int_eq(sagbend_order(h.s, "set-point --north 50", NULL, &h.error), SAGBEND_OK);
    step(&h, 200);
    hash[i] = sagbend_hash(h.s);
    close_host(&h);
  }
  ck_assert_uint_eq(hash[0], hash[1]);
}
END_TEST

// After an error *out is never what it was before.
START_TEST(a_wrong_call_leaves_no_handle) {
  struct host h = open_host(CONFIGS "vessel-only.yaml", SAGBEND_CONTROLLER_CALLER);
  sagbend_case *const old_case = h.c, *c = old_case;
  sagbend_sim *s = h.s;
  ck_assert_int_eq(sagbend_case_open(NULL, NULL, 0, SAGBEND_CONTROLLER_CALLER, &c, NULL), SAGBEND_WRONG_CALL);
  ck_assert_ptr_null(c);
  c = old_case;
  ck_assert_int_eq(
      sagbend_case_open_text("x", NULL, 0, NULL, 0, NULL, 0, SAGBEND_CONTROLLER_CALLER, &c, NULL),
      SAGBEND_WRONG_CALL);
  ck_assert_ptr_null(c);
  ck_assert_int_eq(sagbend_open(NULL, &s, NULL), SAGBEND_WRONG_CALL);
  ck_assert_ptr_null(s);
  s = h.s;
  step(&h, 1);
  ck_assert_int_eq(sagbend_open_beside(h.s, &s, NULL), SAGBEND_WRONG_CALL);
  ck_assert_ptr_null(s);
  close_host(&h);
}
END_TEST

// Without a size that reaches to its end no file is read, nor a part of one.
START_TEST(files_without_their_size_are_refused) {
  sagbend_error e = {.size = sizeof e};
  sagbend_file file = {.path = "other.yaml", .text = "name: x\n", .bytes = 8};
  for (file.size = 0; file.size < sizeof file; file.size++) {
    sagbend_case *c = NULL;
    ck_assert_int_eq(sagbend_case_open_text("here.yaml", "name: x\n", 8, &file, 1, NULL, 0,
                                            SAGBEND_CONTROLLER_INSIDE, &c, &e),
                     SAGBEND_WRONG_CALL);
    ck_assert_ptr_null(c);
    ck_assert_ptr_nonnull(strstr(e.text, "files with their size"));
  }
}
END_TEST

// Of more errors than are kept only those that are kept count.
START_TEST(the_rest_of_many_errors_is_no_error) {
  enum { KEYS = 600, KEPT = 500, ROOM = 16 };
  sagbend_error e = {.size = sizeof e};
  sagbend_case *c = NULL;
  char *text = calloc(KEYS, ROOM);
  for (int i = 0; i < KEYS; i++)
    snprintf(text + strlen(text), ROOM, "unknown%d: 1\n", i);
  ck_assert_int_eq(sagbend_case_open_text("here.yaml", text, strlen(text), NULL, 0, NULL, 0,
                                          SAGBEND_CONTROLLER_INSIDE, &c, &e),
                   SAGBEND_BAD_INPUT);
  ck_assert_uint_eq(sagbend_case_error_count(c), KEPT);
  ck_assert_int_eq(sagbend_case_error(c, KEPT - 1, &e), SAGBEND_OK);
  ck_assert_int_gt(e.line, 0);
  sagbend_case_close(c);
  free(text);
}
END_TEST

// A caller of an earlier version has smaller structs; beyond them nothing is written.
START_TEST(a_smaller_struct_is_not_exceeded) {
  struct host h = open_host(CONFIGS "vessel-only.yaml", SAGBEND_CONTROLLER_CALLER);
  union {
    sagbend_variable whole;
    unsigned char bytes[sizeof(sagbend_variable)];
  } v;
  memset(&v, 0x5a, sizeof v);
  v.whole.size = offsetof(sagbend_variable, kind);
  ck_assert_int_eq(sagbend_variable_at(h.s, 0, &v.whole), SAGBEND_OK);
  ck_assert_uint_ne(v.whole.id, 0x5a5a5a5au);
  for (size_t i = offsetof(sagbend_variable, kind); i < sizeof v.bytes; i++)
    ck_assert_uint_eq(v.bytes[i], 0x5a);
  ck_assert_uint_eq(v.whole.size, offsetof(sagbend_variable, kind));
  close_host(&h);
}
END_TEST

// ---- Variables ----

START_TEST(variables_have_one_number_each) {
  struct host h = open_host(CONFIGS "osv-83m-everything.yaml", SAGBEND_CONTROLLER_CALLER);
  const size_t count = sagbend_variable_count(h.s);
  ck_assert_uint_gt(count, 200);
  uint32_t last = 0;
  int inputs = 0;
  for (size_t i = 0; i < count; i++) {
    sagbend_variable v = {.size = sizeof v};
    ck_assert_int_eq(sagbend_variable_at(h.s, i, &v), SAGBEND_OK);
    ck_assert_uint_gt(v.id, last); // sorted, so none is there twice
    ck_assert_uint_lt(v.id, 0x80000000u);
    ck_assert_uint_eq(sagbend_find(h.s, v.name), v.id);
    ck_assert_msg(*v.unit && *v.meaning, "%s", v.name);
    last = v.id;
    inputs += v.kind == SAGBEND_INPUT;
  }
  ck_assert_int_gt(inputs, 7);
  ck_assert_uint_eq(sagbend_find(h.s, "no.such.thing"), 0);
  close_host(&h);
}
END_TEST

// These two names have the same number, and with it all that begins with them.
START_TEST(two_names_of_one_number_are_refused) {
  sagbend_error e = {.size = sizeof e};
  sagbend_case *c = NULL;
  sagbend_sim *s = NULL;
  const char *sets[] = {"instruments=[{name: chzyojeg, kind: gnss, position_b_m: [0, 0, 0], rate_hz: 1}, "
                        "{name: vhybpfio, kind: gnss, position_b_m: [0, 0, 0], rate_hz: 1}]"};
  ck_assert_msg(sagbend_case_open(CONFIGS "vessel-only.yaml", sets, 1, SAGBEND_CONTROLLER_CALLER, &c, &e) ==
                    SAGBEND_OK,
                "%s", e.text);
  ck_assert_int_eq(sagbend_open(c, &s, &e), SAGBEND_BAD_INPUT);
  ck_assert_ptr_null(s);
  ck_assert_ptr_nonnull(strstr(e.text, "two variables have the same number: rename what sensor."));
  sagbend_case_close(c);
}
END_TEST

// All or nothing: a wrong number changes no value.
START_TEST(a_wrong_number_changes_nothing) {
  struct host h = open_host(CONFIGS "vessel-only.yaml", SAGBEND_CONTROLLER_CALLER);
  const uint32_t ids[2] = {sagbend_find(h.s, "time_s"), 0};
  double values[2] = {-1, -1};
  uint64_t made = 7;
  size_t done = 7;
  ck_assert_int_eq(sagbend_get(h.s, ids, 2, values), SAGBEND_WRONG_CALL);
  ck_assert_double_eq(values[0], -1);
  ck_assert_int_eq(sagbend_step(NULL, 1, &made), SAGBEND_WRONG_CALL);
  ck_assert_uint_eq(made, 0);
  ck_assert_int_eq(sagbend_rollout(h.s, 2, 5, NULL, 0, NULL, ids, 2, values, &done, &h.error),
                   SAGBEND_WRONG_CALL);
  ck_assert_uint_eq(done, 0);
  done = 7;
  ck_assert_int_eq(sagbend_rollout(h.s, 2, 5, NULL, 0, NULL, ids, 1, NULL, &done, &h.error),
                   SAGBEND_WRONG_CALL);
  ck_assert_int_eq(sagbend_rollout(h.s, 2, 5, ids, 1, values, NULL, 0, NULL, &done, &h.error),
                   SAGBEND_WRONG_CALL);
  ck_assert_uint_eq(done, 0);
  ck_assert_int_eq(sagbend_rollout(NULL, 2, 5, NULL, 0, NULL, NULL, 0, NULL, &done, &h.error),
                   SAGBEND_WRONG_CALL);
  ck_assert_uint_eq(sagbend_steps(h.s), 0);
  ck_assert_double_eq(values[0], -1);
  close_host(&h);
}
END_TEST

// The number is that of the name, and no other: FNV-1a of 32 bits without its highest one.
START_TEST(numbers_follow_from_names) {
  struct host h = open_host(CONFIGS "jlay-900m.yaml", SAGBEND_CONTROLLER_CALLER);
  uint32_t hash = 2166136261u;
  for (const char *c = "command.engaged"; *c; c++)
    hash = (hash ^ (unsigned char)*c) * 16777619u;
  ck_assert_uint_eq(sagbend_find(h.s, "command.engaged"), hash & 0x7fffffffu);
  close_host(&h);
  h = open_host(CONFIGS "slay-100m.yaml", SAGBEND_CONTROLLER_INSIDE); // its own controller: no inputs
  ck_assert_uint_eq(sagbend_find(h.s, "command.engaged"), 0);
  close_host(&h);
}
END_TEST

// ---- Commands ----

START_TEST(inputs_are_judged_together_and_change_all_or_nothing) {
  struct host h = open_host(CONFIGS "jlay-900m.yaml", SAGBEND_CONTROLLER_CALLER);
  const uint32_t ids[2] = {sagbend_find(h.s, "command.wrench.surge_n"),
                           sagbend_find(h.s, "command.wrench.sway_n")};
  const double good[2] = {1e5, 2e5}, bad[2] = {3e5, 1e99}, none[2] = {NAN, 0};
  ck_assert_int_eq(sagbend_set(h.s, ids, 2, good, &h.error), SAGBEND_OK);
  ck_assert_int_eq(sagbend_set(h.s, ids, 2, bad, &h.error), SAGBEND_BAD_INPUT);
  ck_assert_ptr_nonnull(strstr(h.error.text, "command.wrench.sway_n: a number from "));
  ck_assert_int_eq(sagbend_set(h.s, ids, 2, none, &h.error), SAGBEND_BAD_INPUT);
  ck_assert_double_eq(value_of(h.s, "command.wrench.surge_n"), 1e5);
  ck_assert_int_eq(set_value(&h, "vessel.north_m", 1), SAGBEND_WRONG_CALL);
  ck_assert_int_eq(set_value(&h, "command.engaged", 0.5), SAGBEND_BAD_INPUT);
  close_host(&h);
}
END_TEST

// Until it engages nothing reaches the vessel; then the wrench moves it, from the next control sample on.
START_TEST(a_command_moves_the_vessel) {
  struct host still = open_host(CONFIGS "jlay-900m.yaml", SAGBEND_CONTROLLER_CALLER), h = still;
  ck_assert_int_eq(sagbend_open_beside(still.s, &h.s, &h.error), SAGBEND_OK);
  ck_assert_int_eq(set_value(&h, "command.wrench.surge_n", 1e5), SAGBEND_OK);
  step(&still, 20), step(&h, 20);
  ck_assert_uint_eq(sagbend_hash(still.s), sagbend_hash(h.s));
  ck_assert_int_eq(set_value(&h, "command.engaged", 1), SAGBEND_OK);
  step(&still, 100), step(&h, 100);
  ck_assert_double_gt(fabs(value_of(h.s, "vessel.surge_mps") - value_of(still.s, "vessel.surge_mps")), 1e-4);
  ck_assert_uint_eq(sagbend_commands_refused(h.s, NULL), 0);
  sagbend_close(still.s);
  close_host(&h);
}
END_TEST

// ---- Orders, events, verdicts ----

START_TEST(orders_are_checked_like_an_operators) {
  struct host h = open_host(CONFIGS "jlay-900m.yaml", SAGBEND_CONTROLLER_INSIDE);
  uint64_t number = 0;
  step(&h, 10);
  ck_assert_int_eq(sagbend_order(h.s, "clear nothing", &number, &h.error), SAGBEND_BAD_INPUT);
  ck_assert_ptr_nonnull(strstr(h.error.text, "the name of an active fault or all expected"));
  ck_assert_int_eq(sagbend_order(h.s, "pause", &number, &h.error), SAGBEND_BAD_INPUT);
  ck_assert_int_eq(sagbend_order(h.s, "dance", &number, &h.error), SAGBEND_BAD_INPUT);
  ck_assert_int_eq(sagbend_order(h.s, "set-point --north 5", &number, &h.error), SAGBEND_OK);
  ck_assert_uint_eq(number, 1);
  ck_assert_int_eq(
      sagbend_order(h.s, "fault loss --probability 0.5 --for 0.2 --name lossy", &number, &h.error),
      SAGBEND_OK);
  ck_assert_uint_eq(number, 2);
  ck_assert_int_eq(sagbend_order(h.s, "fault loss --probability 0.5 --name lossy", &number, &h.error),
                   SAGBEND_BAD_INPUT);
  step(&h, 100);
  int began = 0, ended = 0;
  for (size_t i = 0; i < sagbend_event_count(h.s); i++) {
    sagbend_event e = {.size = sizeof e};
    ck_assert_int_eq(sagbend_event_at(h.s, i, &e), SAGBEND_OK);
    began += !strcmp(e.name, "fault_began") && strstr(e.text, "lossy") && e.step == 10;
    ended += !strcmp(e.name, "fault_ended") && e.step > 10;
  }
  ck_assert_int_eq(began, 1);
  ck_assert_int_eq(ended, 1);
  close_host(&h);
}
END_TEST

// All events of a simulation as lines.
static char *events_of(const sagbend_sim *s) {
  char *lines = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&lines, &size);
  for (size_t i = 0; i < sagbend_event_count(s); i++) {
    sagbend_event e = {.size = sizeof e};
    ck_assert_int_eq(sagbend_event_at(s, i, &e), SAGBEND_OK);
    fprintf(out, "%d %s: %s\n", (int)e.step, e.name, e.text);
  }
  fclose(out);
  return lines;
}

static void assert_events(const sagbend_sim *s, const char *wanted) {
  char *got = events_of(s);
  ck_assert_str_eq(got, wanted);
  free(got);
}

// Back to any step, and on from it: each event is there once, as after the opening.
static void assert_same_events_again(struct host *h, uint64_t back, uint64_t steps) {
  const size_t size = sagbend_snapshot_size(h->s);
  unsigned char *state = malloc(size);
  step(h, back);
  ck_assert_int_eq(sagbend_snapshot(h->s, state, size), SAGBEND_OK);
  step(h, steps - back);
  char *wanted = events_of(h->s);
  ck_assert_int_eq(sagbend_restore(h->s, state, size, &h->error), SAGBEND_OK);
  step(h, steps - back);
  assert_events(h->s, wanted);
  ck_assert_int_eq(sagbend_reset(h->s, &h->error), SAGBEND_OK);
  step(h, steps);
  assert_events(h->s, wanted);
  ck_assert_int_eq(sagbend_reset(h->s, &h->error), SAGBEND_OK);
  free(wanted);
  free(state);
}

START_TEST(operations_are_told_again) {
  enum { LAST_STEP_OF_FIRST = 20, STEPS = 30 };
  const char *sets[] = {"simulation.step_s=0.05", "pipe.operations=[{name: one, mode: brake, until_s: 1}, "
                                                  "{name: two, mode: brake, until_s: 100}]"};
  struct host h = open_with(CONFIGS "jlay-300m-initiation.yaml", sets, 2, SAGBEND_CONTROLLER_INSIDE);
  for (uint64_t back = LAST_STEP_OF_FIRST - 2; back < LAST_STEP_OF_FIRST + 2; back++)
    assert_same_events_again(&h, back, STEPS);
  step(&h, STEPS);
  char *lines = events_of(h.s);
  const char *begins = strstr(lines, "operation: one begins, 1 of 2\n");
  ck_assert_ptr_nonnull(begins);
  ck_assert_ptr_null(strstr(begins + 1, "operation: one begins"));
  ck_assert_ptr_nonnull(strstr(lines, "operation: one ends\n"));
  free(lines);
  close_host(&h);
}
END_TEST

// An order by the caller in the first step after the opening, and after each way back.
START_TEST(an_order_for_the_tensioner_is_told_again) {
  static const char *const sets[] = {"network.accept_wrench=true"};
  struct host h = open_with(CONFIGS "osv-83m-lay.yaml", sets, 1, SAGBEND_CONTROLLER_CALLER);
  const uint32_t ids[3] = {sagbend_find(h.s, "command.engaged"), sagbend_find(h.s, "command.tensioner.mode"),
                           sagbend_find(h.s, "command.tensioner.tension_n")};
  const double tension[3] = {1, 1, 2e5};
  char *wanted = NULL;
  for (int turn = 0; turn < 2; turn++) {
    ck_assert_msg(sagbend_set(h.s, ids, 3, tension, &h.error) == SAGBEND_OK, "%s", h.error.text);
    step(&h, 2);
    ck_assert_uint_eq(sagbend_commands_refused(h.s, &h.error), 0);
    if (!turn)
      wanted = events_of(h.s);
    ck_assert_ptr_nonnull(strstr(wanted, "tensioner_order: tension 200000 N, by the controller\n"));
    assert_events(h.s, wanted);
    ck_assert_int_eq(sagbend_reset(h.s, &h.error), SAGBEND_OK);
  }
  free(wanted);
  close_host(&h);
}
END_TEST

START_TEST(a_reset_forgets_orders_before_the_first_step) {
  struct host h = open_host(CONFIGS "vessel-only.yaml", SAGBEND_CONTROLLER_CALLER);
  char *at_start = events_of(h.s);
  ck_assert_int_eq(sagbend_order(h.s, "fault loss --probability 0.5 --name lossy", NULL, &h.error),
                   SAGBEND_OK);
  ck_assert_uint_eq(sagbend_event_count(h.s), 1 + (*at_start ? 1 : 0));
  ck_assert_int_eq(sagbend_reset(h.s, &h.error), SAGBEND_OK);
  assert_events(h.s, at_start);
  free(at_start);
  close_host(&h);
}
END_TEST

#ifndef HAS_OWN_ALLOCATOR
// That an event could not be kept is told once. Not where a sanitizer's allocator ends the program instead.
START_TEST(a_lost_event_is_told_once) {
  struct host h = open_host(CONFIGS "vessel-only.yaml", SAGBEND_CONTROLLER_CALLER);
  struct rlimit whole, little;
  sagbend_status status = SAGBEND_OK;
  ck_assert_int_eq(getrlimit(RLIMIT_AS, &whole), 0);
  little = (struct rlimit){.rlim_cur = 1 << 20, .rlim_max = whole.rlim_max};
  ck_assert_int_eq(setrlimit(RLIMIT_AS, &little), 0); // less than there is: nothing is added
  for (int i = 0; i < 200000 && status == SAGBEND_OK; i++) {
    sagbend_order(h.s, "fault loss --probability 0.5 --name lossy", NULL, NULL);
    sagbend_order(h.s, "clear all", NULL, NULL);
    status = sagbend_step(h.s, 0, NULL);
  }
  const sagbend_status next = sagbend_step(h.s, 1, NULL);
  setrlimit(RLIMIT_AS, &whole);
  ck_assert_int_eq(status, SAGBEND_NO_MEMORY);
  ck_assert_int_eq(next, SAGBEND_OK);
  close_host(&h);
}
END_TEST
#endif

START_TEST(verdicts_and_nodes_are_those_of_the_case) {
  struct host h = open_host(CONFIGS "osv-83m-lay.yaml", SAGBEND_CONTROLLER_INSIDE);
  ck_assert_uint_eq(sagbend_verdict_count(h.s), 5);
  sagbend_verdict v = {.size = sizeof v};
  ck_assert_int_eq(sagbend_verdict_at(h.s, 0, &v), SAGBEND_OK);
  ck_assert_int_eq(v.result, SAGBEND_NOT_JUDGED);
  ck_assert_uint_eq(v.violated_step, UINT64_MAX);
  const size_t count = sagbend_node_count(h.s);
  double *rows = calloc(count, SAGBEND_NODE_COLUMNS * sizeof *rows);
  ck_assert_uint_gt(count, 20);
  ck_assert_int_eq(sagbend_nodes(h.s, rows, count - 1), SAGBEND_WRONG_CALL);
  ck_assert_int_eq(sagbend_nodes(h.s, rows, count), SAGBEND_OK);
  for (size_t i = 1; i < count; i++)
    ck_assert_double_gt(rows[i * SAGBEND_NODE_COLUMNS + 3], rows[(i - 1) * SAGBEND_NODE_COLUMNS + 3]);
  free(rows);
  close_host(&h);
}
END_TEST

// ---- States ----

// Back from a state that came after it, with another target, and beside: the same bits.
START_TEST(a_state_is_restored_in_place_and_beside) {
  struct host h = open_host(CONFIGS "jlay-900m.yaml", SAGBEND_CONTROLLER_INSIDE), other = h;
  ck_assert_int_eq(sagbend_open_beside(h.s, &other.s, &h.error), SAGBEND_OK);
  const size_t size = sagbend_snapshot_size(h.s);
  unsigned char *state = malloc(size + 1) /* not aligned */, *at = state + 1;
  step(&h, 37);
  ck_assert_int_eq(sagbend_snapshot(h.s, at, size), SAGBEND_OK);
  step(&h, 100);
  const uint64_t after = sagbend_hash(h.s);
  ck_assert_int_eq(sagbend_order(h.s, "set-point --north 9", NULL, &h.error), SAGBEND_OK);
  step(&h, 100);
  ck_assert_int_eq(sagbend_restore(h.s, at, size, &h.error), SAGBEND_OK);
  ck_assert_uint_eq(sagbend_steps(h.s), 37);
  step(&h, 100);
  ck_assert_uint_eq(sagbend_hash(h.s), after);
  ck_assert_int_eq(sagbend_restore(other.s, at, size, &h.error), SAGBEND_OK);
  step(&other, 100);
  ck_assert_uint_eq(sagbend_hash(other.s), after);
  ck_assert_int_eq(sagbend_reset(h.s, &h.error), SAGBEND_OK);
  step(&h, 137);
  ck_assert_uint_eq(sagbend_hash(h.s), after);
  free(state);
  sagbend_close(other.s);
  close_host(&h);
}
END_TEST

// What is shared stays as long as one needs it: the first is closed first, and the second before the third.
START_TEST(a_simulation_beside_needs_less_and_outlives_the_first) {
  static const char *const cases[] = {CONFIGS "jlay-900m.yaml", CONFIGS "osv-83m-lay.yaml"};
  static const size_t most[] = {700000, 1400000}; // half of what each needed before anything was shared
  for (int i = 0; i < 2; i++) {
    struct host h = open_host(cases[i], SAGBEND_CONTROLLER_INSIDE), second = h, third = h;
    step(&h, 0);
    ck_assert_int_eq(sagbend_open_beside(h.s, &second.s, &h.error), SAGBEND_OK);
    ck_assert_msg(sagbend_memory(second.s) <= most[i], "%zu bytes", sagbend_memory(second.s));
    ck_assert_uint_lt(sagbend_memory(second.s), sagbend_memory(h.s) / 2);
    step(&h, 20);
    ck_assert_int_eq(sagbend_open_beside(second.s, &third.s, &h.error), SAGBEND_OK);
    const uint64_t hash = sagbend_hash(h.s);
    sagbend_close(h.s);
    step(&second, 20);
    ck_assert_uint_eq(sagbend_hash(second.s), hash);
    ck_assert_int_eq(sagbend_reset(second.s, &h.error), SAGBEND_OK);
    sagbend_close(second.s);
    step(&third, 20);
    ck_assert_uint_eq(sagbend_hash(third.s), hash);
    ck_assert_int_eq(sagbend_reset(third.s, &h.error), SAGBEND_OK);
    step(&third, 20);
    ck_assert_uint_eq(sagbend_hash(third.s), hash);
    close_host(&third);
  }
}
END_TEST

// Damaged at every 64th byte, cut off at many sizes, of another case: refused, and the state stays.
START_TEST(a_damaged_state_changes_nothing) {
  struct host h = open_host(CONFIGS "vessel-only.yaml", SAGBEND_CONTROLLER_CALLER);
  struct host another = open_host(CONFIGS "paper-iii.yaml", SAGBEND_CONTROLLER_INSIDE);
  const size_t size = sagbend_snapshot_size(h.s);
  unsigned char *state = malloc(size), *foreign = malloc(sagbend_snapshot_size(another.s));
  ck_assert_int_eq(sagbend_snapshot(h.s, state, size), SAGBEND_OK);
  step(&h, 7);
  const uint64_t hash = sagbend_hash(h.s);
  for (size_t i = 0; i < size; i += 64) {
    state[i] ^= 0x40;
    ck_assert_msg(sagbend_restore(h.s, state, size, &h.error) == SAGBEND_BAD_INPUT, "byte %zu", i);
    state[i] ^= 0x40;
  }
  for (size_t n = 0; n < size; n += 61)
    ck_assert_int_eq(sagbend_restore(h.s, state, n, &h.error), SAGBEND_BAD_INPUT);
  ck_assert_int_eq(sagbend_snapshot(another.s, foreign, sagbend_snapshot_size(another.s)), SAGBEND_OK);
  ck_assert_int_eq(sagbend_restore(h.s, foreign, sagbend_snapshot_size(another.s), &h.error),
                   SAGBEND_BAD_INPUT);
  ck_assert_uint_eq(sagbend_hash(h.s), hash);
  ck_assert_uint_eq(sagbend_steps(h.s), 7);
  ck_assert_int_eq(sagbend_snapshot(h.s, state, size - 1), SAGBEND_WRONG_CALL);
  free(state);
  free(foreign);
  close_host(&h);
  close_host(&another);
}
END_TEST

// ---- Rollouts ----

START_TEST(a_rollout_is_its_steps) {
  enum { ROWS = 12, EVERY = 10 };
  struct host h = open_host(CONFIGS "jlay-900m.yaml", SAGBEND_CONTROLLER_CALLER), by_hand = h;
  ck_assert_int_eq(sagbend_open_beside(h.s, &by_hand.s, &h.error), SAGBEND_OK);
  const uint32_t in[2] = {sagbend_find(h.s, "command.engaged"), sagbend_find(h.s, "command.wrench.sway_n")};
  const uint32_t out[2] = {sagbend_find(h.s, "time_s"), sagbend_find(h.s, "vessel.sway_mps")};
  double inputs[ROWS][2], outputs[ROWS][2], value[2];
  size_t done = 0;
  for (int k = 0; k < ROWS; k++)
    inputs[k][0] = 1, inputs[k][1] = 1e4 * k;
  ck_assert_int_eq(sagbend_rollout(h.s, ROWS, EVERY, in, 2, *inputs, out, 2, *outputs, &done, &h.error),
                   SAGBEND_OK);
  ck_assert_uint_eq(done, ROWS);
  for (int k = 0; k < ROWS; k++) {
    ck_assert_int_eq(sagbend_set(by_hand.s, in, 2, inputs[k], &h.error), SAGBEND_OK);
    step(&by_hand, EVERY);
    ck_assert_int_eq(sagbend_get(by_hand.s, out, 2, value), SAGBEND_OK);
    ck_assert_int_eq(memcmp(value, outputs[k], sizeof value), 0);
  }
  ck_assert_uint_eq(sagbend_hash(h.s), sagbend_hash(by_hand.s));
  inputs[3][1] = INFINITY;
  ck_assert_int_eq(sagbend_rollout(h.s, ROWS, EVERY, in, 2, *inputs, out, 2, *outputs, &done, &h.error),
                   SAGBEND_BAD_INPUT);
  ck_assert_uint_eq(done, 3);
  sagbend_close(by_hand.s);
  close_host(&h);
}
END_TEST

// ---- The host ----

static uint64_t add_bits(uint64_t hash, const double *values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    hash = (hash ^ bits) * UINT64_C(0x100000001b3);
  }
  return hash;
}

// Of all values and nodes.
static uint64_t bits_of_values(const sagbend_sim *s, uint64_t hash) {
  const size_t nodes = sagbend_node_count(s);
  double *rows = calloc(nodes, SAGBEND_NODE_COLUMNS * sizeof *rows);
  for (size_t i = 0; i < sagbend_variable_count(s); i++) {
    sagbend_variable v = {.size = sizeof v};
    double value;
    ck_assert_int_eq(sagbend_variable_at(s, i, &v), SAGBEND_OK);
    ck_assert_int_eq(sagbend_get(s, &v.id, 1, &value), SAGBEND_OK);
    hash = add_bits(hash, &value, 1);
  }
  ck_assert_int_eq(sagbend_nodes(s, rows, nodes), SAGBEND_OK);
  hash = add_bits(hash, rows, nodes * SAGBEND_NODE_COLUMNS);
  free(rows);
  const double times[] = {sagbend_time(s), sagbend_period_s(s)};
  return add_bits(hash, times, 2);
}

// Of the state and of what is read from it.
static uint64_t hash_after_fifty(void) {
  struct host h = open_host(CONFIGS "slay-100m.yaml", SAGBEND_CONTROLLER_INSIDE);
  step(&h, 50);
  const uint64_t hash = bits_of_values(h.s, sagbend_hash(h.s));
  close_host(&h);
  return hash;
}

START_TEST(a_host_with_other_settings_has_the_same_bits) {
  const uint64_t wanted = hash_after_fifty();
  fesetround(FE_UPWARD);
#ifdef __SSE2__
  _mm_setcsr(_mm_getcsr() | 0x8040u); // flush to zero, denormals are zero
#endif
  if (!setlocale(LC_ALL, "de_DE.UTF-8"))
    fprintf(stderr, "notice: no locale with a decimal comma here\n");
  const uint64_t got = hash_after_fifty();
#ifdef __SSE2__
  ck_assert_uint_eq(_mm_getcsr() & 0x8040u, 0x8040u);
  _mm_setcsr(_mm_getcsr() & ~0x8040u);
#endif
  ck_assert_int_eq(fegetround(), FE_UPWARD);
  fesetround(FE_TONEAREST);
  setlocale(LC_ALL, "C");
  ck_assert_uint_eq(got, wanted);
}
END_TEST

// An error of a default has no place in a file, and its number a point, also under a decimal comma.
START_TEST(errors_do_not_follow_the_locale) {
  sagbend_error e = {.size = sizeof e};
  sagbend_case *c = NULL;
  const char *sets[] = {"simulation.step_s=-0.25"};
  setlocale(LC_ALL, "de_DE.UTF-8");
  ck_assert_int_eq(sagbend_case_open(CONFIGS "vessel-only.yaml", sets, 1, SAGBEND_CONTROLLER_CALLER, &c, &e),
                   SAGBEND_BAD_INPUT);
  setlocale(LC_ALL, "C");
  ck_assert_ptr_nonnull(strstr(e.text, "-0.25"));
  sagbend_case_close(c);
}
END_TEST

static void *in_small_stack(void *hash) {
  *(uint64_t *)hash = hash_after_fifty();
  return NULL;
}

START_TEST(a_thread_of_256_kib_is_enough) {
  pthread_attr_t attributes;
  pthread_t thread;
  uint64_t hash = 0;
  ck_assert_int_eq(pthread_attr_init(&attributes), 0);
  ck_assert_int_eq(pthread_attr_setstacksize(&attributes, 256 << 10), 0);
  ck_assert_int_eq(pthread_create(&thread, &attributes, in_small_stack, &hash), 0);
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
  ck_assert_uint_eq(hash, hash_after_fifty());
}
END_TEST

struct worker {
  const sagbend_case *c;
  uint64_t hash;
};

static void *work(void *worker) {
  struct worker *w = worker;
  sagbend_sim *s = NULL;
  if (sagbend_open(w->c, &s, NULL) == SAGBEND_OK && sagbend_step(s, 50, NULL) == SAGBEND_OK)
    w->hash = sagbend_hash(s);
  sagbend_close(s);
  return NULL;
}

START_TEST(threads_share_a_case) {
  enum { THREADS = 4 };
  struct host h = open_host(CONFIGS "slay-100m.yaml", SAGBEND_CONTROLLER_INSIDE);
  pthread_t thread[THREADS];
  struct worker worker[THREADS];
  for (int i = 0; i < THREADS; i++) {
    worker[i] = (struct worker){h.c, 0};
    ck_assert_int_eq(pthread_create(&thread[i], NULL, work, &worker[i]), 0);
  }
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  step(&h, 50);
  for (int i = 0; i < THREADS; i++)
    ck_assert_uint_eq(worker[i].hash, sagbend_hash(h.s));
  close_host(&h);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("sagbend");
  TCase *cases = add_case(suite, "cases", 60), *sims = add_case(suite, "simulations", 120),
        *host = add_case(suite, "host", 120);
  tcase_add_test(cases, errors_are_data);
  tcase_add_test(cases, errors_of_overrides_and_of_files);
  tcase_add_test(cases, the_mode_is_no_override);
  tcase_add_test(cases, a_section_with_a_mode_does_not_win);
  tcase_add_test(cases, a_wrong_call_leaves_no_handle);
  tcase_add_test(cases, files_without_their_size_are_refused);
  tcase_add_test(cases, the_rest_of_many_errors_is_no_error);
  tcase_add_test(cases, a_smaller_struct_is_not_exceeded);
  tcase_add_test(cases, variables_have_one_number_each);
  tcase_add_test(cases, two_names_of_one_number_are_refused);
  tcase_add_test(cases, a_wrong_number_changes_nothing);
  tcase_add_test(cases, numbers_follow_from_names);
  tcase_add_test(sims, inputs_are_judged_together_and_change_all_or_nothing);
  tcase_add_test(sims, a_command_moves_the_vessel);
  tcase_add_test(sims, orders_are_checked_like_an_operators);
  tcase_add_test(sims, operations_are_told_again);
  tcase_add_test(sims, an_order_for_the_tensioner_is_told_again);
  tcase_add_test(sims, a_reset_forgets_orders_before_the_first_step);
#ifndef HAS_OWN_ALLOCATOR
  tcase_add_test(sims, a_lost_event_is_told_once);
#endif
  tcase_add_test(sims, verdicts_and_nodes_are_those_of_the_case);
  tcase_add_test(sims, a_state_is_restored_in_place_and_beside);
  tcase_add_test(sims, a_simulation_beside_needs_less_and_outlives_the_first);
  tcase_add_test(sims, a_damaged_state_changes_nothing);
  tcase_add_test(sims, a_rollout_is_its_steps);
  tcase_add_test(host, a_host_with_other_settings_has_the_same_bits);
  tcase_add_test(host, errors_do_not_follow_the_locale);
  tcase_add_test(host, a_thread_of_256_kib_is_enough);
  tcase_add_test(host, threads_share_a_case);
  return run_suite(suite);
}
