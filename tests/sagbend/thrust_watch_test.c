// Supervision of thrusters: silent while drives, link and feedback keep within their limits, and right about
// what does not.
#include "sagbend/thrust/thrust.h"

#include "sagbend/math/math.h"
#include "suite.h"

#include <math.h>
#include <string.h>

enum { COUNT = 2, DELAYS = 5 };
static const double STEP_S = 0.1;
static const struct thruster_watch_def WATCH = {.deviation_share = 0.005, .deviation_s = 20};

static struct actuator_def tunnel(void) {
  return (struct actuator_def){.kind = THRUSTER_TUNNEL,
                               .thrust_max_n = 230e3,
                               .thrust_astern = 1,
                               .revolutions_max_rpm = 140,
                               .response_s = 2,
                               .stroke_s = 12,
                               .power_max_w = 2e6};
}

// Two thrusters whose set-points arrive with a jitter, and the feedback of which has a constant error and
// noise.
struct rig {
  struct random_stream random;
  struct actuator_def actuator[COUNT];
  struct thruster_watch watch;
  double lag_s, stroke_s, error, noise;
  double stroke[COUNT], sent[DELAYS][COUNT];
  uint64_t step, acting;
  struct thruster_feedback feedback[COUNT];
};

static void rig_start(struct rig *r, uint64_t seed) {
  memset(r, 0, sizeof *r);
  r->random = random_stream_of(seed);
  r->lag_s = 2 * random_uniform(&r->random);
  r->stroke_s = 2 + 9 * random_uniform(&r->random);
  r->error = 0.004 * (2 * random_uniform(&r->random) - 1);
  r->noise = 0.0009;
  for (int i = 0; i < COUNT; i++) {
    r->actuator[i] = tunnel();
    r->feedback[i].ready = r->feedback[i].running = 1;
  }
  thruster_watch_start(&r->watch, 0);
}

static void drive(struct rig *r, int i, double set) {
  double way = (set - r->stroke[i]) * (r->lag_s > 0 ? 1 - exp(-STEP_S / r->lag_s) : 1),
         most = STEP_S / r->stroke_s;
  r->stroke[i] += fmax(-most, fmin(most, way));
}

static void show(struct rig *r, int i, double factor) {
  double shown = r->stroke[i] + r->error + r->noise * (2 * random_uniform(&r->random) - 1);
  r->feedback[i].revolutions_rpm = 140 * factor * shown;
  r->feedback[i].power_w = 2e6 * pow(fabs(r->stroke[i]), 3);
}

// Set-points like those of a law in a sea: slow and fast parts, each thruster its own.
static double set_point(const struct rig *r, int i) {
  double t = STEP_S * (double)r->step;
  return 0.3 * sin(t / 29 + i) + (0.25 + 0.02 * i) * sin(t / 3.1) + 0.1;
}

// One sample, the command of which comes up to 0.4 s later.
static void sample(struct rig *r, const char *failure) {
  uint64_t delay = 1 + (uint64_t)(4 * random_uniform(&r->random));
  double stroke[COUNT], none[COUNT] = {0};
  r->step++;
  for (int i = 0; i < COUNT; i++)
    stroke[i] = r->sent[r->step % DELAYS][i] = set_point(r, i);
  thruster_watch_sent(&r->watch, COUNT, r->step, STEP_S * (double)r->step, stroke, none);
  if (r->step > delay && r->step - delay > r->acting)
    r->acting = r->step - delay;
  for (int i = 0; i < COUNT; i++) {
    int fails = failure && i == 0;
    double set = r->sent[r->acting % DELAYS][i];
    if (fails && strcmp(failure, "to full") == 0)
      drive(r, i, 1);
    else if (!(fails && strcmp(failure, "stuck") == 0))
      drive(r, i, set);
    show(r, i, fails && strcmp(failure, "feedback") == 0 ? 0.5 : 1);
  }
  if (failure && strcmp(failure, "copy") == 0)
    r->feedback[0] = r->feedback[1];
  struct thruster_feedback *feedback[COUNT] = {&r->feedback[0], &r->feedback[1]};
  const int is_short[COUNT] = {0};
  thruster_watch_sample(&r->watch, &WATCH, r->actuator, COUNT, feedback, is_short, r->acting,
                        STEP_S * (double)(r->step + 1));
}

static void run(struct rig *r, double duration_s, const char *failure) {
  for (int n = 0; n < (int)(duration_s / STEP_S); n++)
    sample(r, failure);
}

START_TEST(without_a_failure_it_is_silent) {
  for (uint64_t seed = 1; seed <= 40; seed++) {
    struct rig r;
    rig_start(&r, seed);
    for (int n = 0; n < 20000; n++) {
      sample(&r, NULL);
      for (int i = 0; i < COUNT; i++)
        ck_assert_int_eq(r.watch.verdict[i], THRUSTER_FOLLOWS);
    }
  }
}
END_TEST

START_TEST(each_failure_is_named_in_time_and_forgotten) {
  static const struct {
    const char *name;
    enum thruster_verdict verdict;
    double within_s;
  } failures[] = {{"to full", THRUSTER_DEVIATES, 10},
                  {"stuck", THRUSTER_DEVIATES, 30},
                  {"feedback", THRUSTER_MISREPORTS, 30},
                  {"copy", THRUSTER_COPIES, 30}};
  for (uint64_t seed = 1; seed <= 20; seed++)
    for (size_t k = 0; k < sizeof failures / sizeof *failures; k++) {
      struct rig r;
      rig_start(&r, seed);
      run(&r, 200, NULL);
      run(&r, failures[k].within_s, failures[k].name);
      ck_assert_int_eq(r.watch.verdict[0], failures[k].verdict);
      ck_assert_int_eq(r.watch.verdict[1], THRUSTER_FOLLOWS);
      run(&r, 200, NULL);
      ck_assert_int_eq(r.watch.verdict[0], THRUSTER_FOLLOWS);
    }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("thruster watch");
  TCase *tc = add_case(suite, "thruster watch", 60);
  tcase_add_test(tc, without_a_failure_it_is_silent);
  tcase_add_test(tc, each_failure_is_named_in_time_and_forgotten);
  return run_suite(suite);
}
