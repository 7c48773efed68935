// The rod of verification/rivals/rivals.h with a section that has no symmetry: forces against the
// potential and against Paper V's equations, momenta, reversal, the discrete Moser-Veselov turn, and the
// multi-symplectic conservation law.
#include "verification/rivals/rivals.h"

#include "suite.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const struct hamiltonian_rod_section section = {1.5, {3, 2, 1.2}, {900, 400, 600}, {50, 70, 30}};
enum { ELEMENTS = 6 };

static uint64_t stream = 11;
static double noise(void) { // in (-1, 1)
  stream = stream * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(int64_t)stream / 9223372036854775808.0;
}

static double norm(const double *v, int count) {
  double sum = 0;
  for (int k = 0; k < count; k++)
    sum += v[k] * v[k];
  return sqrt(sum);
}

static void bent(struct hamiltonian_rod *rod, double stiff) { // strained at random, moving
  memset(rod, 0, sizeof *rod);
  rod->section = section;
  for (int k = 0; k < 3; k++)
    rod->section.stretch_n[k] *= stiff, rod->section.bend_nm2[k] *= stiff;
  rod->elements = ELEMENTS;
  rod->element_m = 0.5;
  for (int i = 0; i <= ELEMENTS; i++) {
    struct hamiltonian_rod_node *n = &rod->node[i];
    for (int k = 0; k < 3; k++) {
      n->x_m[k] = 0.5 * i * (k == 0) + 0.1 * noise();
      n->q[1 + k] = 0.1 * noise();
      n->p_ns[k] = noise();
      n->pi_nms[k] = noise();
    }
    n->q[0] = sqrt(1 - n->q[1] * n->q[1] - n->q[2] * n->q[2] - n->q[3] * n->q[3]);
  }
  hamiltonian_rod_start(rod);
}

static void vary(const struct hamiltonian_rod *rod, struct varied_rod *v, double size) {
  memset(v, 0, sizeof *v);
  v->section = rod->section;
  v->elements = rod->elements;
  v->element_m = rod->element_m;
  for (int i = 0; i <= rod->elements; i++) {
    struct rod_variation by;
    double *parts[] = {by.x, by.theta, by.p, by.pi};
    for (int k = 0; k < 12; k++)
      parts[k / 3][k % 3] = size * noise();
    v->node[i] = rod_varied(&rod->node[i], &by);
  }
  varied_rod_start(v);
}

START_TEST(forces_are_the_slopes_of_the_potential) {
  static struct hamiltonian_rod rod;
  static struct varied_rod v;
  bent(&rod, 1);
  vary(&rod, &v, 1);
  double potential = 0, work = 0, size = 0;
  for (int e = 0; e < ELEMENTS; e++) {
    struct varied_rod_slope unused;
    potential += cimag(varied_rod_element(&v, e, &unused)) / ROD_VARIATION;
  }
  for (int i = 0; i <= ELEMENTS; i++) {
    const struct varied_rod_node *n = &v.node[i];
    double complex q[4]; // theta = 2 Im(dq q^c)
    for (int k = 0; k < 4; k++)
      q[k] = n->q[k];
    double d[4], r[4], theta[3];
    for (int k = 0; k < 4; k++)
      d[k] = cimag(q[k]) / ROD_VARIATION, r[k] = creal(q[k]);
    for (int k = 0; k < 3; k++) {
      int a = 1 + (k + 1) % 3, b = 1 + (k + 2) % 3;
      theta[k] = 2 * (r[0] * d[1 + k] - d[0] * r[1 + k] - (d[a] * r[b] - d[b] * r[a]));
      double part =
          -rod.node[i].force_n[k] * cimag(n->x_m[k]) / ROD_VARIATION - rod.node[i].moment_nm[k] * theta[k];
      work += part, size += fabs(part);
    }
  }
  ck_assert_double_gt(size, 1);
  ck_assert_double_eq_tol(potential, work, 1e-14 * size);
}
END_TEST

// ---- against (6.9), (6.10) and (6.38), whose printed sign is wrong throughout ----

struct section_at { // of a smooth rod: phi, its derivatives, attitude, curvature and its derivative, in space
  double x[3], dx[3], ddx[3], t[3][3], omega[3], domega[3], q[4];
};

static void cross(const double a[3], const double b[3], double c[3]) {
  for (int k = 0; k < 3; k++)
    c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static struct section_at
smooth(double s) { // the attitude turns about e3 by a(s), then about its own t1 by b(s)
  double a = 0.4 * sin(s), da = 0.4 * cos(s), dda = -0.4 * sin(s), b = 0.3 * s * s, db = 0.6 * s, ddb = 0.6;
  struct section_at at = {.x = {s + 0.1 * sin(s), 0.2 * s * s, 0.3 * cos(s)},
                          .dx = {1 + 0.1 * cos(s), 0.4 * s, -0.3 * sin(s)},
                          .ddx = {-0.1 * sin(s), 0.4, -0.3 * cos(s)}};
  const double t1[3] = {cos(a), sin(a), 0}, dt1[3] = {-da * sin(a), da * cos(a), 0};
  const double up[3] = {0, 0, 1}, side[3] = {-sin(a), cos(a), 0};
  for (int k = 0; k < 3; k++) {
    at.t[0][k] = t1[k];
    at.t[1][k] = cos(b) * side[k] + sin(b) * up[k];
    at.t[2][k] = cos(b) * up[k] - sin(b) * side[k];
    at.omega[k] = da * up[k] + db * t1[k];
    at.domega[k] = dda * up[k] + ddb * t1[k] + db * dt1[k];
  }
  at.q[0] = cos(a / 2) * cos(b / 2), at.q[1] = cos(a / 2) * sin(b / 2);
  at.q[2] = sin(a / 2) * sin(b / 2), at.q[3] = sin(a / 2) * cos(b / 2);
  return at;
}

static void in_space(const struct section_at *at, const double c[3], const double v[3],
                     double to[3]) { // D v, D = E C E'
  for (int k = 0; k < 3; k++)
    to[k] = 0;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      to[k] += c[i] * (at->t[i][0] * v[0] + at->t[i][1] * v[1] + at->t[i][2] * v[2]) * at->t[i][k];
}

// d_S(D v) = [w, D] v + D v', with the commutator's sign of the errata.
static void slope_in_space(const struct section_at *at, const double c[3], const double v[3],
                           const double dv[3], double to[3]) {
  double dv_n[3], wdv[3], wv[3], dwv[3], last[3];
  in_space(at, c, v, dv_n);
  cross(at->omega, dv_n, wdv);
  cross(at->omega, v, wv);
  in_space(at, c, wv, dwv);
  in_space(at, c, dv, last);
  for (int k = 0; k < 3; k++)
    to[k] = wdv[k] - dwv[k] + last[k];
}

static double distance_from_paper(double l) {
  static struct hamiltonian_rod rod;
  const double s = 0.7;
  memset(&rod, 0, sizeof rod);
  rod.section = section;
  rod.elements = 2;
  rod.element_m = l;
  for (int i = 0; i < 3; i++) {
    struct section_at at = smooth(s + (i - 1) * l);
    memcpy(rod.node[i].x_m, at.x, sizeof at.x);
    memcpy(rod.node[i].q, at.q, sizeof at.q);
  }
  hamiltonian_rod_start(&rod);
  struct section_at at = smooth(s);
  double gamma[3], dgamma[3], turned[3], force[3], moment[3], n[3], arm[3], off = 0;
  cross(at.omega, at.t[0], turned);
  for (int k = 0; k < 3; k++)
    gamma[k] = at.dx[k] - at.t[0][k], dgamma[k] = at.ddx[k] - turned[k];
  slope_in_space(&at, section.stretch_n, gamma, dgamma, force);       // (6.38)
  slope_in_space(&at, section.bend_nm2, at.omega, at.domega, moment); // of (6.10)
  in_space(&at, section.stretch_n, gamma, n);
  cross(at.dx, n, arm);
  for (int k = 0; k < 3; k++) {
    off = fmax(off, fabs(rod.node[1].force_n[k] / l - force[k]));
    off = fmax(off, fabs(rod.node[1].moment_nm[k] / l - moment[k] - arm[k]));
  }
  return off;
}

START_TEST(forces_converge_to_the_equations_of_paper_v) {
  double coarse = distance_from_paper(0.02), fine = distance_from_paper(0.01);
  ck_assert_double_lt(fine, 0.05); // of terms of some 500
  ck_assert_double_eq_tol(log2(coarse / fine), 2, 0.02);
}
END_TEST

// ---- what a step conserves ----

START_TEST(momenta_stay) {
  static struct hamiltonian_rod rod;
  bent(&rod, 1);
  struct hamiltonian_rod_totals start = hamiltonian_rod_totals(&rod);
  for (int k = 0; k < 5000; k++)
    hamiltonian_rod_step(&rod, 0.005);
  struct hamiltonian_rod_totals end = hamiltonian_rod_totals(&rod);
  for (int k = 0; k < 3; k++) {
    ck_assert_double_eq_tol(end.linear_ns[k], start.linear_ns[k], 1e-11 * norm(start.linear_ns, 3));
    ck_assert_double_eq_tol(end.angular_nms[k], start.angular_nms[k], 1e-11 * norm(start.angular_nms, 3));
  }
  ck_assert_double_eq_tol(end.kinetic_j + end.potential_j, start.kinetic_j + start.potential_j,
                          0.02 * start.potential_j);
  for (int i = 0; i <= ELEMENTS; i++)
    ck_assert_double_eq_tol(norm(rod.node[i].q, 4), 1, 1e-12);
}
END_TEST

START_TEST(a_step_back_undoes_a_step) {
  static struct hamiltonian_rod rod, start;
  bent(&rod, 1);
  start = rod;
  for (int k = 0; k < 20; k++)
    hamiltonian_rod_step(&rod, 0.005);
  for (int k = 0; k < 20; k++)
    hamiltonian_rod_step(&rod, -0.005);
  for (int i = 0; i <= ELEMENTS; i++)
    for (int k = 0; k < 3; k++) {
      ck_assert_double_eq_tol(rod.node[i].x_m[k], start.node[i].x_m[k], 1e-12);
      ck_assert_double_eq_tol(rod.node[i].pi_nms[k], start.node[i].pi_nms[k], 1e-11);
    }
}
END_TEST

START_TEST(without_stiffness_nodes_are_bodies_of_moser_and_veselov) {
  static struct hamiltonian_rod rod;
  bent(&rod, 0);
  for (int i = 0; i <= ELEMENTS; i++) {
    struct hamiltonian_rod_node *n = &rod.node[i];
    quat q = {n->q[0], n->q[1], n->q[2], n->q[3]};
    mat3 frame = quat_matrix(q);
    double moments[3], m[3], lump = hamiltonian_rod_lump_m(ELEMENTS, rod.element_m, i);
    vec3_to(mat3_tmul(&frame, vec3_of(n->pi_nms)), m);
    for (int k = 0; k < 3; k++)
      moments[k] = lump * section.inertia_kgm[k];
    static struct hamiltonian_rod own;
    own = rod;
    for (int k = 0; k < 50; k++) {
      hamiltonian_rod_step(&own, 0.05);
      rival_moser_veselov(moments, 0.05, m, &q);
    }
    const double other[4] = {q.w, q.x, q.y, q.z};
    for (int k = 0; k < 4; k++)
      ck_assert_double_eq_tol(own.node[i].q[k], other[k], 1e-12);
  }
}
END_TEST

START_TEST(multi_symplectic_at_every_node_and_step) {
  static struct hamiltonian_rod rod;
  static struct varied_rod a, b;
  const double h = 0.005;
  double omega[ELEMENTS + 1] = {0},
                          kappa[ELEMENTS + 2] = {0}; // kappa[i + 1]: of element i; none beyond the ends
  bent(&rod, 1);
  vary(&rod, &a, 1);
  vary(&rod, &b, 1);
  for (int step = 0; step <= 500; step++) {
    for (int e = 0; e < ELEMENTS; e++)
      kappa[e + 1] = rod_kappa(&a, &b, e);
    varied_rod_kick(&a, step ? h : 0.5 * h);
    varied_rod_kick(&b, step ? h : 0.5 * h);
    double worst = 0, flow = 0, size = 0;
    for (int i = 0; i <= ELEMENTS; i++) {
      double now = rod_omega(&a, &b, i), right = i < ELEMENTS ? kappa[i + 1] : 0;
      worst = fmax(worst, fabs(now - omega[i] + h * (right - kappa[i])));
      flow = fmax(flow, fabs(h * (right - kappa[i])));
      size = fmax(size, fabs(now));
      omega[i] = now;
    }
    if (step) {
      ck_assert_double_lt(worst, 1e-13 * size);
      ck_assert_double_gt(flow, 1e-4 * size); // kappa counts
    }
    varied_rod_drift(&a, h);
    varied_rod_drift(&b, h);
  }
}
END_TEST

int main(void) {
  Suite *s = suite_create("rod of Paper V");
  TCase *t = add_case(s, "forces", 20);
  tcase_add_test(t, forces_are_the_slopes_of_the_potential);
  tcase_add_test(t, forces_converge_to_the_equations_of_paper_v);
  t = add_case(s, "steps", 20);
  tcase_add_test(t, momenta_stay);
  tcase_add_test(t, a_step_back_undoes_a_step);
  tcase_add_test(t, without_stiffness_nodes_are_bodies_of_moser_and_veselov);
  tcase_add_test(t, multi_symplectic_at_every_node_and_step);
  return run_suite(s);
}
