// Numbers too small for a full mantissa (denormals) take hundreds of cycles on some processors, and a program
// that flushes them to zero would get other bits. The processor's flags tell whether the steps of a closed
// loop have read or made one, or have lost a number by underflow: physics, DP, instruments and verdicts never
// do, and nothing turns flushing on.
#include "hil/closed_loop.h"
#include "setup/setup.h"

#include "suite.h"

#include <stdio.h>

#ifdef __SSE2__
#include <xmmintrin.h>

// Bits of MXCSR: flags of exceptions; flush to zero and denormals are zero.
enum { READ = 0x02, MADE = 0x10, ALL_FLAGS = 0x3f, FLUSHING = 0x8040 };

static unsigned flags_of_steps(const char *name, char *setting, double seconds) {
  static struct setup setup;
  static struct plant plant;
  static struct closed_loop loop;
  char path[1024];
  snprintf(path, sizeof path, TEST_SOURCE_DIR "/configs/%s.yaml", name);
  struct case_options options = {.config_path = path};
  if (setting)
    options.overrides[options.override_count++] = setting;
  ck_assert_int_eq(setup_load(&setup, &options, stderr), STATUS_OK);
  ck_assert_int_eq(plant_create(&plant, &setup, NULL), STATUS_OK);
  struct command_def def = setup_command_def(&setup, plant.sim);
  closed_loop_init(&loop, plant.sim, &plant.suite, &def, setup.has_dp ? &setup.dp.def : NULL,
                   &setup.config.scenario, NULL);
  _mm_setcsr(_mm_getcsr() & ~(unsigned)ALL_FLAGS);
  for (int steps = (int)(seconds / setup.config.sim.step_s); steps > 0; steps--)
    closed_loop_step(&loop, NULL);
  unsigned flags = _mm_getcsr();
  plant_free(&plant);
  setup_free(&setup);
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
  static char osv_dp[] = "controller.dp_file=osv-83m-dp.yaml",
              gale[] = "environment.waves.significant_height_m=5";
  static const struct {
    const char *name;
    char *setting;
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
