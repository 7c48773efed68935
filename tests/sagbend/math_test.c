// Rotations, trigonometry, the block-tridiagonal solver against dense elimination, the discrete gradient of
// the seabed.
#include "sagbend/blocktri/blocktri.h"
#include "sagbend/env/env.h"
#include "sagbend/math/math.h"
#include "suite.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uint64_t stream = 1;
static double noise(void) { // in (-1, 1)
  stream = stream * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(int64_t)stream / 9223372036854775808.0;
}
static vec3 noise3(double size) {
  return (vec3){size * noise(), size * noise(), size * noise()};
}

START_TEST(trigonometry_agrees_with_libm) {
  for (int i = 0; i < 200000; i++) {
    double x = 200 * noise(), y = noise(), z = noise();
    ck_assert_double_eq_tol(trig_sin(x), sin(x), 2.3e-16);
    ck_assert_double_eq_tol(trig_cos(x), cos(x), 2.3e-16);
    ck_assert_double_eq_tol(trig_atan2(y, z), atan2(y, z), 4.5e-16 * fabs(atan2(y, z)));
  }
  ck_assert_double_eq(trig_atan2(0, 0), 0);
  ck_assert_double_eq_tol(trig_atan2(1, 0), TRIG_PI / 2, 1e-15);
  ck_assert_double_eq_tol(trig_atan2(0, -1), TRIG_PI, 1e-15);
  ck_assert_double_eq_tol(trig_wrap(7), 7 - 2 * TRIG_PI, 1e-15);
  ck_assert_double_eq_tol(trig_wrap(-101 * TRIG_PI + 1), 1 - TRIG_PI, 1e-12);
}
END_TEST

START_TEST(rotations_are_consistent) {
  for (int i = 0; i < 2000; i++) {
    quat q = quat_unit((quat){noise(), noise(), noise(), noise()});
    vec3 t = noise3(2), v = noise3(1);
    mat3 before = quat_matrix(q), after = quat_matrix(quat_rotated(q, t));
    // (cay - I) applied to a rotated vector is the difference of the rotated vectors
    vec3 difference = vec3_sub(mat3_mul(&after, v), mat3_mul(&before, v));
    vec3 increment = cayley_increment(t, mat3_mul(&before, v));
    ck_assert_double_lt(vec3_norm(vec3_sub(difference, increment)), 1e-14);
    // the director identity d1 - d0 = t x mean(d)
    vec3 d0 = mat3_column(&before, 0), d1 = mat3_column(&after, 0);
    ck_assert_double_lt(vec3_norm(vec3_sub(vec3_sub(d1, d0), vec3_cross(t, vec3_mean(d0, d1)))), 1e-14);
    // half the rotation, twice
    quat twice = quat_rotated(quat_rotated(q, cayley_half(t)), cayley_half(t));
    mat3 again = quat_matrix(twice);
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++)
        ck_assert_double_eq_tol(again.m[r][c], after.m[r][c], 1e-14);
    ck_assert_double_lt(vec3_norm(vec3_sub(cayley_derivative_inverse(t, cayley_derivative(t, v)), v)), 1e-14);
    double euler[3];
    euler_of_quat(q, euler);
    mat3 back = quat_matrix(quat_of_euler(euler));
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++)
        ck_assert_double_eq_tol(back.m[r][c], before.m[r][c], 1e-13);
  }
}
END_TEST

START_TEST(euler_rates_are_the_derivative) {
  for (int i = 0; i < 200; i++) {
    double e[3] = {noise(), noise(), 3 * noise()}, plus[3], minus[3], epsilon = 1e-5;
    quat q = quat_of_euler(e);
    vec3 w = noise3(1);
    mat3 r = quat_matrix(q), t = euler_rate_matrix(e);
    vec3 rate = mat3_mul(&t, w), w_n = mat3_mul(&r, w);
    euler_of_quat(quat_rotated(q, vec3_scale(epsilon, w_n)), plus);
    euler_of_quat(quat_rotated(q, vec3_scale(-epsilon, w_n)), minus);
    ck_assert_double_eq_tol(rate.x, trig_wrap(plus[0] - minus[0]) / (2 * epsilon), 1e-8);
    ck_assert_double_eq_tol(rate.y, trig_wrap(plus[1] - minus[1]) / (2 * epsilon), 1e-8);
    ck_assert_double_eq_tol(rate.z, trig_wrap(plus[2] - minus[2]) / (2 * epsilon), 1e-8);
  }
}
END_TEST

// Dense elimination with partial pivoting: the plain reference.
static void dense_solve(double *a, double *x, int n) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[i * n + k]) > fabs(a[best * n + k]))
        best = i;
    for (int j = 0; j < n; j++) {
      double swap = a[k * n + j];
      a[k * n + j] = a[best * n + j], a[best * n + j] = swap;
    }
    double swap = x[k];
    x[k] = x[best], x[best] = swap;
    for (int i = k + 1; i < n; i++) {
      double f = a[i * n + k] / a[k * n + k];
      for (int j = k; j < n; j++)
        a[i * n + j] -= f * a[k * n + j];
      x[i] -= f * x[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++)
      x[i] -= a[i * n + j] * x[j];
    x[i] /= a[i * n + i];
  }
}

static void set(double *dense, int n, int row, int column, double *block_value, double diagonal) {
  *block_value = noise() + (row == column ? diagonal : 0);
  dense[row * n + column] = *block_value;
}

static void fill(struct blocktri *b, double *dense, int n) {
  for (int i = 0; i < b->count; i++)
    for (int r = 0; r < 6; r++)
      for (int c = 0; c < 6; c++) {
        set(dense, n, 6 * i + r, 6 * i + c, &b->diag[i][block_at(r, c)], 8);
        if (i > 0)
          set(dense, n, 6 * i + r, 6 * i - 6 + c, &b->lower[i][block_at(r, c)], 0);
        if (i + 1 < b->count)
          set(dense, n, 6 * i + r, 6 * i + 6 + c, &b->upper[i][block_at(r, c)], 0);
      }
  int chain = 6 * b->count;
  for (int r = 0; r < b->tail; r++) {
    for (int c = 0; c < b->tail; c++)
      set(dense, n, chain + r, chain + c, &b->tail_diag[r][c], 0); // pivoting needed
    for (int c = 0; c < 6 && b->count > 0; c++) {
      set(dense, n, chain + r, chain - 6 + c, &b->tail_lower[r][c], 0);
      set(dense, n, chain - 6 + c, chain + r, &b->tail_upper[c][r], 0);
    }
    for (int i = b->border_from; i >= 0 && i + 1 < b->count; i++)
      for (int c = 0; c < 6; c++) {
        set(dense, n, chain + r, 6 * i + c, &b->border_lower[i][r][c], 0);
        set(dense, n, 6 * i + c, chain + r, &b->border_upper[i][r][c], 0);
      }
  }
}

START_TEST(solver_agrees_with_dense_elimination) {
  const int counts[] = {0, 1, 2, 7, 40}, tails[] = {6, 9, 0};
  for (int k = 0; k < 5; k++)
    for (int t = 0; t < 3; t++) {
      int n = 6 * counts[k] + tails[t];
      if (n == 0)
        continue;
      struct arena memory;
      struct blocktri b;
      arena_init(&memory, NULL, 0);
      blocktri_create(&b, counts[k], tails[t], &memory);
      void *block = aligned_alloc(64, memory.used + 64);
      arena_init(&memory, block, memory.used + 64);
      blocktri_create(&b, counts[k], tails[t], &memory);
      double *dense = calloc((size_t)n * (size_t)n, sizeof *dense), *x = calloc((size_t)n, sizeof *x);
      double *y = calloc((size_t)n, sizeof *y);
      fill(&b, dense, n);
      for (int i = 0; i < n; i++)
        x[i] = y[i] = noise();
      ck_assert_int_eq(blocktri_factor(&b), STATUS_OK);
      blocktri_solve(&b, x);
      dense_solve(dense, y, n);
      for (int i = 0; i < n; i++)
        ck_assert_double_eq_tol(x[i], y[i], 1e-9);
      free(dense), free(x), free(y), free(block);
    }
}
END_TEST

static void make_arrow(struct blocktri *b, int count, int tail, int border_from, void **block) {
  struct arena memory;
  arena_init(&memory, NULL, 0);
  blocktri_create(b, count, tail, &memory);
  blocktri_create_border(b, count, &memory);
  *block = aligned_alloc(64, (memory.used + 127) / 64 * 64);
  arena_init(&memory, *block, memory.used + 64);
  blocktri_create(b, count, tail, &memory);
  blocktri_create_border(b, count, &memory);
  b->border_from = border_from;
}

START_TEST(arrow_agrees_with_dense_elimination) {
  const int counts[] = {1, 2, 7, 40}, tails[] = {6, 9, 10, 0};
  for (int k = 0; k < 4; k++)
    for (int t = 0; t < 4; t++)
      for (int from = 0; from < counts[k]; from += counts[k] > 7 ? 13 : 1) {
        const int n = 6 * counts[k] + tails[t];
        struct blocktri b;
        void *block;
        make_arrow(&b, counts[k], tails[t], from, &block);
        double *dense = calloc((size_t)n * (size_t)n, sizeof *dense), *x = calloc((size_t)n, sizeof *x);
        double *y = calloc((size_t)n, sizeof *y);
        fill(&b, dense, n);
        for (int i = 0; i < n; i++)
          x[i] = y[i] = noise();
        ck_assert_int_eq(blocktri_factor(&b), STATUS_OK);
        blocktri_solve(&b, x);
        dense_solve(dense, y, n);
        for (int i = 0; i < n; i++)
          ck_assert_double_eq_tol(x[i], y[i], 1e-9);
        free(dense), free(x), free(y), free(block);
      }
}
END_TEST

// A symmetric arrow: the count of negative pivots is that of a dense elimination.
START_TEST(arrow_pivots_agree_with_dense_elimination) {
  for (int k = 0; k < 40; k++) {
    const int count = 2 + k % 6, tail = 6 + k % 5, n = 6 * count + tail;
    struct blocktri b;
    void *block;
    make_arrow(&b, count, tail, k % count, &block);
    double *dense = calloc((size_t)n * (size_t)n, sizeof *dense);
    fill(&b, dense, n);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++)
        dense[i * n + j] = dense[j * n + i];
    for (int i = 0; i < count; i++)
      for (int r = 0; r < 6; r++) {
        for (int c = 0; c < 6; c++) {
          b.diag[i][block_at(r, c)] = dense[(6 * i + r) * n + 6 * i + c];
          if (i > 0)
            b.lower[i][block_at(r, c)] = dense[(6 * i + r) * n + 6 * i - 6 + c];
        }
        for (int c = 0; c < tail && i + 1 < count; c++)
          b.border_lower[i][c][r] = b.border_upper[i][c][r];
        for (int c = 0; c < tail && i + 1 == count; c++)
          b.tail_lower[c][r] = b.tail_upper[r][c];
      }
    for (int r = 0; r < tail; r++) // some negative
      for (int c = 0; c < tail; c++)
        b.tail_diag[r][c] = dense[(6 * count + r) * n + 6 * count + c] += r == c ? (k % 3 - 1) * 20 : 0;

    int negative = 0;
    for (int p = 0; p < n; p++) {
      negative += !(dense[p * n + p] > 0);
      for (int i = p + 1; i < n; i++) {
        const double factor = dense[i * n + p] / dense[p * n + p];
        for (int j = p; j < n; j++)
          dense[i * n + j] -= factor * dense[p * n + j];
      }
    }
    ck_assert_int_eq(blocktri_negative_pivot_count(&b), negative);
    free(dense), free(block);
  }
}
END_TEST

START_TEST(singular_systems_are_reported) {
  struct arena memory;
  struct blocktri b;
  static double block[4096];
  arena_init(&memory, block, sizeof block);
  blocktri_create(&b, 2, 0, &memory);
  ck_assert_int_eq(blocktri_factor(&b), STATUS_SINGULAR);
  for (int spoilt = 0; spoilt < 2; spoilt++) {
    memset(block, 0, sizeof block);
    for (int i = 0; i < 2; i++)
      for (int c = 0; c < 6; c++)
        b.diag[i][block_at(c, c)] = spoilt && i == 1 && c == 3 ? (double)NAN : 1;
    ck_assert_int_eq(blocktri_factor(&b), spoilt ? STATUS_SINGULAR : STATUS_OK);
  }
}
END_TEST

START_TEST(seabed_work_is_its_change_of_energy) {
  const struct seabed_spring kinds[] = {seabed_spring_of(1234, 0.762), seabed_linear(2e4)};
  const struct seabed_spring s = kinds[_i];
  ck_assert_double_eq_tol(seabed_force(kinds, 0.762 / 8), 1234, 1e-9); // at rest at d_o / 8
  for (int i = 0; i < 20000; i++) {
    double k0 = 0.2 * noise(), k1 = i % 3 ? 0.2 * noise() : k0 + 1e-7 * noise(), slope, unused;
    double mean = seabed_mean_force(&s, k0, k1, &slope);
    double change = seabed_energy(&s, k1) - seabed_energy(&s, k0);
    ck_assert_double_eq_tol(mean * (k1 - k0), change, 1e-11);
    ck_assert_double_ge(mean, 0);
    double e = 1e-6;
    double fd =
        (seabed_mean_force(&s, k0, k1 + e, &unused) - seabed_mean_force(&s, k0, k1 - e, &unused)) / (2 * e);
    if (fabs(k1 - k0) > 1e-4)
      ck_assert_double_eq_tol(slope, fd, 1e-3 * s.slope_npm2);
  }
  for (double k = -0.1; k < 0.2; k += 1e-3) { // force is the derivative of the energy, and continuous
    double e = 1e-6, fd = (seabed_energy(&s, k + e) - seabed_energy(&s, k - e)) / (2 * e);
    ck_assert_double_eq_tol(fd, seabed_force(&s, k), 0.05);
  }
}
END_TEST

START_TEST(current_is_linear_between_its_points) {
  struct current_def def = {.points = {{10, 1, 0}, {50, 2, TRIG_PI / 2}, {200, 0.5, TRIG_PI}},
                            .point_count = 3};
  struct current c = current_of(&def, 300);
  const struct {
    double z, north, east;
  } at[] = {{0, 1, 0}, {10, 1, 0}, {30, 0.5, 1}, {50, 0, 2}, {125, -0.25, 1}, {200, -0.5, 0}, {900, -0.5, 0}};
  for (int i = 0; i < 7; i++) {
    vec3 v = current_at(&c, (struct current_turn){3, 0}, at[i].z);
    ck_assert_double_eq_tol(v.x, 3 * at[i].north, 1e-14);
    ck_assert_double_eq_tol(v.y, 3 * at[i].east, 1e-14);
  }
  struct current_def sheared = {.surface_mps = 0.8, .direction_rad = TRIG_PI / 2};
  c = current_of(&sheared, 900);
  const struct current_turn plain = {1, 0},
                            across = {0, 2}; // across: a quarter turn clockwise, twice as fast
  ck_assert_double_eq_tol(current_at(&c, plain, 450).y, 0.4, 1e-15);
  ck_assert_double_eq_tol(current_at(&c, plain, 1000).y, 0, 1e-15);
  ck_assert_double_eq_tol(current_at(&c, plain, -5).y, 0.8, 1e-15);
  ck_assert_double_eq_tol(current_at(&c, across, 450).x, -0.8, 1e-15);
  ck_assert_double_eq_tol(current_at(&c, across, 450).y, 0, 1e-15);
}
END_TEST

// The spline passes through its rows, has no jump of value, slope or (inside) curvature, has zero slope at
// its ends, and follows a sampled wave with order 4.
START_TEST(spline_is_smooth_and_rests_at_its_ends) {
  struct table_row rows[6] = {{1, {0, 2, -1}, {0}},   {1.3, {1, 2, 4}, {0}}, {2.9, {-2, 2, 1}, {0}},
                              {3, {-1.5, 2, 0}, {0}}, {5, {0, 2, 7}, {0}},   {9, {3, 2, 7}, {0}}};
  table_prepare(rows, 6);
  const double d = 1e-4;
  for (int i = 0; i < 6; i++) {
    double before[3][3], after[3][3]; // at t - (1, 2, 3) d and t + (1, 2, 3) d
    double at[3];
    table_at(rows, 6, TABLE_SPLINE, rows[i].time_s, at);
    for (int k = 0; k < 3; k++) {
      table_at(rows, 6, TABLE_SPLINE, rows[i].time_s - (k + 1) * d, before[k]);
      table_at(rows, 6, TABLE_SPLINE, rows[i].time_s + (k + 1) * d, after[k]);
    }
    for (int c = 0; c < 3; c++) {
      ck_assert_double_eq(at[c], rows[i].value[c]);
      double left = (1.5 * at[c] - 2 * before[0][c] + 0.5 * before[1][c]) / d; // one-sided slopes
      double right = -(1.5 * at[c] - 2 * after[0][c] + 0.5 * after[1][c]) / d;
      ck_assert_double_eq_tol(left, right, 1e-4);
      if (i == 0 || i == 5)
        ck_assert_double_eq_tol(left, 0, 1e-4);
      double bent = (2 * at[c] - 5 * before[0][c] + 4 * before[1][c] - before[2][c]) / (d * d);
      double bends = (2 * at[c] - 5 * after[0][c] + 4 * after[1][c] - after[2][c]) / (d * d);
      if (i > 0 && i < 5)
        ck_assert_double_eq_tol(bent, bends, 1e-4);
    }
  }
  double error[2] = {0, 0};
  for (int level = 0; level < 2; level++) {
    struct table_row wave[41];
    int count = 20 << level;
    for (int i = 0; i <= count; i++)
      wave[i] = (struct table_row){.time_s = 4.0 * i / count, .value = {cos(TRIG_PI * i / count * 2)}};
    table_prepare(wave, count + 1);
    for (int k = 0; k < 1000; k++) {
      double at[3];
      table_at(wave, count + 1, TABLE_SPLINE, 0.004 * k, at);
      error[level] = fmax(error[level], fabs(at[0] - cos(0.002 * TRIG_PI * k)));
    }
  }
  ck_assert_double_lt(error[0], 5e-5);
  ck_assert_double_ge(error[0] / error[1], 14);
}
END_TEST

START_TEST(lines_join_the_rows_and_jumps_have_no_change) {
  struct current_def def = {
      .profile = {.rows = 3, .table = {{1, {1, 0, 0}, {0}}, {2, {3, 0.5, 0}, {0}}, {4, {2, 0.5, 0}, {0}}}}};
  const struct {
    double time_s, factor, turn;
  } at[] = {{0, 1, 0}, {1, 1, 0}, {1.5, 2, 0.25}, {2, 3, 0.5}, {3, 2.5, 0.5}, {4, 2, 0.5}, {9, 2, 0.5}};
  for (int i = 0; i < 7; i++) {
    ck_assert_double_eq_tol(time_profile_at(&def.profile, at[i].time_s), at[i].factor, 1e-15);
    ck_assert_double_eq_tol(time_profile_turn(&def.profile, at[i].time_s), at[i].turn, 1e-15);
  }
  struct current_span span = current_over(&def, 2.5, 3); // from 1 to 4
  ck_assert_double_eq_tol(span.change.along, 2 * cos(0.5) - 1, 1e-14);
  ck_assert_double_eq_tol(span.change.across, 2 * sin(0.5), 1e-14);
  ck_assert_double_eq_tol(span.middle.along, 2.75 * cos(0.5), 1e-14);
  // switched on at 1 and off at 4 without ramps, oscillating in between: only the oscillation accelerates
  def.profile = (struct time_profile){.start_s = 1, .stop_s = 4, .variation = 0.5, .period_s = 4};
  span = current_over(&def, 1, 2); // from 0 to 2
  ck_assert_double_eq_tol(span.change.along, 0.5, 1e-14);
  span = current_over(&def, 4, 2); // from 3 to 5
  ck_assert_double_eq_tol(span.change.along, -0.5 - 0, 1e-14);
  def.profile = (struct time_profile){.start_s = 1, .stop_s = 9, .ramp_s = 2};
  ck_assert_double_eq_tol(current_over(&def, 2, 4).change.along, 1, 1e-14);
  ck_assert_double_eq_tol(current_over(&def, 8, 4).change.along, -1, 1e-14);
  ck_assert_double_eq(current_over(&def, 12, 4).change.along, 0);
}
END_TEST

START_TEST(cholesky_solves_and_refuses) {
  double a[6][6], copy[6][6], x[6], b[6];
  for (int i = 0; i < 6; i++) {
    x[i] = noise();
    for (int j = 0; j <= i; j++)
      a[i][j] = a[j][i] = noise() + (i == j ? 6 : 0);
  }
  memcpy(copy, a, sizeof a);
  mat6_mul((const double (*)[6])copy, x, b);
  ck_assert_int_eq(mat6_cholesky(a), STATUS_OK);
  mat6_cholesky_solve((const double (*)[6])a, b);
  for (int i = 0; i < 6; i++)
    ck_assert_double_eq_tol(b[i], x[i], 1e-13);
  copy[3][3] = -1;
  ck_assert_int_eq(mat6_cholesky(copy), STATUS_SINGULAR);
}
END_TEST

START_TEST(small_systems_are_solved_in_three_ways) {
  const double a[3][3] = {{4, 1, -0.5}, {1, 3, 0.25}, {-0.5, 0.25, 2}}, x[3] = {1, -2, 3};
  double b[3], rows[3], definite[3];
  mat3 m;
  memcpy(m.m, a, sizeof a);
  for (int i = 0; i < 3; i++)
    b[i] = a[i][0] * x[0] + a[i][1] * x[1] + a[i][2] * x[2];
  mat3_solve_rows(a, b, rows);
  mat3_solve_definite(a, b, definite);
  vec3 columns = mat3_solve_columns(&m, vec3_of(b));
  const double by_columns[3] = {columns.x, columns.y, columns.z};
  for (int i = 0; i < 3; i++) {
    ck_assert_double_eq_tol(rows[i], x[i], 1e-14);
    ck_assert_double_eq_tol(definite[i], x[i], 1e-14);
    ck_assert_double_eq_tol(by_columns[i], x[i], 1e-14);
  }
}
END_TEST

START_TEST(definite_matrices_are_recognised) {
  double small[3][3] = {{2, 1, 0}, {1, 2, 0}, {0, 0, 1}}, large[6][6] = {{0}};
  ck_assert(mat3_is_definite((const double (*)[3])small));
  small[0][1] = 0.5; // no longer symmetric
  ck_assert(!mat3_is_definite((const double (*)[3])small));
  small[0][1] = small[1][0] = 3;
  ck_assert(!mat3_is_definite((const double (*)[3])small));
  for (int i = 0; i < 6; i++)
    large[i][i] = pow(10, i);
  ck_assert(mat6_is_definite((const double (*)[6])large, -1e-12));
  large[0][5] = large[5][0] = sqrt(large[5][5]); // now singular: with a shift up it passes as semidefinite
  ck_assert(!mat6_is_definite((const double (*)[6])large, -1e-12));
  ck_assert(mat6_is_definite((const double (*)[6])large, 1e-12));
  large[0][5] = large[5][0] *= 1.1;
  ck_assert(!mat6_is_definite((const double (*)[6])large, 1e-12));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("math");
  TCase *t = add_case(suite, "math", 30);
  tcase_add_test(t, trigonometry_agrees_with_libm);
  tcase_add_test(t, rotations_are_consistent);
  tcase_add_test(t, euler_rates_are_the_derivative);
  tcase_add_test(t, solver_agrees_with_dense_elimination);
  tcase_add_test(t, arrow_agrees_with_dense_elimination);
  tcase_add_test(t, arrow_pivots_agree_with_dense_elimination);
  tcase_add_test(t, singular_systems_are_reported);
  tcase_add_loop_test(t, seabed_work_is_its_change_of_energy, 0, 2);
  tcase_add_test(t, current_is_linear_between_its_points);
  tcase_add_test(t, spline_is_smooth_and_rests_at_its_ends);
  tcase_add_test(t, lines_join_the_rows_and_jumps_have_no_change);
  tcase_add_test(t, cholesky_solves_and_refuses);
  tcase_add_test(t, small_systems_are_solved_in_three_ways);
  tcase_add_test(t, definite_matrices_are_recognised);
  return run_suite(suite);
}
