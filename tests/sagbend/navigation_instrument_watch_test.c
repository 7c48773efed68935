// Supervision of single instruments by the DP controller: a suite with noise on a vessel in waves.
#include "sagbend/navigation/navigation.h"

#include "sagbend/math/math.h"
#include "suite.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { G1, G2, G3, Y1, Y2, Y3, M1, M2, M3, W1, W2, W3, LOG, C1, C2, ANGLE, ROV, COUNT };
static const struct {
  const char *name;
  enum instrument kind;
  double period_s;
} SUITE[COUNT] = {
    {"g1", INSTRUMENT_GNSS, 1},        {"g2", INSTRUMENT_GNSS, 1},
    {"g3", INSTRUMENT_GNSS, 1},        {"y1", INSTRUMENT_GYRO, 0.1},
    {"y2", INSTRUMENT_GYRO, 0.1},      {"y3", INSTRUMENT_GYRO, 0.1},
    {"m1", INSTRUMENT_MOTION, 0.1},    {"m2", INSTRUMENT_MOTION, 0.1},
    {"m3", INSTRUMENT_MOTION, 0.1},    {"w1", INSTRUMENT_WIND, 1},
    {"w2", INSTRUMENT_WIND, 1},        {"w3", INSTRUMENT_WIND, 1},
    {"log", INSTRUMENT_SPEED_LOG, 3},  {"c1", INSTRUMENT_LOAD_CELL, 0.2},
    {"c2", INSTRUMENT_LOAD_CELL, 0.2}, {"angle", INSTRUMENT_HANGOFF_ANGLE, 0.2},
    {"rov", INSTRUMENT_TOUCHDOWN, 1},
};

// A vessel that lies in waves; the pipe at it is a catenary.
struct scene {
  struct navigation_def def;
  struct observer_def observer;
  struct wind_force_def wind;
  struct navigation_state state;
  struct navigation out;
  struct readings readings;
  struct random_stream random;
  double wave_m;         // amplitude of the waves
  double slow_m, slow_s; // and a slow move to and fro of the vessel: amplitude and period
  double markov[3][2], bias[COUNT];
  double previous[COUNT][READING_CHANNELS];
  int doubts; // ever raised
  int frozen; // samples with one that is
};

static void scene_begin(struct scene *s, uint64_t seed) {
  memset(s, 0, sizeof *s);
  s->random = random_stream_of(seed);
  s->def = (struct navigation_def){.count = COUNT,
                                   .position_limit_m = 5,
                                   .heading_limit_rad = 3 * PI / 180,
                                   .angle_limit_rad = PI / 180,
                                   .wind_limit_mps = 5,
                                   .tension_limit_n = 15e3,
                                   .old_s = 5,
                                   .frozen_s = 20,
                                   .sigma_limit = 7};
  s->readings.instrument_count = COUNT;
  for (int i = 0; i < COUNT; i++) {
    struct dp_instrument *d = &s->def.instrument[i];
    struct reading *r = &s->readings.instrument[i];
    *d = (struct dp_instrument){.kind = SUITE[i].kind, .share = 1};
    strcpy(d->name, SUITE[i].name);
    *r = (struct reading){.kind = SUITE[i].kind, .valid = 1};
    strcpy(r->name, SUITE[i].name);
    s->bias[i] = random_normal(&s->random);
  }
  struct observer_def *o = &s->observer;
  *o = (struct observer_def){.present = 1,
                             .wave_frequency_radps = 0.8,
                             .wave_damping = 0.1,
                             .position_sigma_m = 0.5,
                             .heading_sigma_rad = 0.002};
  static const double mass[3] = {5.6e6, 7e6, 3.5e9};
  for (int i = 0; i < 3; i++) {
    o->mass[i][i] = mass[i];
    o->force_sigma[i] = (i < 2 ? 0.01 : 1e-4) * mass[i];
    o->bias_sigma[i] = 0.1 * o->force_sigma[i];
    o->wave_sigma[i] = i < 2 ? 0.3 : 0.005;
  }
  s->wave_m = 0.5;
  s->slow_s = 600;
}

static double rounded(double x, double quantum) {
  return quantum * round(x / quantum);
}

// What an instrument shows without a failure.
static void see(struct scene *s, int i, double t, double v[READING_CHANNELS]) {
  double w = 0.8, a = s->wave_m, slow = 2 * PI / s->slow_s;
  double north = a * sin(w * t) + s->slow_m * sin(slow * t),
         north_mps = a * w * cos(w * t) + s->slow_m * slow * cos(slow * t);
  double roll = 0.02 * a * sin(w * t + 1), roll_rate = 0.02 * a * w * cos(w * t + 1);
  double level_n = 2.8e5 + 1e3 * s->slow_m * sin(slow * t), tension_n = level_n + 6e3 * a * sin(w * t + 2);
#define NOISE(sigma) ((sigma) * random_normal(&s->random))
  memset(v, 0, READING_CHANNELS * sizeof *v);
  switch (SUITE[i].kind) {
  case INSTRUMENT_GNSS:
    for (int k = 0; k < 2; k++) {
      s->markov[i][k] += -s->markov[i][k] / 300 + NOISE(0.3 * sqrt(2.0 / 300));
      v[k] = rounded((k ? 0 : north) + s->markov[i][k] + NOISE(0.12), 0.01);
      v[3 + k] = rounded((k ? 0 : north_mps) + NOISE(0.03), 0.01);
    }
    v[5] = 0.32;
    break;
  case INSTRUMENT_GYRO:
    v[0] = 2.6e-3 * s->bias[i] + NOISE(3.5e-4);
    v[1] = NOISE(3.5e-4);
    break;
  case INSTRUMENT_MOTION:
    v[0] = roll + NOISE(1.7e-4);
    v[3] = roll_rate + NOISE(3.5e-4);
    v[1] = NOISE(1.7e-4);
    v[4] = NOISE(3.5e-4);
    break;
  case INSTRUMENT_WIND:
    v[0] = rounded(10 + 1.5 * sin(0.05 * t) + NOISE(0.3), 0.1);
    v[1] = rounded(0.5 + NOISE(0.035), 0.0175);
    break;
  case INSTRUMENT_SPEED_LOG:
    v[0] = rounded(north_mps + 0.4 + NOISE(0.05), 0.01);
    v[1] = rounded(NOISE(0.05), 0.01);
    break;
  case INSTRUMENT_LOAD_CELL:
    v[0] = rounded(tension_n + 1500 * s->bias[i] + NOISE(500), 100);
    break;
  case INSTRUMENT_HANGOFF_ANGLE:
    v[0] = acos(1 - 1.6e5 / level_n) + 0.003 * a * sin(w * t) + NOISE(1e-3);
    v[1] = PI + NOISE(1e-3);
    break;
  case INSTRUMENT_TOUCHDOWN:
    v[0] = rounded(-390 + NOISE(1), 0.1);
    v[1] = rounded(NOISE(1), 0.1);
    break;
  default:
    break;
  }
#undef NOISE
}

// A failure of one instrument from begin_s on.
enum failure { NOTHING, DRIFT, JUMP, WILD, REPEAT, STOPS, COPIES, COPIES_LATE, LATE, SLOW, GAPS };
struct wrong {
  int at;
  enum failure how;
  double begin_s, size; // of a drift per second
  int of;               // COPIES: which one
};

static void fail_at(struct scene *s, const struct wrong *f, double t, double v[READING_CHANNELS]) {
  if (f->how == DRIFT)
    v[0] += f->size * (t - f->begin_s);
  if (f->how == JUMP)
    v[0] += f->size;
  for (int k = 0; k < 2 && f->how == WILD; k++)
    v[k] = f->size * (2 * random_uniform(&s->random) - 1);
  if (f->how == REPEAT)
    v[0] = f->size;
  if (f->how == STOPS)
    memcpy(v, s->readings.instrument[f->at].value, sizeof s->readings.instrument[0].value);
  if (f->how == COPIES)
    memcpy(v, s->readings.instrument[f->of].value, sizeof s->readings.instrument[0].value);
  if (f->how == COPIES_LATE)
    memcpy(v, s->previous[f->of], sizeof s->previous[0]);
}

static void scene_step(struct scene *s, double t, const struct wrong *wrong, int seeded_count) {
  static const double none[3] = {0, 0, 0};
  long step = lround(t / 0.1);
  for (int i = 0; i < COUNT; i++) {
    struct reading *r = &s->readings.instrument[i];
    double v[READING_CHANNELS], late_s = 0;
    int is_due = step % lround(SUITE[i].period_s / 0.1) == 0;
    if (!is_due)
      continue;
    see(s, i, t, v);
    for (int k = 0; k < seeded_count; k++) {
      if (wrong[k].at != i || t < wrong[k].begin_s)
        continue;
      fail_at(s, &wrong[k], t, v);
      late_s = wrong[k].how == LATE ? 3 : 0;
      is_due = is_due && !(wrong[k].how == SLOW && step % 50) &&
               !(wrong[k].how == GAPS && random_uniform(&s->random) < 0.7);
    }
    if (!is_due)
      continue;
    memcpy(s->previous[i], r->value, sizeof r->value);
    memcpy(r->value, v, sizeof r->value);
    r->sequence++;
    r->time_s = t - late_s;
  }
  ck_assert_int_eq(
      navigation_sample(&s->state, &s->def, &s->observer, &s->wind, &s->readings, none, t, &s->out),
      STATUS_OK);
  for (int i = 0; i < COUNT; i++) {
    s->doubts += s->state.watch[i].doubt != DOUBT_NONE;
    s->frozen += s->state.use[i] == USE_FROZEN;
  }
}

// Runs to end_s. Returns the time from begin_s of the first failure until its instrument is doubted or not in
// use; NAN: never.
static double run(struct scene *s, double end_s, const struct wrong *wrong, int count) {
  double seen_s = NAN;
  for (long n = 0; 0.1 * (double)n <= end_s; n++) {
    scene_step(s, 0.1 * (double)n, wrong, count);
    if (count && isnan(seen_s) && 0.1 * (double)n >= wrong[0].begin_s &&
        (s->state.watch[wrong[0].at].doubt || s->state.use[wrong[0].at] != USE_IN_USE))
      seen_s = 0.1 * (double)n - wrong[0].begin_s;
  }
  return seen_s;
}

// An hour each: seas that differ, and a vessel that moves 30 m to and fro.
START_TEST(sound_instruments_are_never_doubted) {
  static struct scene s;
  for (int n = 0; n < 6; n++) {
    scene_begin(&s, 100 + (uint64_t)n);
    s.wave_m = 0.1 + 0.5 * n;
    s.slow_m = n % 2 ? 30 : 0;
    run(&s, 3600, NULL, 0);
    ck_assert_int_eq(s.doubts, 0);
    ck_assert_int_eq(s.frozen, 0);
    ck_assert_uint_eq(s.state.rejected, 0);
  }
}
END_TEST

// One that measures often is frozen after twenty measurements and 5 s, also if all of its kind stop at once;
// one that measures once in a second, after 20 s.
START_TEST(one_that_stops_is_seen_by_its_measurements) {
  static const struct wrong gyros[] = {
      {Y1, STOPS, 150, 0, 0}, {Y2, STOPS, 150, 0, 0}, {Y3, STOPS, 150, 0, 0}};
  static const struct wrong single[] = {
      {M1, STOPS, 150, 0, 0}, {C1, STOPS, 150, 0, 0}, {ANGLE, STOPS, 150, 0, 0}};
  static const struct wrong slow = {G1, STOPS, 150, 0, 0};
  static struct scene s;
  scene_begin(&s, 11);
  run(&s, 154, gyros, 3);
  ck_assert_int_eq(s.frozen, 0);
  for (long n = 1541; n <= 1560; n++)
    scene_step(&s, 0.1 * (double)n, gyros, 3);
  ck_assert_int_eq(navigation_instrument_count(&s.state, &s.def, INSTRUMENT_GYRO, USE_FROZEN), 3);
  for (size_t k = 0; k < sizeof single / sizeof *single; k++) {
    scene_begin(&s, 20 + k);
    run(&s, 156, &single[k], 1);
    ck_assert_int_eq(s.state.use[single[k].at], USE_FROZEN);
  }
  scene_begin(&s, 30);
  run(&s, 168, &slow, 1);
  ck_assert_int_eq(s.frozen, 0);
}
END_TEST

// Failures of one instrument, with the longest time until it is seen. No other one is doubted in its place.
START_TEST(one_that_fails_is_seen) {
  static const struct {
    struct wrong wrong;
    double within_s;
  } cases[] = {
      {{G1, DRIFT, 150, 0.1, 0}, 30},     {{G2, JUMP, 150, 9.7, 0}, 2},
      {{Y1, DRIFT, 150, 9.4e-4, 0}, 30},  {{M2, DRIFT, 150, 1.2e-4, 0}, 60},
      {{M1, JUMP, 150, 0.012, 0}, 2},     {{W1, JUMP, 150, 11, 0}, 5},
      {{W2, REPEAT, 150, 12, 0}, 30},     {{LOG, JUMP, 150, 1.6, 0}, 30},
      {{LOG, REPEAT, 150, 2.7, 0}, 30},   {{C1, JUMP, 150, 56e3, 0}, 10},
      {{C1, WILD, 150, 93e3, 0}, 10},     {{C2, DRIFT, 150, 560, 0}, 60},
      {{ANGLE, WILD, 150, 0.1, 0}, 10},   {{ANGLE, REPEAT, 150, 0.1, 0}, 10},
      {{ANGLE, JUMP, 150, 0.059, 0}, 30}, {{ROV, REPEAT, 150, 52, 0}, 30},
      {{ROV, JUMP, 150, 31, 0}, 10},      {{G1, COPIES_LATE, 150, 0, G2}, 20},
      {{G3, COPIES, 150, 0, G1}, 20},     {{Y2, COPIES, 150, 0, Y1}, 5},
      {{M1, COPIES_LATE, 150, 0, M2}, 5}, {{W3, COPIES, 150, 0, W1}, 20},
      {{C2, COPIES, 150, 0, C1}, 5},      {{G1, LATE, 150, 0, 0}, 10},
      {{Y3, LATE, 150, 0, 0}, 10},        {{LOG, SLOW, 150, 0, 0}, 30},
      {{G2, SLOW, 150, 0, 0}, 30},        {{M3, GAPS, 150, 0, 0}, 10},
      {{W1, GAPS, 150, 0, 0}, 30},
  };
  static struct scene s;
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    const struct wrong *w = &cases[n].wrong;
    scene_begin(&s, 7 + n);
    double seen_s = run(&s, 250, w, 1);
    ck_assert_msg(seen_s <= cases[n].within_s, "case %zu, %s: seen after %g s", n, SUITE[w->at].name, seen_s);
    for (int i = 0; i < COUNT; i++)
      ck_assert_msg(i == w->at || s.state.use[i] == USE_IN_USE, "case %zu: %s is %s", n, SUITE[i].name,
                    instrument_use_name((enum instrument_use)s.state.use[i]));
    ck_assert_double_le(fabs(s.out.position_n_m[0]), 1.5);
  }
}
END_TEST

// Two that copy are one opinion: when the one that is copied drifts, both are wrong, and the third is right.
START_TEST(copies_do_not_outvote_the_sound_one) {
  static const struct wrong wrong[] = {{G1, DRIFT, 200, 0.1, 0}, {G2, COPIES, 140, 0, G1}};
  static struct scene s;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    scene_begin(&s, seed);
    run(&s, 199, wrong, 2);
    ck_assert_int_eq(s.state.watch[G2].doubt, DOUBT_COPY);
    ck_assert_int_eq(s.state.watch[G2].copy_of, G1);
    run(&s, 300, wrong, 2);
    ck_assert_int_eq(s.state.use[G3], USE_IN_USE);
    ck_assert_int_eq(s.state.use[G1], USE_REJECTED);
    ck_assert_int_eq(s.state.use[G2], USE_REJECTED);
    ck_assert_double_le(fabs(s.out.position_n_m[0]), 2);
  }
}
END_TEST

// Of two that differ neither is taken out, unless one has left its level.
START_TEST(two_that_differ_are_both_named) {
  static const struct wrong wrong = {C1, JUMP, 0, 25e3, 0};
  static struct scene s;
  scene_begin(&s, 3);
  int both = 0;
  for (long n = 0; n <= 2500; n++) {
    scene_step(&s, 0.1 * (double)n, &wrong, 1);
    both |= s.state.watch[C1].doubt == DOUBT_DIFFERS && s.state.watch[C2].doubt == DOUBT_DIFFERS;
    ck_assert_int_eq(s.state.use[C2], USE_IN_USE);
  }
  ck_assert_int_eq(both, 1);
}
END_TEST

// A single one that is out of use leaves its last value, and comes back when it is sound again.
START_TEST(a_doubt_ends) {
  static const struct wrong wrong = {ANGLE, WILD, 150, 0.1, 0};
  static struct scene s;
  scene_begin(&s, 5);
  run(&s, 200, &wrong, 1);
  ck_assert_int_eq(s.state.use[ANGLE], USE_REJECTED);
  ck_assert_double_eq_tol(s.out.inclination_rad, acos(1 - 1.6e5 / 2.8e5), 0.02);
  for (long n = 2001; n <= 2400; n++)
    scene_step(&s, 0.1 * (double)n, NULL, 0);
  ck_assert_int_eq(s.state.use[ANGLE], USE_IN_USE);
  ck_assert_int_eq(s.state.watch[ANGLE].doubt, DOUBT_NONE);
}
END_TEST

// Without sigma_limit nothing is doubted.
START_TEST(the_tests_can_be_switched_off) {
  static const struct wrong wrong = {ANGLE, WILD, 150, 0.1, 0};
  static struct scene s;
  scene_begin(&s, 5);
  s.def.sigma_limit = 0;
  run(&s, 200, &wrong, 1);
  ck_assert_int_eq(s.doubts, 0);
}
END_TEST

START_TEST(a_state_from_a_file_is_checked) {
  static struct scene s;
  struct reason why;
  scene_begin(&s, 1);
  run(&s, 20, NULL, 0);
  ck_assert_int_eq(navigation_state_is_valid(&s.observer, &s.state, &why), 1);
  s.state.watch[3].doubt = DOUBT_COUNT;
  ck_assert_int_eq(navigation_state_is_valid(&s.observer, &s.state, &why), 0);
  s.state.watch[3].doubt = DOUBT_NONE;
  s.state.watch[4].level[1].variance = NAN;
  ck_assert_int_eq(navigation_state_is_valid(&s.observer, &s.state, &why), 0);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("instrument watch");
  TCase *tc = add_case(suite, "instrument watch", 300);
  tcase_add_test(tc, sound_instruments_are_never_doubted);
  tcase_add_test(tc, one_that_stops_is_seen_by_its_measurements);
  tcase_add_test(tc, one_that_fails_is_seen);
  tcase_add_test(tc, copies_do_not_outvote_the_sound_one);
  tcase_add_test(tc, two_that_differ_are_both_named);
  tcase_add_test(tc, a_doubt_ends);
  tcase_add_test(tc, the_tests_can_be_switched_off);
  tcase_add_test(tc, a_state_from_a_file_is_checked);
  return run_suite(suite);
}
