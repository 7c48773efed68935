// The comparison methods: tangents against differences, and identities stated in their papers.
#include "verification/rivals/rivals.h"

#include "suite.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static uint64_t stream = 12;
static double noise(void) { // in (-1, 1)
  stream = stream * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(int64_t)stream / 9223372036854775808.0;
}

START_TEST(the_tangent_of_quat_em_is_the_derivative) { // (D1) of Betsch and Siebert
  struct rival_top top = {{6, 8, 3}, 77};
  for (int trial = 0; trial < 100; trial++) {
    const double omega[3] = {5 * noise(), 5 * noise(), 5 * noise()};
    struct rival_quaternion s =
        rival_quaternion_of(&top, quat_unit((quat){noise(), noise(), noise(), noise()}), omega);
    double x[7], tangent[49], up[7], down[7];
    for (int i = 0; i < 7; i++)
      x[i] = (i < 3 ? 1 : 20) * noise();
    rival_quat_em_residual(&top, 0.05, &s, x, up, tangent);
    for (int j = 0; j < 7; j++) {
      double step = j < 3 ? 1e-5 : 1e-4, at = x[j];
      x[j] = at + step, rival_quat_em_residual(&top, 0.05, &s, x, up, NULL);
      x[j] = at - step, rival_quat_em_residual(&top, 0.05, &s, x, down, NULL);
      x[j] = at;
      for (int i = 0; i < 7; i++)
        ck_assert_double_eq_tol((up[i] - down[i]) / (2 * step), tangent[7 * i + j], 1e-6);
    }
  }
}
END_TEST

START_TEST(quat_vi_without_a_weight_is_moser_veselov) {
  struct rival_top top = {{6, 8, 3}, 0};
  const double omega[3] = {10, 20, 20};
  struct rival_quaternion s = rival_quaternion_of(&top, (quat){1, 0, 0, 0}, omega);
  double m[3] = {60, 160, 60};
  quat q = {1, 0, 0, 0};
  for (int k = 0; k < 200; k++) {
    ck_assert_int_eq(rival_quat_vi(&top, 0.005, &s), 1);
    rival_moser_veselov(top.moments_kgm2, 0.005, m, &q);
  }
  quat a = rival_quaternion_attitude(&s);
  ck_assert_double_eq_tol(fabs(a.w * q.w + a.x * q.x + a.y * q.y + a.z * q.z), 1, 1e-12);
  ck_assert_double_eq_tol(a.w, q.w, 1e-10);
}
END_TEST

// E. Hairer, G. Vilmart, J. Phys. A 39 (2006): the first terms of s and d.
START_TEST(the_preprocessing_begins_as_published) {
  const double i[3] = {0.6, 0.8, 1}, m[3] = {1.8, 0.4, -0.9}, h = 0.01;
  double squares = 0, energy = 0, modified[3];
  for (int k = 0; k < 3; k++)
    squares += 0.5 * m[k] * m[k], energy += 0.5 * m[k] * m[k] / i[k];
  const double product = i[0] * i[1] * i[2], sum = i[0] + i[1] + i[2];
  const double s = -energy / 3 * (1 / i[0] + 1 / i[1] + 1 / i[2]) + sum / (6 * product) * squares,
               d = sum / (6 * product) * energy - squares / (3 * product);
  ck_assert_int_eq(rival_preprocessed(i, 4, h, m, modified), 1);
  for (int k = 0; k < 3; k++)
    ck_assert_double_eq_tol(1 / modified[k], (1 + h * h * s) / i[k] + h * h * d, 1e-14);
  ck_assert_int_eq(rival_preprocessed(i, 2, h, m, modified), 1);
  for (int k = 0; k < 3; k++)
    ck_assert_double_eq_tol(modified[k], i[k], 1e-15);
}
END_TEST

START_TEST(moser_veselov_says_when_it_has_no_solution) {
  const double i[3] = {5, 4, 3};
  double m[3] = {-1, 0, 2};
  quat q = {1, 0, 0, 0};
  rival_moser_veselov(i, 1, m, &q);
  ck_assert(isfinite(m[0]));
  rival_moser_veselov(i, 20, m, &q);
  ck_assert(isnan(m[0]) && isnan(m[1]) && isnan(m[2]));
}
END_TEST

START_TEST(energy_and_momentum_stay_in_a_field) {
  struct rival_top top = {{6, 8, 3}, 77};
  const double omega[3] = {1, -2, 3};
  quat q = quat_unit((quat){1, 0.3, -0.2, 0.5});
  struct rival_quaternion s = rival_quaternion_of(&top, q, omega);
  struct rival_directors d = rival_directors_of(q, omega);
  double h = rival_quaternion_energy(&top, &s), j = rival_quaternion_momentum(&s).z;
  ck_assert_double_eq_tol(rival_directors_energy(&top, &d), h,
                          1e-12 * h); // two forms of the same kinetic energy
  ck_assert_double_eq_tol(rival_directors_momentum(&top, &d).z, j, 1e-13 * fabs(j));
  for (int k = 0; k < 500; k++) {
    ck_assert_int_eq(rival_quat_em(&top, 0.05, &s), 1);
    ck_assert_int_eq(rival_dir_em(&top, 0.05, &d), 1);
  }
  ck_assert_double_eq_tol(rival_quaternion_energy(&top, &s), h, 1e-12 * h);
  ck_assert_double_eq_tol(rival_quaternion_momentum(&s).z, j, 1e-12 * fabs(j));
  ck_assert_double_eq_tol(rival_directors_energy(&top, &d), h, 1e-12 * h);
  ck_assert_double_eq_tol(rival_directors_momentum(&top, &d).z, j, 1e-12 * fabs(j));
  double length = 0, along = 0; // q . q = 1 and q . p = 0
  for (int i = 0; i < 4; i++)
    length += s.q[i] * s.q[i], along += s.q[i] * s.p[i];
  ck_assert_double_eq_tol(length, 1, 1e-13);
  ck_assert_double_eq_tol(along, 0, 1e-11);
}
END_TEST

// ---- loads in the spatial formulation, and their tangents (14) to (37) ----

static double rising(double t_s) {
  return 0.3 + t_s;
}

static struct rival_motion moved(const struct rival_motion *s, int kind, int k,
                                 double step) { // by a turn, a velocity, an acceleration
  struct rival_motion to = *s;
  if (kind == 0 && k < 3)
    to.x_n[k] += step;
  else if (kind == 0)
    to.q_nb =
        quat_mul(rival_rotation((vec3){k == 3 ? step : 0, k == 4 ? step : 0, k == 5 ? step : 0}), s->q_nb);
  else
    (kind == 1 ? to.v : to.vdot)[k] += step;
  return to;
}

static double worst_tangent(const struct rival_loads *l, const struct rival_motion *s) {
  struct rival_tangents t;
  double residual[6], up[6], down[6], worst = 0, step = 1e-5;
  rival_spatial_residual(l, s, 0.7, residual, &t);
  for (int kind = 0; kind < 3; kind++)
    for (int k = 0; k < 6; k++) {
      struct rival_motion a = moved(s, kind, k, step), b = moved(s, kind, k, -step);
      rival_spatial_residual(l, &a, 0.7, up, NULL);
      rival_spatial_residual(l, &b, 0.7, down, NULL);
      for (int i = 0; i < 6; i++)
        worst = fmax(worst, fabs((up[i] - down[i]) / (2 * step) - (kind == 0   ? t.k
                                                                   : kind == 1 ? t.c
                                                                               : t.m)[i][k]));
    }
  return worst;
}

static struct rival_motion random_motion(void) {
  struct rival_motion s = {.x_n = {noise(), noise(), noise()},
                           .q_nb = rival_rotation((vec3){1.5 * noise(), 1.5 * noise(), 1.5 * noise()})};
  for (int i = 0; i < 6; i++)
    s.v[i] = noise(), s.vdot[i] = noise();
  return s;
}

START_TEST(the_tangents_of_loads_are_their_derivatives) {
  for (int kind = RIVAL_FORCE; kind <= RIVAL_OF_ACCELERATION; kind++)
    for (int trial = 0; trial < 40; trial++) {
      double matrix[6][6];
      for (int i = 0; i < 36; i++)
        matrix[i / 6][i % 6] = noise();
      struct rival_load load = {kind,   trial % 2, {noise(), noise(), noise()}, {noise(), noise(), noise()},
                                rising, NULL};
      if (kind >= RIVAL_OF_POSITION)
        load.matrix = (const double (*)[6])matrix;
      struct rival_motion s = random_motion();
      struct rival_loads all = {{2, {3, 5, 7}}, &load, 1};
      ck_assert_double_lt(worst_tangent(&all, &s), 1e-8);
    }
}
END_TEST

START_TEST(a_load_in_either_frame_is_the_same_load) { // at some attitude, the values converted by hand
  struct rival_motion s = random_motion();
  mat3 r = quat_matrix(s.q_nb);
  vec3 f = {1, 2, -3}, fb = mat3_tmul(&r, f);
  struct rival_load fixed = {RIVAL_FORCE, 0, {1, 2, -3}, {0.5, -1, 2}, NULL, NULL}, follower = fixed;
  follower.follower = 1;
  vec3_to(fb, follower.value);
  struct rival_loads a = {{2, {3, 5, 7}}, &fixed, 1}, b = {{2, {3, 5, 7}}, &follower, 1},
                     none = {{2, {3, 5, 7}}, NULL, 0};
  double ra[6], rb[6], r0[6];
  rival_spatial_residual(&a, &s, 0, ra, NULL);
  rival_spatial_residual(&b, &s, 0, rb, NULL);
  rival_spatial_residual(&none, &s, 0, r0, NULL);
  for (int i = 0; i < 6; i++)
    ck_assert_double_eq_tol(ra[i], rb[i], 1e-13);
  vec3 torque = vec3_cross(mat3_mul(&r, (vec3){0.5, -1, 2}), f); // by hand
  for (int i = 0; i < 3; i++) {
    ck_assert_double_eq_tol(r0[i] - ra[i], (&f.x)[i], 1e-13);
    ck_assert_double_eq_tol(r0[3 + i] - ra[3 + i], (&torque.x)[i], 1e-13);
  }
}
END_TEST

int main(void) {
  Suite *s = suite_create("rivals");
  TCase *t = add_case(s, "quaternions and directors", 60);
  tcase_add_test(t, the_tangent_of_quat_em_is_the_derivative);
  tcase_add_test(t, quat_vi_without_a_weight_is_moser_veselov);
  tcase_add_test(t, energy_and_momentum_stay_in_a_field);
  t = add_case(s, "preprocessing", 60);
  tcase_add_test(t, the_preprocessing_begins_as_published);
  tcase_add_test(t, moser_veselov_says_when_it_has_no_solution);
  t = add_case(s, "spatial formulation", 60);
  tcase_add_test(t, the_tangents_of_loads_are_their_derivatives);
  tcase_add_test(t, a_load_in_either_frame_is_the_same_load);
  return run_suite(s);
}
