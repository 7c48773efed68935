// Instruments: measurements of a moving vessel, errors, timing, and faults.
#include "sagbend/faults/faults.h"
#include "sagbend/instruments/instruments.h"
#include "sagbend/math/math.h"
#include "sagbend/signals/signals.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double STEP_S = 0.01;

// The instruments of one test, with their memory.
struct bench {
  struct instruments_def def;
  struct instruments suite;
  struct readings readings;
  struct fault_set faults;
  struct sim_output truth;
  void *mem;
};

static struct instrument_error *error_of(struct instrument_def *d, const char *quantity) {
  const struct instrument_quantity *q;
  for (int i = 0; (q = instrument_quantity(d->kind, i)); i++)
    if (!strcmp(q->name, quantity)) {
      struct instrument_error *e = &d->error[d->error_count++];
      snprintf(e->quantity, sizeof e->quantity, "%s", quantity);
      e->channels = q->channels;
      return e;
    }
  ck_abort_msg("no quantity %s", quantity);
  return NULL;
}

static struct bench *bench_new(uint64_t seed) {
  struct bench *b = calloc(1, sizeof *b);
  b->def.seed = seed;
  b->truth.quaternion_nb[0] = 1;
  b->truth.touchdown_arc_length_m = 100;
  return b;
}

static struct instrument_def *bench_add(struct bench *b, enum instrument kind, const char *name,
                                        double rate_hz) {
  struct instrument_def *d = &b->def.instrument[b->def.count++];
  d->kind = kind;
  d->rate_hz = rate_hz;
  d->share = 1;
  snprintf(d->name, sizeof d->name, "%s", name);
  return d;
}

static void bench_start(struct bench *b) {
  b->mem = malloc(instruments_memsize(&b->def, STEP_S));
  instruments_create(&b->suite, &b->def, STEP_S, &b->truth, b->mem);
  instruments_get_readings(&b->suite, &b->readings);
  instruments_measure(&b->suite, NULL, &b->truth, &b->faults, &b->readings);
}

static void bench_free(struct bench *b) {
  free(b->mem);
  free(b);
}

static void bench_step(struct bench *b) {
  b->truth.step++;
  b->truth.time_s = (double)b->truth.step * STEP_S;
  instruments_measure(&b->suite, NULL, &b->truth, &b->faults, &b->readings);
}

static void bench_fault(struct bench *b, enum fault_kind kind, int target, double first, double second) {
  b->faults.fault[b->faults.count++] =
      (struct fault){.kind = kind, .target = target, .since_s = b->truth.time_s, .value = {first, second}};
}

// Pose and rates of a moving and turning vessel: angles as smooth functions of time, differentiated below.
static void pose_at(double t, double position[3], double euler[3]) {
  for (int i = 0; i < 3; i++) {
    position[i] = 10 * i + 3 * sin(0.3 * t + i) + 0.5 * t;
    euler[i] = 0.2 * (i + 1) * sin(0.5 * t + 2 * i);
  }
  euler[2] += 0.4 * t;
}

static void truth_at(double t, struct sim_output *o) {
  const double e = 1e-5;
  double plus[2][3], minus[2][3];
  pose_at(t, o->position_n_m, o->euler_rad);
  pose_at(t + e, plus[0], plus[1]);
  pose_at(t - e, minus[0], minus[1]);
  quat q = quat_of_euler(o->euler_rad), q1 = quat_of_euler(plus[1]), q0 = quat_of_euler(minus[1]);
  mat3 r = quat_matrix(q), r1 = quat_matrix(q1), r0 = quat_matrix(q0);
  vec3 v_n;
  double *v = &v_n.x;
  for (int i = 0; i < 3; i++) {
    v[i] = (plus[0][i] - minus[0][i]) / (2 * e);
    o->euler_rate_radps[i] = (plus[1][i] - minus[1][i]) / (2 * e);
  }
  mat3 rate, rt = mat3_transpose(&r);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      rate.m[i][j] = (r1.m[i][j] - r0.m[i][j]) / (2 * e);
  mat3 hat = mat3_product(&rt, &rate); // R' dR/dt = hat(omega_b)
  vec3_to(mat3_tmul(&r, v_n), o->velocity_b);
  o->velocity_b[3] = hat.m[2][1], o->velocity_b[4] = hat.m[0][2], o->velocity_b[5] = hat.m[1][0];
  const double quaternion[4] = {q.w, q.x, q.y, q.z};
  memcpy(o->quaternion_nb, quaternion, sizeof quaternion);
  vec3_to(v_n, o->velocity_n_mps);
  o->euler_rad[2] = trig_wrap(o->euler_rad[2]);
}

static void place_at(double t, const double arm[3], double out[3]) {
  double position[3], euler[3];
  pose_at(t, position, euler);
  mat3 r = quat_matrix(quat_of_euler(euler));
  vec3_to(vec3_add(vec3_of(position), mat3_mul(&r, vec3_of(arm))), out);
}

// Position and velocity of an instrument by differentiating its position, not by omega x r.
START_TEST(places_move_as_a_rigid_body) {
  const double arm[3] = {25, -7, -28};
  struct bench *b = bench_new(1);
  const enum instrument kinds[] = {INSTRUMENT_GNSS, INSTRUMENT_MOTION, INSTRUMENT_WIND, INSTRUMENT_SPEED_LOG,
                                   INSTRUMENT_GYRO};
  for (int i = 0; i < 5; i++)
    memcpy(bench_add(b, kinds[i], instrument_name(kinds[i]), 100)->position_b_m, arm, sizeof arm);
  truth_at(0, &b->truth);
  double level = b->truth.position_n_m[2];
  bench_start(b);
  for (int k = 0; k < 500; k++) {
    double t = b->truth.time_s, p[3], p1[3], p0[3], v[3], e = 1e-5;
    place_at(t, arm, p), place_at(t + e, arm, p1), place_at(t - e, arm, p0);
    for (int i = 0; i < 3; i++)
      v[i] = (p1[i] - p0[i]) / (2 * e);
    const struct reading *r = b->readings.instrument;
    for (int i = 0; i < 3; i++)
      ck_assert_double_eq_tol(r[0].value[i], p[i], 1e-12 * 100);
    ck_assert_double_eq_tol(r[0].value[3], v[0], 1e-7);
    ck_assert_double_eq_tol(r[0].value[4], v[1], 1e-7);
    ck_assert_double_eq_tol(r[1].value[0], b->truth.euler_rad[0], 1e-15);
    ck_assert_double_eq_tol(r[1].value[1], b->truth.euler_rad[1], 1e-15);
    ck_assert_double_eq_tol(r[1].value[2], p[2] - arm[2] - level, 1e-11);
    ck_assert_double_eq_tol(r[1].value[3], b->truth.euler_rate_radps[0], 1e-15);
    ck_assert_double_eq_tol(r[4].value[0], b->truth.euler_rad[2], 1e-15);
    ck_assert_double_eq_tol(r[4].value[1], b->truth.euler_rate_radps[2], 1e-15);
    // in still air and water: the velocity of the instrument, in body axes
    double euler[3], position[3];
    pose_at(t, position, euler);
    mat3 attitude = quat_matrix(quat_of_euler(euler));
    vec3 own = mat3_tmul(&attitude, vec3_of(v));
    ck_assert_double_eq_tol(r[3].value[0], own.x, 1e-7);
    ck_assert_double_eq_tol(r[3].value[1], own.y, 1e-7);
    ck_assert_double_eq_tol(r[2].value[0], hypot(own.x, own.y), 1e-7);
    ck_assert_double_eq_tol(r[2].value[0] * cos(r[2].value[1]), own.x, 1e-6); // head wind
    ck_assert_double_eq_tol(r[2].value[0] * sin(r[2].value[1]), own.y, 1e-6);
    truth_at((double)(b->truth.step + 1) * STEP_S, &b->truth);
    bench_step(b);
  }
  bench_free(b);
}
END_TEST

START_TEST(the_pipe_is_measured) {
  struct bench *b = bench_new(1);
  bench_add(b, INSTRUMENT_LOAD_CELL, "whole", 100);
  bench_add(b, INSTRUMENT_LOAD_CELL, "half", 100)->share = 0.5;
  bench_add(b, INSTRUMENT_HANGOFF_ANGLE, "angle", 100);
  bench_add(b, INSTRUMENT_TOUCHDOWN, "rov", 100);
  struct sim_output *o = &b->truth;
  o->has_pipe = 1;
  o->hangoff_tension_n = 1.5e6;
  o->hangoff_angle_rad = 1.2;
  o->hangoff_force_n_n[0] = -3, o->hangoff_force_n_n[1] = 3;
  o->euler_rad[2] = -2.5;
  o->touchdown_n_m[0] = 7, o->touchdown_n_m[1] = 8, o->touchdown_n_m[2] = 9;
  bench_start(b);
  const struct reading *r = b->readings.instrument;
  ck_assert_double_eq(r[0].value[0], 1.5e6);
  ck_assert_double_eq(r[1].value[0], 0.75e6);
  ck_assert_double_eq(r[2].value[0], 1.2);
  ck_assert_double_eq_tol(r[2].value[1], 0.75 * TRIG_PI + 2.5 - 2 * TRIG_PI, 1e-14);
  ck_assert(r[3].valid && r[3].value[0] == 7 && r[3].value[1] == 8 && r[3].value[2] == 9);
  o->touchdown_arc_length_m = (double)NAN; // the pipe has left the seabed
  o->touchdown_n_m[0] = o->touchdown_n_m[1] = o->touchdown_n_m[2] = (double)NAN;
  bench_step(b);
  ck_assert(!r[3].valid && r[3].sequence == 2 && r[3].value[0] == 0);
  bench_free(b);
}
END_TEST

// A measurement is taken in each period and becomes available exactly one latency later; nothing changes in
// between.
START_TEST(telegrams_keep_their_rate_and_latency) {
  const struct {
    double rate_hz, latency_s;
    uint64_t period, latency;
  } cases[] = {{100, 0, 1, 0},         {10, 0.07, 10, 7}, {1, 0.3, 100, 30},
               {1.0 / 3, 1, 300, 100}, {50, 0.5, 2, 50},  {5, 20, 20, 2000}};
  struct bench *b = bench_new(1);
  for (int i = 0; i < 6; i++) {
    struct instrument_def *d = bench_add(b, INSTRUMENT_LOAD_CELL, "load", cases[i].rate_hz);
    snprintf(d->name, sizeof d->name, "load-%d", i);
    d->latency_s = cases[i].latency_s;
  }
  bench_start(b);
  for (uint64_t step = 0; step < 5000; step++) {
    for (int i = 0; i < 6; i++) {
      const struct reading *r = &b->readings.instrument[i];
      uint64_t period = cases[i].period, latency = cases[i].latency;
      uint64_t expected = step < latency ? 0 : (step - latency) / period + 1,
               at = expected ? (expected - 1) * period : 0;
      ck_assert_msg(r->sequence == expected && r->time_s == (double)at * STEP_S &&
                        r->value[0] == (double)at && r->valid == (expected > 0),
                    "instrument %d, step %llu", i, (unsigned long long)step);
    }
    b->truth.hangoff_tension_n = (double)(step + 1);
    bench_step(b);
  }
  bench_free(b);
}
END_TEST

enum { SERIES = 400000 };

// n measurements of a load cell at 10 Hz that contain its errors only.
static double *series_of(const struct instrument_error *e, uint64_t seed, int n) {
  struct bench *b = bench_new(seed);
  struct instrument_def *d = bench_add(b, INSTRUMENT_LOAD_CELL, "load", 100);
  struct instrument_error *mine = error_of(d, "tension_n");
  unsigned channels = mine->channels;
  *mine = *e;
  mine->channels = channels;
  double *x = malloc((size_t)n * sizeof *x);
  bench_start(b);
  for (int k = 0; k < n; k++, bench_step(b))
    x[k] = b->readings.instrument[0].value[0];
  bench_free(b);
  return x;
}

static double mean_of(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i];
  return sum / n;
}

static double covariance(const double *x, int n, int lag) {
  double sum = 0;
  for (int i = 0; i + lag < n; i++)
    sum += x[i] * x[i + lag];
  return sum / (n - lag);
}

// One-sided power spectral density at a frequency, per Hz, averaged over segments and neighbouring
// frequencies.
static double density_at(const double *x, int n, double frequency_hz, double step_s) {
  enum { SEGMENT = 4000, NEIGHBOURS = 5 };
  double sum = 0;
  int count = 0;
  for (int k = -NEIGHBOURS; k <= NEIGHBOURS; k++) {
    int line = (int)(frequency_hz * SEGMENT * step_s + 0.5) + k;
    for (int s = 0; s + SEGMENT <= n; s += SEGMENT, count++) {
      double c = 0, d = 0;
      for (int i = 0; i < SEGMENT; i++) {
        double hann = 0.5 - 0.5 * cos(2 * TRIG_PI * i / SEGMENT), phase = 2 * TRIG_PI * line * i / SEGMENT;
        c += hann * x[s + i] * cos(phase);
        d += hann * x[s + i] * sin(phase);
      }
      sum += 2 * step_s * (c * c + d * d) / (0.375 * SEGMENT);
    }
  }
  return sum / count;
}

// For any step size: the k-th measurement is taken at the step nearest to k / rate and becomes available at
// the first step after its latency; no drift over hours.
START_TEST(periods_and_latencies_are_times) {
  static const double steps_s[] = {0.001, 0.003, 0.01, 0.025, 0.07},
                      rates_hz[] = {0.333333, 1, 7, 2.5, 10, 13.9},
                      latencies_s[] = {0, 0.02, 0.3, 0.0005, 1.2345};
  double step_s = steps_s[_i];
  struct bench *b = bench_new(1);
  for (int i = 0; i < 6; i++) {
    char name[8] = {'a', (char)('0' + i)};
    bench_add(b, INSTRUMENT_GYRO, name, rates_hz[i])->latency_s = latencies_s[i % 5];
    ck_assert(instrument_rate_fits(rates_hz[i], step_s));
  }
  b->mem = malloc(instruments_memsize(&b->def, step_s));
  instruments_create(&b->suite, &b->def, step_s, &b->truth, b->mem);
  instruments_get_readings(&b->suite, &b->readings);
  uint64_t told[6] = {0};
  for (; b->truth.time_s < 60; b->truth.step++, b->truth.time_s = (double)b->truth.step * step_s) {
    instruments_measure(&b->suite, NULL, &b->truth, &b->faults, &b->readings);
    for (int i = 0; i < 6; i++) {
      const struct reading *r = &b->readings.instrument[i];
      if (r->sequence == told[i])
        continue;
      ck_assert_uint_eq(r->sequence, ++told[i]); // none is missing, none is repeated
      double scheduled_s = (double)(r->sequence - 1) / rates_hz[i], age_s = b->truth.time_s - r->time_s;
      ck_assert_double_le(fabs(r->time_s - scheduled_s), (0.5 + 2e-3 * (1 + 0.05 * scheduled_s)) * step_s);
      ck_assert_double_ge(age_s, latencies_s[i % 5] - 2e-3 * step_s);
      ck_assert_double_lt(age_s, latencies_s[i % 5] + (1 + 1e-6) * step_s);
    }
  }
  for (int i = 0; i < 6; i++) {
    ck_assert_double_ge((double)told[i], (60 - latencies_s[i % 5] - 2 * step_s) * rates_hz[i] - 1);
    uint64_t hours = (uint64_t)(1e6 / step_s),
             by = instrument_measurements_by(&b->suite.plan[i], hours); // eleven days
    double due = (double)hours * step_s * rates_hz[i];
    if (!b->suite.plan[i].period_steps)
      ck_assert_double_le(fabs((double)by - 1 - due), 1);
  }
  ck_assert(!instrument_rate_fits(1.01 / step_s, step_s) && instrument_rate_fits(1 / step_s, step_s));
  bench_free(b);
}
END_TEST

START_TEST(white_noise_is_white) {
  double *x = series_of(&(struct instrument_error){.white = 3, .bias = 10}, 11, SERIES);
  double mean = mean_of(x, SERIES);
  ck_assert_double_eq_tol(mean, 10, 4 * 3 / sqrt(SERIES));
  for (int i = 0; i < SERIES; i++)
    x[i] -= 10;
  ck_assert_double_eq_tol(covariance(x, SERIES, 0), 9, 4 * 9 * sqrt(2.0 / SERIES));
  for (int lag = 1; lag < 200; lag++)
    ck_assert_double_eq_tol(covariance(x, SERIES, lag), 0, 4.5 * 9 / sqrt(SERIES));
  for (double f = 1; f < 49; f += 8) // flat: variance over the band up to half the rate
    ck_assert_double_eq_tol(density_at(x, SERIES, f, STEP_S) / (9 / 50.0), 1, 0.15);
  free(x);
}
END_TEST

// Stationary from the first measurement; autocovariance s^2 exp(-t / T), one-sided spectrum 4 s^2 T / (1 + (2
// pi f T)^2).
START_TEST(markov_noise_has_its_correlation_and_spectrum) {
  const double s = 2, time_s = 0.5;
  struct instrument_error e = {.markov = s, .markov_time_s = time_s};
  double *x = series_of(&e, 12, SERIES);
  double independent = SERIES * STEP_S / time_s; // effective number of samples
  ck_assert_double_eq_tol(mean_of(x, SERIES), 0, 4 * s * sqrt(2 / independent));
  const int lags[] = {0, 10, 25, 50, 100, 200};
  for (int i = 0; i < 6; i++)
    ck_assert_double_eq_tol(covariance(x, SERIES, lags[i]), s * s * exp(-lags[i] * STEP_S / time_s),
                            4 * s * s * sqrt(2 / independent));
  const double frequencies[] = {0.25, 0.5, 1, 2, 5};
  for (int i = 0; i < 5; i++) {
    double w = 2 * TRIG_PI * frequencies[i] * time_s;
    ck_assert_double_eq_tol(
        density_at(x, SERIES, frequencies[i], STEP_S) / (4 * s * s * time_s / (1 + w * w)), 1, 0.15);
  }
  free(x);
  double square = 0;
  for (uint64_t seed = 0; seed < 4000; seed++) {
    x = series_of(&e, seed, 1);
    square += x[0] * x[0] / 4000;
    free(x);
  }
  ck_assert_double_eq_tol(square, s * s, 4 * s * s * sqrt(2.0 / 4000));
}
END_TEST

// Variance grows with time; its steps are independent, so its spectrum falls with the square of the
// frequency.
START_TEST(random_walk_spreads_with_the_root_of_time) {
  enum { RUNS = 3000, LENGTH = 401 };
  const double walk = 0.7;
  double at_1s = 0, at_4s = 0, both = 0;
  for (uint64_t seed = 0; seed < RUNS; seed++) {
    double *x = series_of(&(struct instrument_error){.walk = walk}, seed, LENGTH);
    ck_assert_double_eq(x[0], 0);
    at_1s += x[100] * x[100] / RUNS;
    at_4s += x[400] * x[400] / RUNS;
    both += x[100] * x[400] / RUNS;
    free(x);
  }
  double tolerance = 4 * sqrt(2.0 / RUNS);
  ck_assert_double_eq_tol(at_1s / (walk * walk), 1, tolerance);
  ck_assert_double_eq_tol(at_4s / (4 * walk * walk), 1, tolerance);
  ck_assert_double_eq_tol(both / (walk * walk), 1, 2 * tolerance);
  double *x = series_of(&(struct instrument_error){.walk = walk}, 5, SERIES);
  for (int i = 0; i + 1 < SERIES; i++) // one-sided spectrum of its derivative: 2 walk^2
    x[i] = (x[i + 1] - x[i]) / STEP_S;
  for (double f = 1; f < 40; f += 8)
    ck_assert_double_eq_tol(density_at(x, SERIES - 1, f, STEP_S) / (2 * walk * walk), 1, 0.15);
  free(x);
}
END_TEST

START_TEST(bias_scale_quantum_and_range) {
  enum { RUNS = 4000 };
  double mean = 0, square = 0;
  for (uint64_t seed = 0; seed < RUNS; seed++) {
    double *x = series_of(&(struct instrument_error){.bias = 5, .bias_random = 2}, seed, 3);
    ck_assert(x[0] == x[1] && x[1] == x[2]);
    mean += x[0] / RUNS;
    square += (x[0] - 5) * (x[0] - 5) / RUNS;
    free(x);
  }
  ck_assert_double_eq_tol(mean, 5, 4 * 2 / sqrt(RUNS));
  ck_assert_double_eq_tol(square, 4, 4 * 4 * sqrt(2.0 / RUNS));

  struct bench *b = bench_new(1);
  struct instrument_def *d = bench_add(b, INSTRUMENT_LOAD_CELL, "load", 100);
  *error_of(d, "tension_n") =
      (struct instrument_error){.channels = 1, .scale = 0.25, .quantum = 0.5, .range = 100};
  bench_start(b);
  const double in[] = {0, 1, 1.3, -1.3, 2.56, 79.9, 80.2, -500}, out[] = {0, 1, 1.5, -1.5, 3, 100, 100, -100};
  for (int i = 0; i < 8; i++) {
    b->truth.hangoff_tension_n = in[i];
    bench_step(b);
    ck_assert_double_eq(b->readings.instrument[0].value[0], out[i]);
    ck_assert_int_eq(b->readings.instrument[0].valid, i < 6);
  }
  bench_free(b);
}
END_TEST

// A large suite with everything that draws random numbers.
static struct bench *noisy_bench(uint64_t seed) {
  struct bench *b = bench_new(seed);
  b->def.scene.target_count = 3;
  for (int k = 0; k < 3; k++)
    b->def.scene.target[k] =
        (struct target_def){.structure = -1, .position_m = {90.0 * k, 40.0 * k * k, 100}};
  for (int k = 0; k < INSTRUMENT_COUNT; k++)
    for (int n = 0; n < 2; n++) {
      char name[SIGNAL_NAME];
      snprintf(name, sizeof name, "%s-%d", instrument_name((enum instrument)k), n);
      struct instrument_def *d = bench_add(b, (enum instrument)k, name, k % 2 ? 10 : 25);
      d->latency_s = 0.03 * k;
      d->reference = (struct reference_def){.target = {0, 1, 2}, .target_count = 3, .water = {1490, -0.1}};
      d->reference.wire.tension_n = 4000, d->reference.wire.clump_n = 8000, d->reference.wire.friction = 5;
      const struct instrument_quantity *q;
      for (int i = 0; (q = instrument_quantity(d->kind, i)); i++) {
        struct instrument_error *e = error_of(d, q->name);
        e->white = 0.01, e->markov = 0.02, e->markov_time_s = 3, e->walk = 0.001, e->bias_random = 0.01;
      }
    }
  b->truth.position_n_m[0] = 50;
  b->truth.hangoff_tension_n = 1000;
  bench_start(b);
  return b;
}

START_TEST(same_seed_same_bits) {
  struct bench *a = noisy_bench(1), *b = noisy_bench(1), *other = noisy_bench(2);
  int differ[2 * INSTRUMENT_COUNT] = {0};
  for (int k = 0; k < 1000; k++) {
    ck_assert_mem_eq(a->mem, b->mem, a->suite.state_bytes);
    ck_assert_mem_eq(&a->readings, &b->readings, sizeof a->readings);
    for (int i = 0; i < a->def.count; i++)
      differ[i] |= memcmp(a->readings.instrument[i].value, other->readings.instrument[i].value,
                          sizeof a->readings.instrument[i].value) != 0;
    bench_step(a), bench_step(b), bench_step(other);
  }
  for (int i = 0; i < a->def.count; i++)
    ck_assert_int_eq(differ[i], 1);
  // two instruments of a kind at one position have different noise
  for (int i = 0; i + 1 < a->def.count; i += 2)
    ck_assert_mem_ne(a->readings.instrument[i].value, a->readings.instrument[i + 1].value, sizeof(double));
  bench_free(a), bench_free(b), bench_free(other);
}
END_TEST

// The state is plain bytes: copied into another suite, it continues with the same readings, also during
// faults.
START_TEST(a_copied_state_goes_on) {
  struct bench *a = noisy_bench(1), *b = noisy_bench(99);
  for (int k = 0; k < 777; k++) {
    if (k == 100)
      bench_fault(a, FAULT_OUTLIERS, -1, 5, 0.3), bench_fault(a, FAULT_DELAY, 3, 2, 0),
          bench_fault(a, FAULT_INTERMITTENT, 5, 0.5, 0);
    bench_step(a);
  }
  memcpy(b->mem, a->mem, a->suite.state_bytes);
  b->faults = a->faults;
  b->truth = a->truth;
  b->suite.level_m = a->suite.level_m;
  instruments_get_readings(&b->suite, &b->readings);
  for (int k = 0; k < 1000; k++) {
    ck_assert_mem_eq(&a->readings, &b->readings, sizeof a->readings);
    if (k == 400)
      a->faults.count = b->faults.count = 0;
    bench_step(a), bench_step(b);
  }
  ck_assert_mem_eq(a->mem, b->mem, a->suite.state_bytes);
  bench_free(a), bench_free(b);
}
END_TEST

// Another instrument in the list, or a further error on one, changes no bit of the others.
START_TEST(streams_do_not_meet) {
  struct bench *a = noisy_bench(1), *b = bench_new(1);
  b->def = a->def;
  b->truth = a->truth;
  struct instrument_def first = b->def.instrument[0];
  memmove(&b->def.instrument[0], &b->def.instrument[1], sizeof first * (size_t)(b->def.count - 1));
  b->def.count--;
  b->def.instrument[2].error[0].white = 0;
  bench_start(b);
  for (int k = 0; k < 500; k++, bench_step(a), bench_step(b))
    for (int i = 0; i < b->def.count; i++)
      if (i != 2)
        ck_assert_mem_eq(&a->readings.instrument[i + 1], &b->readings.instrument[i], sizeof(struct reading));
  bench_free(a), bench_free(b);
}
END_TEST

#include "instrument_faults_test.h"

// After a simulation fault nothing is measured.
START_TEST(nothing_is_measured_of_a_failed_simulation) {
  struct bench *b = noisy_bench(1);
  struct readings before = b->readings;
  b->truth.fault = 1;
  b->truth.position_n_m[0] = (double)NAN;
  for (int k = 0; k < 50; k++)
    bench_step(b);
  ck_assert_mem_eq(&before, &b->readings, sizeof before);
  bench_free(b);
}
END_TEST

START_TEST(tables_are_whole) {
  for (int k = 0; k < FAULT_COUNT; k++)
    ck_assert_ptr_nonnull(fault_help((enum fault_kind)k));
  for (int k = 0; k < INSTRUMENT_COUNT; k++) {
    unsigned all = 0;
    const struct instrument_quantity *q;
    for (int i = 0; (q = instrument_quantity((enum instrument)k, i)); i++) {
      ck_assert_int_eq(all & q->channels, 0);
      ck_assert_int_lt(i, MAX_ERRORS);
      all |= q->channels;
    }
    // every channel has errors, except accuracy estimates, mode and brake of a tensioner, numbers and signals
    // of targets, what an acoustic system computes, and the switch of a slack wire
    ck_assert_uint_eq(all | (k == INSTRUMENT_GNSS                             ? 0x20u
                             : k == INSTRUMENT_TENSIONER                      ? 0x06u
                             : k == INSTRUMENT_HYDROACOUSTIC                  ? 0x14u
                             : k == INSTRUMENT_LBL                            ? 0x08u
                             : k == INSTRUMENT_TAUT_WIRE                      ? 0x10u
                             : k == INSTRUMENT_LASER || k == INSTRUMENT_RADAR ? 0x18u
                                                                              : 0),
                      (1u << instrument_channel_count((enum instrument)k)) - 1);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("instruments");
  TCase *t = add_case(suite, "instruments", 60);
  tcase_add_test(t, places_move_as_a_rigid_body);
  tcase_add_test(t, the_pipe_is_measured);
  tcase_add_test(t, telegrams_keep_their_rate_and_latency);
  tcase_add_loop_test(t, periods_and_latencies_are_times, 0, 5);
  tcase_add_test(t, white_noise_is_white);
  tcase_add_test(t, markov_noise_has_its_correlation_and_spectrum);
  tcase_add_test(t, random_walk_spreads_with_the_root_of_time);
  tcase_add_test(t, bias_scale_quantum_and_range);
  tcase_add_test(t, same_seed_same_bits);
  tcase_add_test(t, a_copied_state_goes_on);
  tcase_add_test(t, streams_do_not_meet);
  tcase_add_loop_test(t, each_fault_shows, 0, FAULT_COUNT);
  tcase_add_test(t, faults_leave_the_noise_alone);
  tcase_add_test(t, faults_are_checked);
  tcase_add_test(t, delays_end_at_once);
  tcase_add_test(t, nothing_is_measured_of_a_failed_simulation);
  tcase_add_test(t, tables_are_whole);
  return run_suite(suite);
}
