// The monitor of feedback: a vessel as a point with mass under laws of known signs and frames, in steady
// weather and in waves.
#include "sagbend/events/events.h"
#include "sagbend/monitor/monitor.h"

#include "sagbend/vessel/vessel.h"

#include "suite.h"

#include <complex.h>
#include <math.h>

static const double STEP_S = 0.05, MASS_KG = 5e6, INERTIA_KGM2 = 2e9;
static const double STIFFNESS = 5e4, DAMPING = 4e5; // N/m, N s/m
#define J complex_number(0, 1)                      // I is of type float
static const double PI = 3.14159265358979323846;

// A law F = turn (-stiffness (x - target) - damping (v - target's velocity)), N, in a world that pushes.
struct scene {
  double complex turn;      // 1: right; -1: wrong sign; exp(i phi): another frame
  double complex weather_n; // not held by the law at first: the motion begins
  double damping;           // share of DAMPING
  double wave_m;            // motion with the waves, which the law does not see
  double move_m, move_s;    // a move north that the law plans by itself, from 20 s on, smooth
  double heading_rad;
  double yaw_sign; // of the law of the heading
  double seconds;
};

// Share of the force that acts along the heading, and the speed there at first.
static double along = 1, along_mps;

static double complex planned(const struct scene *s, double t_s) {
  const double share = s->move_s > 0 ? (t_s - 20) / s->move_s : 0, u = share < 0 ? 0 : share > 1 ? 1 : share;
  return s->move_m * u * u * u * (10 - 15 * u + 6 * u * u);
}

static struct notices run(const struct scene *s) {
  static struct feedback_monitor m;
  struct notices notices = {0};
  double complex x = 0, v = along_mps * cexp(J * s->heading_rad);
  double yaw = s->heading_rad, rate = 0.002;
  m = (struct feedback_monitor){0};
  for (uint64_t step = 1; (double)step * STEP_S <= s->seconds; step++) {
    const double t = (double)step * STEP_S;
    const double complex target = planned(s, t), speed = (planned(s, t + STEP_S) - target) / STEP_S;
    double complex force = s->turn * (-STIFFNESS * (x - target) - s->damping * DAMPING * (v - speed));
    if (along < 1) {
      const double complex own = force * cexp(-J * s->heading_rad);
      force = complex_number(along * creal(own), cimag(own)) * cexp(J * s->heading_rad);
    }
    const double moment = s->yaw_sign * (-2e7 * (yaw - s->heading_rad) - 2e8 * rate);
    v += STEP_S * (force + s->weather_n) / MASS_KG;
    x += STEP_S * v;
    rate += STEP_S * moment / INERTIA_KGM2;
    yaw += STEP_S * rate;

    const double complex body = force * cexp(-J * yaw);
    const double wave = 2 * PI * t / 9, wave_v = s->wave_m * 2 * PI / 9 * cos(wave);
    const double wrench[6] = {creal(body), cimag(body), 0, 0, 0, moment};
    const double position[3] = {creal(x) + s->wave_m * sin(wave), cimag(x), 0};
    const double velocity[3] = {creal(v) + wave_v, cimag(v), 0};
    const double quaternion[4] = {cos(yaw / 2), 0, 0, sin(yaw / 2)};
    const struct feedback_input in = {.wrench_b = wrench,
                                      .quaternion_nb = quaternion,
                                      .position_n_m = position,
                                      .velocity_n_mps = velocity,
                                      .heading_rad = remainder(yaw, 2 * PI),
                                      .rate_radps = rate};
    if (feedback_step(&m, &in, 20))
      feedback_judge(&m, step, 5e3, &notices);
  }
  struct reason why;
  ck_assert_msg(feedback_is_valid(&m, &why), "%s", why.text);
  return notices;
}

static void expect(const struct scene *s, int kind, const char *what) {
  const struct notices n = run(s);
  for (int i = 0; i < NOTICE_COUNT; i++)
    ck_assert_msg((n.kind[i].count > 0) == (i == kind), "%s: %s raised %d times", what, notice_name(i),
                  (int)n.kind[i].count);
  if (kind == NOTICE_FRAME)
    ck_assert_double_eq_tol(n.kind[kind].value[0], carg(s->turn), 0.02);
}

START_TEST(right_laws_raise_nothing) {
  const double headings[] = {0, 1, 2, PI, -1.5};
  for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
    for (double damping = 0; damping < 2.1; damping += 0.5)
      expect(&(struct scene){1, 3e5 - 1e5 * J, damping, 0, 0, 0, headings[i], 1, 300}, -1,
             "at rest in weather");
  expect(&(struct scene){1, 3e5 + 3e5 * J, 1, 1.5, 0, 0, 1, 1, 300}, -1, "in waves");
  for (double move_s = 20; move_s < 200; move_s *= 1.3)
    for (double move_m = 5; move_m < 200; move_m *= 3)
      expect(&(struct scene){1, 1e4, 1, 0, move_m, move_s, 0, 1, 300}, -1, "a move that it plans");
  for (double heading = -3; heading < 3.2; heading += 1) // surge by hand or soft, sway held
    for (along = 0; along < 0.1; along += 0.03)
      for (along_mps = -0.9; along_mps < 1; along_mps += 0.3)
        for (double push_n = -8e5; push_n < 9e5; push_n += 4e5)
          expect(&(struct scene){1, push_n * J * cexp(J * heading), 1, 0, 0, 0, heading, 1, 120}, -1,
                 "one axis by hand");
  along = 1;
  along_mps = 0;
  for (int degrees = -30; degrees <= 30; degrees += 10)
    expect(&(struct scene){cexp(J * degrees * PI / 180), 3e5, 1, 0, 0, 0, 0, 1, 120}, -1, "a small angle");
}
END_TEST

START_TEST(a_wrong_sign_is_found) {
  for (double heading = -3; heading < 3.2; heading += 1) {
    expect(&(struct scene){-1, 1e5 * cexp(J * heading), 1, 0, 0, 0, heading, 1, 60}, NOTICE_FEEDBACK,
           "wrong sign");
    expect(&(struct scene){1, 0, 1, 0, 0, 0, heading, -1, 90}, NOTICE_YAW_FEEDBACK, "wrong sign of yaw");
  }
}
END_TEST

START_TEST(a_turned_frame_is_found_with_its_angle) {
  for (int degrees = 50; degrees <= 140; degrees += 10)
    for (int side = -1; side <= 1; side += 2)
      expect(&(struct scene){cexp(J * side * degrees * PI / 180), 1e5 + 5e4 * J, 1, 0, 0, 0, 0.5, 1, 60},
             NOTICE_FRAME, "turned");
}
END_TEST

int main(void) {
  Suite *suite = suite_create("feedback");
  TCase *tc = add_case(suite, "feedback", 60);
  tcase_add_test(tc, right_laws_raise_nothing);
  tcase_add_test(tc, a_wrong_sign_is_found);
  tcase_add_test(tc, a_turned_frame_is_found_with_its_angle);
  return run_suite(suite);
}
