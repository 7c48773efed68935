// Numbers too small for a full mantissa (denormals) take hundreds of cycles on some processors, and a program
// that flushes them to zero would get other bits. The processor's flags tell whether the steps of a closed
// loop have read or made one, or have lost a number by underflow: physics, DP, instruments and verdicts never
// do, and nothing turns flushing on.
#include "sagbend/sagbend.h"

#include "suite.h"

#include <stdio.h>

#ifdef __SSE2__
#include <xmmintrin.h>

// Bits of MXCSR: flags of exceptions; flush to zero and denormals are zero.
enum { READ = 0x02, MADE = 0x10, ALL_FLAGS = 0x3f, FLUSHING = 0x8040 };

static unsigned flags_of_steps(const char *name, const char *setting, double seconds) {
  sagbend_error error = {.size = sizeof error};
  sagbend_case *c = NULL;
  sagbend_sim *sim = NULL;
  char path[1024];
  snprintf(path, sizeof path, TEST_SOURCE_DIR "/configs/%s.yaml", name);
  ck_assert_msg(sagbend_case_open(path, &setting, setting != NULL, SAGBEND_CONTROLLER_INSIDE, &c, &error) ==
                    SAGBEND_OK,
                "%s", error.text);
  ck_assert_msg(sagbend_open(c, &sim, &error) == SAGBEND_OK, "%s", error.text);
  _mm_setcsr(_mm_getcsr() & ~(unsigned)ALL_FLAGS);
  ck_assert_int_eq(sagbend_step(sim, (uint64_t)(seconds / sagbend_step_s(sim)), NULL), SAGBEND_OK);
  unsigned flags = _mm_getcsr();
  sagbend_close(sim);
  sagbend_case_close(c);
  return flags;
}

// Without this check the flags could say nothing.
START_TEST(the_flags_tell) {
  volatile double small = 1e-300, smaller = 1e-310;
  _mm_setcsr(_mm_getcsr() & ~(unsigned)ALL_FLAGS);
  volatile double product = small * 1e-20;
  ck_assert_uint_eq(_mm_getcsr() & (READ | MADE), MADE);
  _mm_setcsr(_mm_getcsr() & ~(unsigned)ALL_FLAGS);
  product = smaller + smaller;
  ck_assert_uint_eq(_mm_getcsr() & (READ | MADE), READ);
  ck_assert_double_gt(product, 0);
}
END_TEST

START_TEST(no_step_meets_a_denormal) {
  static const char osv_dp[] = "controller.dp_file=osv-83m-dp.yaml",
                    gale[] = "environment.waves.significant_height_m=5";
  static const struct {
    const char *name;
    const char *setting;
    double seconds;
  } scenes[] = {{"vessel-only", NULL, 60},
                {"paper-iii", NULL, 60},
                {"jlay-900m", NULL, 20},
                {"jlay-900m-checked", NULL, 10},
                {"jlay-900m-hangoff", NULL, 20},
                {"jlay-900m-payout", NULL, 45},
                {"jlay-300m-initiation", NULL, 5},
                {"jlay-uneven", NULL, 5},
                {"osv-83m", osv_dp, 60},
                {"osv-83m-weather", osv_dp, 60},
                {"scenarios/common/osv", gale, 60},
                {"osv-83m-lay", NULL, 120},
                {"supply-83m-waves", NULL, 60},
                {"slay-100m", NULL, 10},
                {"slay-100m-waves", NULL, 10},
                {"slay-100m-lay", NULL, 10}};
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    unsigned flags = flags_of_steps(scenes[i].name, scenes[i].setting, scenes[i].seconds);
    ck_assert_msg(!(flags & (READ | MADE)), "%s: denormals%s%s", scenes[i].name, flags & READ ? " read" : "",
                  flags & MADE ? " made" : "");
    ck_assert_uint_eq(flags & FLUSHING, 0);
  }
}
END_TEST
#endif

int main(void) {
  Suite *suite = suite_create("denormals");
  TCase *steps = add_case(suite, "steps", 300);
#ifdef __SSE2__
  tcase_add_test(steps, the_flags_tell);
  tcase_add_test(steps, no_step_meets_a_denormal);
#else
  (void)steps;
#endif
  return run_suite(suite);
}
