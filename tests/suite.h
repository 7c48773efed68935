// The runner of all Check programs in this directory.
#pragma once

#include <check.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

// Check writes a line to a file at every assertion that holds, to know where a test was when a signal ended
// it: in loops over steps a quarter of the processor time. Here the place is remembered, and written when the
// signal comes, or when a sanitizer has written its report and ends the test.
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(realtime_sanitizer)
#define SUITE_SANITIZED 1
#endif
#endif
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SUITE_SANITIZED 1
#endif
#ifdef SUITE_SANITIZED
#include <sanitizer/common_interface_defs.h>
#endif
static const char *_Atomic suite_file;
static atomic_int suite_line;

static inline void suite_remember(const char *file, int line) {
  atomic_store_explicit(&suite_file, file, memory_order_relaxed);
  atomic_store_explicit(&suite_line, line, memory_order_relaxed);
}

static inline void suite_write_place(void) {
  const char *file = atomic_load(&suite_file);
  if (file)
    _mark_point(file, atomic_load(&suite_line));
}

static inline void suite_end(int number) {
  suite_write_place();
  raise(number);
}

static inline void suite_watch_signals(void) {
#ifdef SUITE_SANITIZED
  __sanitizer_set_death_callback(suite_write_place);
#endif
  static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  struct sigaction action = {.sa_handler = suite_end, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)}, before;
  for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
    if (sigaction(fatal[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL) // not a sanitizer's
      sigaction(fatal[i], &action, NULL);
}
#define _mark_point(file, line) suite_remember(file, line)

// The share of a long scene that is run. Under sanitizers, which find faults of memory and are many times
// slower, tools/check sets SAGBEND_SHORT: there a tenth does.
static inline double scene_share(void) {
  return getenv("SAGBEND_SHORT") ? 0.1 : 1;
}

// Whether a scene that is run in several sizes of step is run in this one: there the coarse ones do, which
// take the same paths.
static inline int scene_is_run(double step_s) {
  return !getenv("SAGBEND_SHORT") || step_s >= 0.05;
}

static inline int run_suite(Suite *suite) {
  suite_watch_signals();
  SRunner *r = srunner_create(suite);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed > 0;
}

static inline TCase *add_case(Suite *suite, const char *name, double timeout_s) {
  TCase *t = tcase_create(name);
  tcase_set_timeout(t, timeout_s);
  suite_add_tcase(suite, t);
  return t;
}
