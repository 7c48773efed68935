// Navigation and observer of the DP controller, tested with a simple vessel in surge, sway and yaw.
#include "sagbend/dp/dp.h"

#include "sagbend/math/math.h"
#include "suite.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

static const double MASS[3] = {5.6e6, 7e6, 3.5e9}, DAMPING[3] = {6e4, 1e5, 3e8};

// True state, and its measurements.
struct vessel {
  double eta[3], nu[3], roll, pitch, roll_rate, pitch_rate;
  double wave[3]; // additional motion, measured by the instruments
  double bias_n[3];
};

static void vessel_step(struct vessel *v, const double tau[3], double h) {
  double c = cos(v->eta[2]), s = sin(v->eta[2]);
  double force[3] = {tau[0] + c * v->bias_n[0] + s * v->bias_n[1],
                     tau[1] - s * v->bias_n[0] + c * v->bias_n[1], tau[2] + v->bias_n[2]};
  for (int i = 0; i < 3; i++)
    v->nu[i] += h * (force[i] - DAMPING[i] * v->nu[i]) / MASS[i];
  v->eta[0] += h * (c * v->nu[0] - s * v->nu[1]);
  v->eta[1] += h * (s * v->nu[0] + c * v->nu[1]);
  v->eta[2] += h * v->nu[2];
}

static struct reading *reading(struct readings *r, const char *name, enum instrument kind, double time_s) {
  struct reading *x = NULL;
  for (int i = 0; i < r->instrument_count; i++)
    if (strcmp(r->instrument[i].name, name) == 0)
      x = &r->instrument[i];
  if (!x)
    x = &r->instrument[r->instrument_count++];
  strcpy(x->name, name);
  x->kind = kind;
  x->valid = 1;
  x->sequence++;
  x->time_s = time_s;
  return x;
}

static void see_gnss(const struct vessel *v, const double arm[3], struct reading *x) {
  const double euler[3] = {v->roll, v->pitch, v->eta[2] + v->wave[2]};
  mat3 q = quat_matrix(quat_of_euler(euler));
  vec3 a = mat3_mul(&q, vec3_of(arm)),
       turn = vec3_cross(mat3_mul(&q, (vec3){v->roll_rate, v->pitch_rate, v->nu[2]}), a);
  double c = cos(v->eta[2]), s = sin(v->eta[2]);
  const double value[6] = {v->eta[0] + v->wave[0] + a.x,         v->eta[1] + v->wave[1] + a.y,         a.z,
                           c * v->nu[0] - s * v->nu[1] + turn.x, s * v->nu[0] + c * v->nu[1] + turn.y, 0.5};
  memcpy(x->value, value, sizeof value);
}

static void see_rest(const struct vessel *v, struct readings *r, double time_s) {
  struct reading *gyro = reading(r, "gyro", INSTRUMENT_GYRO, time_s),
                 *mru = reading(r, "mru", INSTRUMENT_MOTION, time_s);
  gyro->value[0] = remainder(v->eta[2] + v->wave[2], 2 * PI);
  gyro->value[1] = v->nu[2];
  mru->value[0] = v->roll;
  mru->value[1] = v->pitch;
  mru->value[3] = v->roll_rate;
  mru->value[4] = v->pitch_rate;
}

static struct dp_instrument instrument(const char *name, enum instrument kind, double x, double y, double z) {
  struct dp_instrument d = {.kind = kind, .position_b_m = {x, y, z}, .share = 1};
  strcpy(d.name, name);
  return d;
}

// Three antennas, a gyro, a motion sensor.
static struct dp_def definition(void) {
  struct dp_def d = {0};
  struct navigation_def *n = &d.navigation;
  n->instrument[n->count++] = instrument("g1", INSTRUMENT_GNSS, 20, -3, -25);
  n->instrument[n->count++] = instrument("g2", INSTRUMENT_GNSS, -10, 4, -20);
  n->instrument[n->count++] = instrument("g3", INSTRUMENT_GNSS, 5, 6, -30);
  n->instrument[n->count++] = instrument("gyro", INSTRUMENT_GYRO, 0, 0, 0);
  n->instrument[n->count++] = instrument("mru", INSTRUMENT_MOTION, 0, 0, 0);
  n->position_limit_m = 5;
  n->heading_limit_rad = 0.05;
  n->old_s = 5;
  n->frozen_s = 20;
  d.observer.position_sigma_m = 0.5;
  d.observer.heading_sigma_rad = 0.002;
  return d;
}

static void with_observer(struct dp_def *d) {
  struct observer_def *o = &d->observer;
  o->present = 1;
  for (int i = 0; i < 3; i++) {
    o->mass[i][i] = MASS[i];
    o->damping[i][i] = DAMPING[i];
    o->force_sigma[i] = (i < 2 ? 0.005 : 5e-5) * MASS[i];
    o->bias_sigma[i] = 0.1 * o->force_sigma[i];
    o->wave_sigma[i] = i < 2 ? 0.4 : 0.01;
  }
  o->wave_frequency_radps = 0.8;
  o->wave_damping = 0.1;
}

static void see_all(const struct vessel *v, const struct dp_def *d, struct readings *r, double time_s) {
  for (int i = 0; i < d->navigation.count; i++)
    if (d->navigation.instrument[i].kind == INSTRUMENT_GNSS)
      see_gnss(v, d->navigation.instrument[i].position_b_m,
               reading(r, d->navigation.instrument[i].name, INSTRUMENT_GNSS, time_s));
  see_rest(v, r, time_s);
}

static const double none[3] = {0, 0, 0};

static int sample(struct navigation_state *s, const struct dp_def *d, const struct readings *r, double t,
                  struct navigation *out) {
  return navigation_sample(s, &d->navigation, &d->observer, &d->wind, r, none, t, out) == STATUS_OK;
}

START_TEST(lever_arms_are_taken_off) {
  struct dp_def d = definition();
  struct random_stream random = random_stream_of(1);
  for (int n = 0; n < 200; n++) {
    struct navigation_state s = {0};
    struct navigation out;
    struct readings r = {0};
    struct vessel v = {.eta = {300 * random_normal(&random), 100, 6 * random_uniform(&random)},
                       .nu = {random_normal(&random), random_normal(&random), 0.02 * random_normal(&random)},
                       .roll = 0.1 * random_normal(&random),
                       .pitch = 0.05 * random_normal(&random),
                       .roll_rate = 0.03};
    see_all(&v, &d, &r, 10);
    ck_assert_int_eq(sample(&s, &d, &r, 10, &out), 1);
    double c = cos(v.eta[2]), w = sin(v.eta[2]);
    ck_assert_double_eq_tol(out.position_n_m[0], v.eta[0], 1e-9);
    ck_assert_double_eq_tol(out.position_n_m[1], v.eta[1], 1e-9);
    ck_assert_double_eq_tol(remainder(out.euler_rad[2] - v.eta[2], 2 * PI), 0, 1e-12);
    ck_assert_double_eq_tol(out.velocity_n_mps[0], c * v.nu[0] - w * v.nu[1], 1e-9);
    ck_assert_double_eq_tol(out.velocity_n_mps[1], w * v.nu[0] + c * v.nu[1], 1e-9);
    ck_assert_double_eq(out.euler_rad[0], v.roll);
  }
}
END_TEST

// One antenna at a time fails: jump, invalid, silent, frozen. It is excluded and named, and has no effect.
START_TEST(a_bad_reference_is_left_out) {
  static const enum instrument_use expected[] = {USE_REJECTED, USE_INVALID, USE_OLD, USE_FROZEN, USE_INVALID};
  for (int observer = 0; observer < 2; observer++)
    for (int how = 0; how < 5; how++) {
      struct dp_def d = definition();
      if (observer)
        with_observer(&d);
      struct navigation_state s = {0};
      struct navigation out;
      struct readings r = {0};
      struct vessel v = {.eta = {100, 50, 1}, .nu = {0.01, 0, 0}};
      struct reading held = {0};
      for (int n = 0; n < 600; n++) {
        double t = 0.1 * n;
        vessel_step(&v, (const double[]){600, 0, 0}, 0.1);
        see_all(&v, &d, &r, t);
        struct reading *bad = &r.instrument[1];
        if (n == 200)
          held = *bad;
        if (n >= 200 && how == 0)
          bad->value[0] += 7;
        if (n >= 200 && how == 1)
          bad->valid = 0;
        if (n >= 200 && how == 2)
          *bad = held;
        if (n >= 200 && how == 3)
          memcpy(bad->value, held.value, sizeof held.value);
        if (n >= 200 && how == 4)
          bad->value[3] = NAN;
        ck_assert_int_eq(sample(&s, &d, &r, t, &out), 1);
        ck_assert_double_eq_tol(hypot(out.position_n_m[0] - v.eta[0], out.position_n_m[1] - v.eta[1]), 0,
                                0.2);
        ck_assert_int_eq(s.dead_reckoning, 0);
      }
      ck_assert_int_eq(s.use[1], expected[how]);
      ck_assert_int_eq(navigation_instrument_count(&s, &d.navigation, INSTRUMENT_GNSS, USE_IN_USE), 2);
      ck_assert(how != 0 || s.rejected >= 390);
    }
}
END_TEST

// All antennas jump together beyond the position limit: none is accepted, the model continues, and the true
// position drifts away from it. With reaccept_s they are accepted again.
START_TEST(all_rejected_is_dead_reckoning) {
  for (int reaccept = 0; reaccept < 2; reaccept++) {
    struct dp_def d = definition();
    with_observer(&d);
    d.navigation.reaccept_s = reaccept ? 30 : 0;
    struct navigation_state s = {0};
    struct navigation out;
    struct readings r = {0};
    struct vessel v = {.eta = {100, 50, 1}};
    for (int n = 0; n < 2000; n++) {
      double t = 0.1 * n;
      if (n == 1000)
        v.eta[0] += 8;
      vessel_step(&v, none, 0.1);
      see_all(&v, &d, &r, t);
      ck_assert_int_eq(sample(&s, &d, &r, t, &out), 1);
      if (n > 1295 && n < 1305)
        continue;
      ck_assert_int_eq(s.dead_reckoning, n >= 1000 && (!reaccept || n <= 1300));
      double seen = n >= 1000 && (!reaccept || n <= 1300) ? 100 : v.eta[0];
      ck_assert_double_eq_tol(out.position_n_m[0], seen, 1e-3);
    }
  }
}
END_TEST

// No heading for a time, in which the vessel turns beyond the limit. After a short gap the prediction holds
// and the gyro is rejected; after one that no heading can be predicted over, it counts at once.
START_TEST(a_long_time_without_heading_ends_its_prediction) {
  for (int observer = 0; observer < 2; observer++)
    for (int is_long = 0; is_long < 2; is_long++) {
      struct dp_def d = definition();
      if (observer)
        with_observer(&d);
      struct navigation_state s = {0};
      struct navigation out;
      struct readings r = {0};
      struct vessel v = {.eta = {100, 50, 1}};
      const int back = is_long ? 1400 : 1200;
      for (int n = 0; n < 2000; n++) {
        double t = 0.1 * n;
        if (n == 1100)
          v.eta[2] += 0.2;
        vessel_step(&v, none, 0.1);
        see_all(&v, &d, &r, t);
        r.instrument[3].valid = n < 1000 || n >= back; // the gyro
        ck_assert_int_eq(sample(&s, &d, &r, t, &out), 1);
        if (n < back + 200)
          continue;
        ck_assert_int_eq(s.use[3], is_long ? USE_IN_USE : USE_REJECTED);
        ck_assert_double_eq_tol(out.euler_rad[2], is_long ? 1.2 : 1, 0.02);
      }
    }
}
END_TEST

// No samples for a time, in which the vessel moves beyond the limits. After a short gap the prediction is
// right and the fixes are not believed; after one that nothing can be predicted over, they are.
START_TEST(a_long_gap_ends_the_prediction) {
  for (int observer = 0; observer < 2; observer++)
    for (int is_long = 0; is_long < 2; is_long++) {
      struct dp_def d = definition();
      if (observer)
        with_observer(&d);
      struct navigation_state s = {0};
      struct navigation out;
      struct readings r = {0};
      struct vessel v = {.eta = {100, 50, 1}};
      for (int n = 0; n < 1000; n++) {
        double t = 0.1 * n + (n < 500 ? 0 : is_long ? 100 : 10);
        if (n == 500) {
          v.eta[0] += 20;
          v.eta[2] += 0.1;
        }
        vessel_step(&v, none, 0.1);
        see_all(&v, &d, &r, t);
        ck_assert_int_eq(sample(&s, &d, &r, t, &out), 1);
        ck_assert_int_eq(s.dead_reckoning, n >= 500 && !is_long);
        int is_followed = n < 500 || is_long;
        ck_assert_double_eq_tol(out.position_n_m[0], is_followed ? v.eta[0] : 100, 0.1);
        ck_assert_double_eq_tol(out.euler_rad[2], is_followed ? v.eta[2] : 1, 1e-3);
      }
    }
}
END_TEST

START_TEST(gyros_and_load_cells_vote) {
  struct dp_def d = definition();
  struct navigation_def *n = &d.navigation;
  n->instrument[n->count++] = instrument("gyro2", INSTRUMENT_GYRO, 0, 0, 0);
  n->instrument[n->count++] = instrument("gyro3", INSTRUMENT_GYRO, 0, 0, 0);
  n->instrument[n->count++] = instrument("cell1", INSTRUMENT_LOAD_CELL, 0, 0, 0);
  n->instrument[n->count++] = instrument("cell2", INSTRUMENT_LOAD_CELL, 0, 0, 0);
  n->instrument[n->count - 1].share = 0.5;
  n->fallback = TENSION_FIXED;
  n->fallback_n = 7e5;
  n->fallback_inclination_rad = 1;
  struct navigation_state s = {0};
  struct navigation out;
  struct readings r = {0};
  struct vessel v = {.eta = {0, 0, PI - 0.001}};
  for (int k = 0; k < 40; k++) {
    see_all(&v, &d, &r, k);
    struct reading *g2 = reading(&r, "gyro2", INSTRUMENT_GYRO, k),
                   *g3 = reading(&r, "gyro3", INSTRUMENT_GYRO, k);
    g2->value[0] = -PI + 0.001; // the same heading within the noise, on the other side of the cut
    g3->value[0] = k < 10 ? PI : 1;
    if (k < 20)
      reading(&r, "cell1", INSTRUMENT_LOAD_CELL, k)->value[0] = 4e5 + k;
    if (k < 10)
      reading(&r, "cell2", INSTRUMENT_LOAD_CELL, k)->value[0] = 3e5 + k;
    ck_assert_int_eq(sample(&s, &d, &r, k, &out), 1);
    ck_assert_double_eq_tol(fabs(out.euler_rad[2]), PI, 2e-3);
    if (k == 9) // 4e5 and 6e5 by a half share
      ck_assert_double_eq_tol(out.tension_n, 5e5, 20);
    if (k == 17)
      ck_assert_double_eq_tol(out.tension_n, 4e5, 20);
    if (k == 15)
      ck_assert_int_eq(navigation_instrument_count(&s, n, INSTRUMENT_GYRO, USE_REJECTED), 1);
    if (k > 26) {
      ck_assert_double_eq(out.tension_n, 7e5);
      ck_assert_int_eq(s.tension_lost, 1);
    }
  }
}
END_TEST

// A coefficient table of one harmonic, full and mirrored, against its formula.
START_TEST(the_wind_pushes_where_it_blows) {
  for (int full = 0; full < 2; full++) {
    struct wind_force_def w = {.frontal_area_m2 = 300,
                               .lateral_area_m2 = 900,
                               .length_m = 80,
                               .air_density_kgpm3 = 1.2,
                               .speed_factor = 1};
    w.row_count = full ? 72 : 37;
    for (int i = 0; i < w.row_count; i++) {
      double a = 5 * i * PI / 180;
      w.row[i] = (struct wind_force_row){a, {-0.6 * cos(a), -0.8 * sin(a), -0.1 * sin(a)}};
    }
    for (double from = -3.1; from < 3.14; from += 0.05) {
      double force[3], q = 0.5 * 1.2 * 100;
      wind_force(&w, -10 * cos(from), -10 * sin(from), force);
      ck_assert_double_eq_tol(force[0], -q * 300 * 0.6 * cos(from), 0.002 * q * 300);
      ck_assert_double_eq_tol(force[1], -q * 900 * 0.8 * sin(from), 0.002 * q * 900);
      ck_assert_double_eq_tol(force[2], -q * 900 * 80 * 0.1 * sin(from), 0.0003 * q * 900 * 80);
    }
  }
}
END_TEST

// A closed loop in waves: the wrench of the controller moves the vessel.
struct run {
  double wrench_rms[3]; // about its mean, in the second half
  double off_m, bias_off;
};

static struct run run_in_waves(struct dp_def *d, double period_s, double gnss_s) {
  d->pid = (struct pid_def){.kp = {2e5, 2.5e5, 0, 0, 0, 1.2e8},
                            .kd = {1.5e6, 2e6, 0, 0, 0, 9e8},
                            .ki = {2e3, 2.5e3, 0, 0, 0, 1e6},
                            .reference = {0, 0, 0, 0, 0, 0.5}};
  struct vessel v = {.eta = {0, 0, 0.5}, .bias_n = {-2e5, 1e5, 0}};
  struct random_stream random = random_stream_of(9);
  struct dp_state s;
  struct dp_work work;
  struct dp_sensors in = {0};
  struct command c;
  struct run result = {0};
  double sum[3] = {0}, square[3] = {0}, tau[3] = {0}, next_gnss = 0;
  int count = 0, samples = (int)(2000 / period_s), inner = 1 + (int)(period_s / 0.05);
  dp_init(&s);
  for (int n = 0; n < samples; n++) {
    double t = n * period_s;
    for (int k = 0; k < 3; k++) // around the frequency of the notch
      v.wave[k] = (k < 2 ? 0.5 : 0.01) * (0.6 * sin(0.8 * t + k) + 0.4 * sin(0.74 * t + 2 * k));
    if (t >= next_gnss) {
      see_all(&v, d, &in.readings, t);
      for (int i = 0; i < in.readings.instrument_count; i++)
        if (in.readings.instrument[i].kind == INSTRUMENT_GNSS)
          for (int k = 0; k < 2; k++)
            in.readings.instrument[i].value[k] += 0.2 * random_normal(&random);
      next_gnss += gnss_s;
    } else {
      see_rest(&v, &in.readings, t);
    }
    in.time_s = t;
    memcpy(in.applied_wrench_b, (const double[]){tau[0], tau[1], 0, 0, 0, tau[2]},
           sizeof in.applied_wrench_b);
    dp_sample(&s, d, &in, &work, &c);
    if (!c.standby)
      memcpy(tau, (const double[]){c.wrench_b[0], c.wrench_b[1], c.wrench_b[5]}, sizeof tau);
    for (int k = 0; k < inner; k++)
      vessel_step(&v, tau, period_s / inner);
    if (t < 1000)
      continue;
    count++;
    for (int k = 0; k < 3; k++) {
      sum[k] += tau[k];
      square[k] += tau[k] * tau[k];
    }
    result.off_m = fmax(result.off_m, hypot(v.eta[0], v.eta[1]));
  }
  for (int k = 0; k < 3; k++)
    result.wrench_rms[k] = sqrt(fmax(0, square[k] / count - pow(sum[k] / count, 2)));
  const double *b = s.navigation.observer.bias;
  result.bias_off = hypot(b[0] - v.bias_n[0], b[1] - v.bias_n[1]);
  return result;
}

START_TEST(waves_are_kept_out_of_the_command) {
  struct dp_def plain = definition(), filtered = definition();
  with_observer(&filtered);
  // The antenna velocities contain no wave motion here, which favours the run without the observer.
  struct run without = run_in_waves(&plain, 0.1, 0.1), with = run_in_waves(&filtered, 0.1, 0.1);
  for (int k = 0; k < 3; k++)
    ck_assert_double_lt(with.wrench_rms[k], without.wrench_rms[k] / 5);
  ck_assert_double_lt(with.off_m, 1);
  ck_assert_double_lt(with.bias_off, 2e4);
}
END_TEST

// Any sample period and reference rate: stable, without steady error.
START_TEST(it_is_stable_at_any_period) {
  static const double period[] = {0.01, 0.1, 0.5, 1, 2}, gnss[] = {0.1, 1, 3};
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < 3; k++) {
      struct dp_def d = definition();
      with_observer(&d);
      struct run run = run_in_waves(&d, period[i], gnss[k]);
      ck_assert_msg(run.off_m < 1.5 && run.bias_off < 6e4,
                    "period %g, references every %g s: off %g m, bias %g N", period[i], gnss[k], run.off_m,
                    run.bias_off);
    }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("navigation");
  TCase *tc = add_case(suite, "navigation", 60);
  tcase_add_test(tc, lever_arms_are_taken_off);
  tcase_add_test(tc, a_bad_reference_is_left_out);
  tcase_add_test(tc, all_rejected_is_dead_reckoning);
  tcase_add_test(tc, a_long_time_without_heading_ends_its_prediction);
  tcase_add_test(tc, a_long_gap_ends_the_prediction);
  tcase_add_test(tc, gyros_and_load_cells_vote);
  tcase_add_test(tc, the_wind_pushes_where_it_blows);
  tcase_add_test(tc, waves_are_kept_out_of_the_command);
  tcase_add_test(tc, it_is_stable_at_any_period);
  return run_suite(suite);
}
