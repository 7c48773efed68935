// Random streams: the generator's published vectors, distributions, independence; exp and log against libm.
#include "sagbend/math/math.h"
#include "suite.h"

#include <math.h>
#include <string.h>

START_TEST(exp_and_log_agree_with_libm) {
  struct random_stream s = random_stream_of(1);
  for (int i = 0; i < 50000; i++) {
    double x = 1400 * random_uniform(&s) - 700, y = exp(x), u = random_uniform(&s) + 0x1p-60;
    ck_assert_double_eq_tol(explog_exp(x) / y, 1, 4e-16);
    ck_assert_double_eq_tol(explog_log(y), x, 4e-16 * fabs(x) + 3e-16);
    ck_assert_double_eq_tol(explog_log(u), log(u), 4e-16 * fabs(log(u)));
    ck_assert_double_eq_tol(explog_exp(u), exp(u), 9e-16);
  }
  for (int k = -1074; k < 1024; k++)
    ck_assert_double_eq_tol(explog_log(ldexp(1, k)), log(ldexp(1, k)), 1e-13);
  ck_assert_double_eq(explog_exp(0), 1);
  ck_assert_double_eq(explog_log(1), 0);
  ck_assert_double_eq(explog_exp(-800), 0);
  ck_assert_double_eq_tol(explog_exp(-740) / exp(-740), 1, 0.01); // subnormal
  ck_assert(isinf(explog_exp(709.8)) && isfinite(explog_exp(709.78)));
  ck_assert(isinf(explog_log(0)) && isnan(explog_log(-1)) && isnan(explog_exp((double)NAN)) &&
            isnan(explog_log((double)NAN)));
  ck_assert(isinf(explog_exp((double)INFINITY)) && isinf(explog_log((double)INFINITY)) &&
            explog_exp(-(double)INFINITY) == 0);
}
END_TEST

// xoshiro256** from the state {1, 2, 3, 4}: rand_xoshiro's vector, made with the authors' C code
// (prng.di.unimi.it). splitmix64 from 1234567: Rosetta Code, likewise.
START_TEST(generator_gives_its_published_vectors) {
  const uint64_t expected[] = {UINT64_C(11520),
                               0,
                               UINT64_C(1509978240),
                               UINT64_C(1215971899390074240),
                               UINT64_C(1216172134540287360),
                               UINT64_C(607988272756665600),
                               UINT64_C(16172922978634559625),
                               UINT64_C(8476171486693032832),
                               UINT64_C(10595114339597558777),
                               UINT64_C(2904607092377533576)};
  struct random_stream s = {.state = {1, 2, 3, 4}};
  for (int i = 0; i < 10; i++)
    ck_assert_uint_eq(random_bits(&s), expected[i]);
  const uint64_t filled[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                             UINT64_C(9817491932198370423), UINT64_C(4593380528125082431)};
  s = random_stream_of(1234567);
  for (int i = 0; i < 4; i++)
    ck_assert_uint_eq(s.state[i], filled[i]);
}
END_TEST

enum { SAMPLES = 1000000, BINS = 64 };

// Chi-square of 63 degrees of freedom: beyond 111 once in 6000.
static double chi_square(const int count[BINS], const double share[BINS]) {
  double sum = 0;
  for (int b = 0; b < BINS; b++) {
    double expected = share[b] * SAMPLES;
    sum += (count[b] - expected) * (count[b] - expected) / expected;
  }
  return sum;
}

static double normal_below(double x) {
  return 0.5 * erfc(-x / sqrt(2.0));
}

START_TEST(numbers_are_uniform) {
  struct random_stream s = random_stream_of((uint64_t)_i);
  int count[BINS + 1] = {0}, outside = 0;
  double share[BINS], sum = 0, squares = 0;
  for (int i = 0; i < SAMPLES; i++) {
    double u = random_uniform(&s);
    outside += !(u >= 0 && u < 1);
    count[(int)(u * BINS)]++;
    sum += u, squares += u * u;
  }
  ck_assert_int_eq(outside, 0);
  for (int b = 0; b < BINS; b++)
    share[b] = 1.0 / BINS;
  ck_assert_double_lt(chi_square(count, share), 111);
  ck_assert_double_gt(chi_square(count, share), 29);
  ck_assert_double_eq_tol(sum / SAMPLES, 0.5, 4 * sqrt(1.0 / 12 / SAMPLES));
  ck_assert_double_eq_tol(squares / SAMPLES, 1.0 / 3, 4 * sqrt(4.0 / 45 / SAMPLES));
}
END_TEST

START_TEST(numbers_are_normal) {
  struct random_stream s = random_stream_of(random_seed((uint64_t)_i, "normal"));
  int count[BINS] = {0};
  double share[BINS], m[5] = {0}, largest = 0;
  for (int i = 0; i < SAMPLES; i++) {
    double x = random_normal(&s), bin = (x + 3.2) * 10;
    count[bin < 0 ? 0 : bin >= BINS ? BINS - 1 : (int)bin]++;
    for (int k = 1; k < 5; k++)
      m[k] += pow(x, k) / SAMPLES;
    largest = fmax(largest, fabs(x));
  }
  for (int b = 0; b < BINS; b++) {
    double low = b == 0 ? -40 : -3.2 + 0.1 * b, high = b == BINS - 1 ? 40 : -3.1 + 0.1 * b;
    share[b] = normal_below(high) - normal_below(low);
  }
  ck_assert_double_lt(chi_square(count, share), 111);
  double unit = 4 / sqrt((double)SAMPLES); // four standard errors for a variable of variance 1
  ck_assert_double_eq_tol(m[1], 0, unit);
  ck_assert_double_eq_tol(m[2], 1, unit * sqrt(2.0));
  ck_assert_double_eq_tol(m[3], 0, unit * sqrt(15.0));
  ck_assert_double_eq_tol(m[4], 3, unit * sqrt(96.0));
  ck_assert_double_gt(largest, 4.3); // the tails are present
  ck_assert_double_lt(largest, 7);
}
END_TEST

static double correlation(struct random_stream *a, struct random_stream *b, int lag) {
  double sum = 0;
  for (int i = 0; i < lag; i++)
    random_normal(b);
  for (int i = 0; i < SAMPLES; i++)
    sum += random_normal(a) * random_normal(b);
  return sum / SAMPLES;
}

START_TEST(streams_are_independent) {
  const char *const names[] = {"gnss-1", "gnss-2", "gnss-1 ", "gyro", ""};
  const double bound = 4.5 / sqrt((double)SAMPLES);
  // another name, the same name with the next seed, or the same stream shifted
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++) {
      struct random_stream a = random_stream_of(random_seed(7, names[i])),
                           b = random_stream_of(random_seed(7 + (i == j), names[j]));
      ck_assert_double_eq_tol(correlation(&a, &b, 0), 0, bound);
      a = b = random_stream_of(random_seed(7, names[i]));
      ck_assert_double_eq_tol(correlation(&a, &b, 1 + j), 0, bound);
    }
}
END_TEST

START_TEST(a_copy_goes_on_with_the_same_numbers) {
  struct random_stream a = random_stream_of(random_seed(3, "x")), b;
  random_normal(&a); // leaves a spare number
  memcpy(&b, &a, sizeof b);
  for (int i = 0; i < 1000; i++) {
    double x = random_normal(&a), y = random_normal(&b);
    ck_assert_mem_eq(&x, &y, sizeof x);
    ck_assert_mem_eq(&a, &b, sizeof a);
  }
  ck_assert_uint_ne(random_seed(3, "x"), random_seed(4, "x"));
  ck_assert_uint_ne(random_seed(3, "x"), random_seed(3, "y"));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("random");
  TCase *t = add_case(suite, "random", 60);
  tcase_add_test(t, exp_and_log_agree_with_libm);
  tcase_add_test(t, generator_gives_its_published_vectors);
  tcase_add_loop_test(t, numbers_are_uniform, 0, 4);
  tcase_add_loop_test(t, numbers_are_normal, 0, 4);
  tcase_add_test(t, streams_are_independent);
  tcase_add_test(t, a_copy_goes_on_with_the_same_numbers);
  return run_suite(suite);
}
