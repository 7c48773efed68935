// The sampled DP controller: properties of its take-over, approach, integral, limits and feed-forward.
#include "sagbend/dp/dp.h"

#include "suite.h"
#include <math.h>
#include <string.h>

static struct pid_def gains(void) {
  return (struct pid_def){.kp = {1e5, 1e5, 0, 0, 0, 1e8},
                          .kd = {5e5, 5e5, 0, 0, 0, 8e8},
                          .ki = {5e2, 5e2, 0, 0, 0, 2e5},
                          .reference = {100, -20, 0, 0, 0, 0.5},
                          .start_s = 30,
                          .bumpless = 1,
                          .approach_s = 40};
}

// One sample with a DP file that contains the control law only.
static void sample(struct dp_state *s, const struct pid_def *law, const struct dp_sensors *in,
                   struct command *c) {
  struct dp_def def = {.pid = *law};
  struct dp_work work;
  dp_sample(s, &def, in, &work, c);
}

static void reference_of(const struct dp_state *s, const struct pid_def *law, double time_s,
                         double reference[6], double rate[6]) {
  struct dp_def def = {.pid = *law};
  dp_reference(s, &def, time_s, reference, rate);
}

static void set_setpoint(struct dp_state *s, const struct pid_def *law, const double setpoint[3]) {
  struct dp_def def = {.pid = *law};
  dp_set_setpoint(s, &def, setpoint);
}

static struct dp_sensors sensors_at(double time_s) {
  return (struct dp_sensors){.step = (uint64_t)(time_s * 100 + 0.5),
                             .time_s = time_s,
                             .position_n_m = {90, 4, 0.3},
                             .euler_rad = {0.02, -0.03, 0.4},
                             .applied_wrench_b = {4e5, -1e5, 0, 0, 0, 3e6}};
}

static double wrench_scale(const double w[6]) {
  double scale = 1;
  for (int i = 0; i < 6; i++)
    scale = fmax(scale, fabs(w[i]));
  return scale;
}

static void assert_wrench(const struct command *c, const double expected[6], double relative) {
  ck_assert_int_eq(c->standby, 0);
  for (int i = 0; i < 6; i++)
    ck_assert_double_eq_tol(c->wrench_b[i], expected[i], relative * wrench_scale(expected));
}

START_TEST(stands_by_until_its_time) {
  struct dp_state s;
  struct pid_def def = gains();
  struct command c;
  dp_init(&s);
  for (int k = 0; k < 300; k++) {
    struct dp_sensors in = sensors_at(0.1 * k);
    sample(&s, &def, &in, &c);
    ck_assert_int_eq(c.standby, in.time_s < 30);
    ck_assert_uint_eq(c.based_on_step, in.step);
    ck_assert_uint_eq(c.sequence, (uint64_t)k + 1);
  }
  struct dp_sensors in = sensors_at(30);
  sample(&s, &def, &in, &c);
  ck_assert_int_eq(c.standby, 0);
}
END_TEST

// Every combination of: some Ki zero, motion at take-over, a bound below the required integral, feed-forward,
// with and without an approach.
START_TEST(takes_over_without_a_bump) {
  for (int bits = 0; bits < 32; bits++) {
    struct pid_def def = gains();
    struct dp_sensors in = sensors_at(35);
    struct dp_state s;
    struct command c;
    if (bits & 1)
      def.ki[1] = def.ki[5] = 0;
    if (bits & 2) {
      in.velocity_n_mps[0] = 0.3;
      in.euler_rate_radps[2] = -0.01;
    }
    if (bits & 4)
      for (int i = 0; i < 6; i++)
        def.integral_limit[i] = 1e5;
    if (bits & 8) {
      def.tension_feedforward = 1;
      in.hangoff_tension_n = 2e6;
      in.hangoff_angle_rad = 1.2;
      in.hangoff_azimuth_rad = 3.0;
    }
    if (bits & 16)
      def.approach_s = 0;
    dp_init(&s);
    sample(&s, &def, &in, &c);
    assert_wrench(&c, in.applied_wrench_b, 1e-12);
    // with an approach, the second sample, 0.1 s later at the same position, is close to the first
    if (!(bits & 16)) {
      in.time_s += 0.1;
      sample(&s, &def, &in, &c);
      assert_wrench(&c, in.applied_wrench_b, 5e-3);
    }
  }
}
END_TEST

START_TEST(without_bumpless_the_law_starts_bare) {
  struct pid_def def = gains();
  def.bumpless = 0;
  struct dp_sensors in = sensors_at(35);
  struct dp_state s;
  struct command c;
  dp_init(&s);
  sample(&s, &def, &in, &c);
  for (int i = 0; i < 6; i++) // at rest on its starting reference, with an empty integral
    ck_assert_double_eq_tol(c.wrench_b[i], 0, 1e-6);
}
END_TEST

START_TEST(the_reference_goes_smoothly_the_shorter_way_round) {
  struct pid_def def = gains();
  def.reference[5] = -3.0;
  struct dp_sensors in = sensors_at(30);
  in.euler_rad[2] = 3.0;
  struct dp_state s;
  struct command c;
  dp_init(&s);
  sample(&s, &def, &in, &c);
  const double h = 1e-3;
  double before[6], at[6], after[6], rate[6], unused[6], largest = 0;
  for (double t = 30.5; t < 75; t += 0.5) {
    reference_of(&s, &def, t - h, before, unused);
    reference_of(&s, &def, t, at, rate);
    reference_of(&s, &def, t + h, after, unused);
    for (int i = 0; i < 6; i++) {
      ck_assert_double_eq_tol((after[i] - before[i]) / (2 * h), rate[i], 1e-6);
      largest = fmax(largest, fabs(after[i] - 2 * at[i] + before[i]) / (h * h));
    }
    ck_assert(fabs(at[5]) >= 2.99); // through pi, not through zero
  }
  // largest curvature of the approach curve, 10 / sqrt 3, plus rounding
  ck_assert_double_lt(largest, 5.8 * 24 / (40 * 40) + 1e-3);
  reference_of(&s, &def, 30, at, rate);
  for (int i = 0; i < 3; i++)
    ck_assert_double_eq_tol(at[i], in.position_n_m[i], 1e-12);
  ck_assert_double_eq_tol(cos(at[5] - 3.0), 1, 1e-12);
  reference_of(&s, &def, 70, at, rate);
  for (int i = 0; i < 6; i++) {
    ck_assert_double_eq(at[i], def.reference[i]);
    ck_assert_double_eq(rate[i], 0);
  }
}
END_TEST

// The reference moves to an ordered set-point; another order on the way keeps its rate.
START_TEST(an_ordered_setpoint_is_reached_smoothly) {
  struct pid_def def = gains();
  struct dp_sensors in = sensors_at(100);
  struct dp_state s;
  struct command c;
  const double first[3] = {40, -20, 3.0}, second[3] = {-10, 5, -3.0};
  double before[6], rate_before[6], at[6], rate[6], after[6], unused[6];
  dp_init(&s);
  set_setpoint(&s, &def, first); // before take-over: it is the set-point of the approach
  reference_of(&s, &def, 0, at, rate);
  ck_assert(at[0] == 40 && at[1] == -20 && at[2] == def.reference[2] && at[5] == 3.0 && rate[0] == 0);
  sample(&s, &def, &in, &c);
  reference_of(&s, &def, 100, at, rate);
  ck_assert_double_eq_tol(at[0], in.position_n_m[0], 1e-12);

  in.time_s = 115; // within the approach
  in.step++;
  sample(&s, &def, &in, &c);
  reference_of(&s, &def, 115, before, rate_before);
  set_setpoint(&s, &def, second);
  reference_of(&s, &def, 115, at, rate);
  for (int i = 0; i < 6; i++) {
    ck_assert_double_eq_tol(i < 3 ? at[i] - before[i] : sin(at[i] - before[i]), 0, 1e-12);
    ck_assert_double_eq_tol(rate[i], rate_before[i], 1e-12);
  }
  ck_assert(fabs(rate[0]) > 0.01);
  const double h = 1e-4;
  for (double t = 115.5; t < 115 + def.approach_s + 5; t += 0.5) {
    reference_of(&s, &def, t - h, before, unused);
    reference_of(&s, &def, t, at, rate);
    reference_of(&s, &def, t + h, after, unused);
    for (int i = 0; i < 6; i++)
      ck_assert_double_eq_tol((after[i] - before[i]) / (2 * h), rate[i], 1e-5);
  }
  reference_of(&s, &def, 115 + def.approach_s, at, rate);
  ck_assert(at[0] == -10 && at[1] == 5 && at[5] == -3.0 && rate[0] == 0 && rate[5] == 0);
  struct dp_def whole = {.pid = def};
  struct reason why;
  ck_assert(dp_state_is_valid(&whole, &s, &why));
  s.move.begin_s = (double)NAN;
  ck_assert(!dp_state_is_valid(&whole, &s, &why));
}
END_TEST

START_TEST(the_integral_is_bounded) {
  struct pid_def def = gains();
  def.bumpless = 0;
  def.approach_s = 0;
  for (int i = 0; i < 6; i++)
    def.integral_limit[i] = 7e4;
  struct dp_state s;
  struct command c;
  dp_init(&s);
  for (int k = 0; k < 20000; k++) {
    struct dp_sensors in = sensors_at(30 + 0.1 * k);
    sample(&s, &def, &in, &c);
    for (int i = 0; i < 6; i++)
      ck_assert_double_le(fabs(def.ki[i] * s.integral[i]), 7e4 * (1 + 1e-15));
  }
  ck_assert_double_gt(fabs(def.ki[0] * s.integral[0]), 6.9e4); // the bound is reached and left again at once
  double at_bound = s.integral[0];
  struct dp_sensors other_side = sensors_at(30 + 2000.1);
  other_side.position_n_m[0] = 130;
  sample(&s, &def, &other_side, &c);
  ck_assert_double_gt(s.integral[0], at_bound);
}
END_TEST

START_TEST(only_time_that_passes_is_integrated) {
  struct pid_def def = gains();
  def.bumpless = 0;
  def.approach_s = 0;
  struct dp_state s, kept;
  struct command first, again;
  dp_init(&s);
  struct dp_sensors in = sensors_at(30);
  sample(&s, &def, &in, &first);
  in = sensors_at(32);
  sample(&s, &def, &in, &first);
  ck_assert_double_eq_tol(s.integral[0], 2 * (90 - 100), 1e-12); // trapezoid over two seconds
  kept = s;
  sample(&s, &def, &in, &again); // repeated
  ck_assert_mem_eq(s.integral, kept.integral, sizeof s.integral);
  ck_assert_mem_eq(first.wrench_b, again.wrench_b, sizeof first.wrench_b);
  in = sensors_at(31); // an earlier time
  sample(&s, &def, &in, &again);
  ck_assert_mem_eq(s.integral, kept.integral, sizeof s.integral);
}
END_TEST

START_TEST(the_wrench_is_limited) {
  struct pid_def def = gains();
  const double limit[6] = {2e5, 3e4, 1, 1, 1, 1e6};
  memcpy(def.wrench_limit, limit, sizeof limit);
  struct dp_state s;
  struct command c;
  dp_init(&s);
  for (int k = 0; k < 1000; k++) {
    struct dp_sensors in = sensors_at(30 + 0.1 * k);
    in.position_n_m[0] = 1e6 * (k % 2 ? 1 : -1);
    sample(&s, &def, &in, &c);
    for (int i = 0; i < 6; i++)
      ck_assert_double_le(fabs(c.wrench_b[i]), limit[i]);
    ck_assert_int_eq(s.allocation.saturated, 1); // not in silence
  }
  ck_assert_double_eq(fabs(c.wrench_b[0]), limit[0]);

  def = gains();
  def.wrench_limit[0] = 1e12;
  dp_init(&s);
  for (int k = 0; k < 100; k++) {
    struct dp_sensors in = sensors_at(30 + 0.1 * k);
    sample(&s, &def, &in, &c);
    ck_assert_int_eq(s.allocation.saturated, 0);
  }
}
END_TEST

START_TEST(nothing_that_is_not_finite_gets_in_or_out) {
  struct pid_def def = gains();
  struct dp_state s, kept;
  struct command c;
  dp_init(&s);
  struct dp_sensors in = sensors_at(31);
  sample(&s, &def, &in, &c);
  for (int field = 0; field < 6; field++) {
    struct dp_sensors bad = sensors_at(32);
    double *const at[] = {&bad.time_s,
                          &bad.position_n_m[1],
                          &bad.euler_rad[2],
                          &bad.velocity_n_mps[0],
                          &bad.applied_wrench_b[5],
                          &bad.hangoff_tension_n};
    *at[field] = field % 2 ? NAN : INFINITY;
    kept = s;
    sample(&s, &def, &bad, &c);
    ck_assert_int_eq(c.standby, 1);
    kept.sequence++;
    ck_assert_mem_eq(&s, &kept, sizeof s);
  }
  in = sensors_at(33);
  in.position_n_m[0] = 1e308; // finite, but the result is not
  def.kp[0] = 1e10;
  sample(&s, &def, &in, &c);
  ck_assert_int_eq(c.standby, 1);
  for (int i = 0; i < 6; i++)
    ck_assert(isfinite(c.wrench_b[i]));
}
END_TEST

// The pipe pulls the vessel along the azimuth; the wrench must push the other way, whatever the heading.
START_TEST(feedforward_pushes_against_the_pipe) {
  for (double yaw = -3; yaw < 3.2; yaw += 0.5)
    for (double azimuth = -3; azimuth < 3.2; azimuth += 0.5) {
      struct dp_sensors in = {.euler_rad = {0, 0, yaw},
                              .hangoff_tension_n = 2e6,
                              .hangoff_angle_rad = 1.3,
                              .hangoff_azimuth_rad = azimuth};
      double w[6];
      dp_tension_feedforward(&in, w);
      double north = cos(yaw) * w[0] - sin(yaw) * w[1], east = sin(yaw) * w[0] + cos(yaw) * w[1];
      ck_assert_double_eq_tol(north, -2e6 * cos(1.3) * cos(azimuth), 1e-6);
      ck_assert_double_eq_tol(east, -2e6 * cos(1.3) * sin(azimuth), 1e-6);
      for (int i = 2; i < 6; i++)
        ck_assert_double_eq(w[i], 0);
    }
}
END_TEST

// A simple mass in surge, sway and yaw under a constant load must end on its set-point.
START_TEST(it_brings_a_mass_to_its_setpoint) {
  struct pid_def def = gains();
  const double mass[6] = {6e6, 8e6, 1, 1, 1, 3e9}, load_n[6] = {-4e5, 2e5, 0, 0, 0, 0};
  struct dp_sensors in = sensors_at(0);
  memset(in.euler_rad, 0, sizeof in.euler_rad);
  memset(in.applied_wrench_b, 0, sizeof in.applied_wrench_b);
  def.reference[2] = in.position_n_m[2];
  struct dp_state s;
  struct command c;
  dp_init(&s);
  double wrench[6] = {4e5, -2e5, 0, 0, 0, 0}, largest_step = 0;
  const double h = 0.1;
  for (int k = 0; k < 20000; k++) {
    in.time_s = h * k;
    in.step = (uint64_t)k;
    memcpy(in.applied_wrench_b, wrench, sizeof wrench);
    sample(&s, &def, &in, &c);
    if (!c.standby) {
      for (int i = 0; i < 2; i++)
        largest_step = fmax(largest_step, fabs(c.wrench_b[i] - wrench[i]));
      memcpy(wrench, c.wrench_b, sizeof wrench);
    }
    double yaw = in.euler_rad[2];
    double north = cos(yaw) * wrench[0] - sin(yaw) * wrench[1],
           east = sin(yaw) * wrench[0] + cos(yaw) * wrench[1];
    if (k == 0) { // the load balances the wrench in the world frame; heading zero at first
      ck_assert_double_eq(north, -load_n[0]);
      ck_assert_double_eq(east, -load_n[1]);
    }
    in.velocity_n_mps[0] += h * (north + load_n[0]) / mass[0];
    in.velocity_n_mps[1] += h * (east + load_n[1]) / mass[1];
    in.euler_rate_radps[2] += h * wrench[5] / mass[5];
    in.position_n_m[0] += h * in.velocity_n_mps[0];
    in.position_n_m[1] += h * in.velocity_n_mps[1];
    in.euler_rad[2] += h * in.euler_rate_radps[2];
  }
  ck_assert_double_eq_tol(in.position_n_m[0], def.reference[0], 1e-3);
  ck_assert_double_eq_tol(in.position_n_m[1], def.reference[1], 1e-3);
  ck_assert_double_eq_tol(in.euler_rad[2], def.reference[5], 1e-4);
  // Bound on the change between samples: largest speed and acceleration of the reference times the gains,
  // plus the rotation of the body frame. A bump at take-over would be of the size of the load.
  double way = 24, T = def.approach_s;
  double bound =
      h * (def.kp[1] * 1.875 * way / T + def.kd[1] * 5.8 * way / (T * T) + 4.5e5 * 1.875 * 0.4 / T);
  ck_assert_double_lt(largest_step, bound);
}
END_TEST

// Protobuf drops the sign of zero, so the controller must neither receive nor send negative zeros.
// A clock that jumps forward and back relative to the steps changes no command; the jumps are counted.
START_TEST(a_clock_that_jumps_is_followed) {
  struct pid_def def = gains();
  struct dp_state straight, jumping;
  struct command a, b;
  double largest = 0;
  dp_init(&straight);
  dp_init(&jumping);
  for (int k = 0; k < 1200; k++) {
    struct dp_sensors in = sensors_at(0.1 * k);
    in.position_n_m[0] += 0.01 * k;
    sample(&straight, &def, &in, &a);
    in.time_s += k < 400 ? 0 : k < 600 ? 30 : k < 800 ? -12.5 : 0;
    sample(&jumping, &def, &in, &b);
    ck_assert_int_eq(a.standby, b.standby);
    for (int i = 0; i < 6; i++)
      largest = fmax(largest, fabs(a.wrench_b[i] - b.wrench_b[i]) / wrench_scale(a.wrench_b));
  }
  ck_assert_uint_eq(straight.clock.jumps, 0);
  ck_assert_uint_eq(jumping.clock.jumps, 3);
  ck_assert_double_lt(largest, 1e-9);
}
END_TEST

// The tension is outside of its limits: the tensioner is named where the controller orders the tension.
START_TEST(a_tensioner_that_lets_go_is_named) {
  for (int orders = 0; orders < 2; orders++) {
    struct dp_state s;
    struct dp_def d = {.track = {.tension_n = orders ? 2e5 : 0}};
    struct dp_alarm_list said;
    dp_init(&s);
    dp_alarms(&s, &d, &said);
    ck_assert_int_lt(dp_alarm_find(&said, "tensioner", ALARM_NOT_FOLLOWING), 0);
    s.track.wait = TRACK_WAITS_FOR_TENSION;
    dp_alarms(&s, &d, &said);
    int at = dp_alarm_find(&said, "tensioner", ALARM_NOT_FOLLOWING);
    ck_assert_int_eq(at >= 0, orders);
    char text[DP_ALARM_TEXT];
    if (at >= 0) {
      dp_alarm_end_text(&said.alarm[at], text);
      ck_assert_str_eq(text, "the tensioner holds the ordered tension again");
    }
  }
}
END_TEST

START_TEST(zeros_have_no_sign) {
  struct pid_def def = gains();
  def.start_s = 0;
  def.approach_s = 0;
  memset(def.reference, 0, sizeof def.reference);
  struct dp_sensors plus = {.time_s = 1}, minus = {.time_s = 1};
  minus.position_n_m[0] = minus.position_n_m[1] = minus.euler_rad[1] = -0.0;
  minus.velocity_n_mps[0] = minus.applied_wrench_b[0] = minus.euler_rate_radps[2] = -0.0;
  struct dp_state a, b;
  struct command of_plus, of_minus;
  dp_init(&a);
  dp_init(&b);
  sample(&a, &def, &plus, &of_plus);
  sample(&b, &def, &minus, &of_minus);
  ck_assert_mem_eq(&of_plus, &of_minus, sizeof of_plus);
  ck_assert_mem_eq(&a, &b, sizeof a);
  for (int i = 0; i < 6; i++)
    ck_assert(!signbit(of_minus.wrench_b[i]));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("dp");
  TCase *tc = tcase_create("dp");
  tcase_add_test(tc, stands_by_until_its_time);
  tcase_add_test(tc, takes_over_without_a_bump);
  tcase_add_test(tc, without_bumpless_the_law_starts_bare);
  tcase_add_test(tc, the_reference_goes_smoothly_the_shorter_way_round);
  tcase_add_test(tc, an_ordered_setpoint_is_reached_smoothly);
  tcase_add_test(tc, the_integral_is_bounded);
  tcase_add_test(tc, only_time_that_passes_is_integrated);
  tcase_add_test(tc, the_wrench_is_limited);
  tcase_add_test(tc, nothing_that_is_not_finite_gets_in_or_out);
  tcase_add_test(tc, feedforward_pushes_against_the_pipe);
  tcase_add_test(tc, it_brings_a_mass_to_its_setpoint);
  tcase_add_test(tc, zeros_have_no_sign);
  tcase_add_test(tc, a_clock_that_jumps_is_followed);
  tcase_add_test(tc, a_tensioner_that_lets_go_is_named);
  suite_add_tcase(suite, tc);
  return run_suite(suite);
}
