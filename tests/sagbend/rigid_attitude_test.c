// The bound of math.h for the attitude of the two exact ways, against Taylor series of the equations of
// motion in long double, which are 2,000 times more precise: bodies whose momentum lies at all distances from
// each principal axis.
#include "sagbend/math/math.h"
#include "sagbend/rigid/rigid.h"
#include "suite.h"

#include <float.h>
#include <math.h>
#include <string.h>

static uint64_t stream = 7;
static double noise(void) { // in (-1, 1)
  stream = stream * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(int64_t)stream / 9223372036854775808.0;
}

typedef long double real;
enum { TERMS = 24, DISTANCES = 16 };

struct body {
  real moment[3], m[3], q[4];
};

// dm/dt = m x w, dq/dt = 1/2 q (0, w), w = m/I.
static void add_rates(const real m[3], const real q[4], const real w[3], real dm[3], real dq[4]) {
  for (int k = 0; k < 3; k++)
    dm[k] += m[(k + 1) % 3] * w[(k + 2) % 3] - m[(k + 2) % 3] * w[(k + 1) % 3];
  dq[0] -= 0.5L * (q[1] * w[0] + q[2] * w[1] + q[3] * w[2]);
  for (int k = 0; k < 3; k++)
    dq[1 + k] +=
        0.5L * (q[0] * w[k] + q[1 + (k + 1) % 3] * w[(k + 2) % 3] - q[1 + (k + 2) % 3] * w[(k + 1) % 3]);
}

// A step of h by the Taylor series, whose coefficients follow from each other: the equations are bilinear.
static void step(struct body *b, real h) {
  real m[TERMS + 1][3], w[TERMS + 1][3], q[TERMS + 1][4], power = 1;
  memcpy(m[0], b->m, sizeof m[0]);
  memcpy(q[0], b->q, sizeof q[0]);
  for (int n = 0; n < TERMS; n++) {
    real dm[3] = {0}, dq[4] = {0};
    for (int k = 0; k < 3; k++)
      w[n][k] = m[n][k] / b->moment[k];
    for (int i = 0; i <= n; i++)
      add_rates(m[i], q[i], w[n - i], dm, dq);
    power *= h;
    for (int k = 0; k < 3; k++)
      m[n + 1][k] = dm[k] / (real)(n + 1), b->m[k] += power * m[n + 1][k];
    for (int k = 0; k < 4; k++)
      q[n + 1][k] = dq[k] / (real)(n + 1), b->q[k] += power * q[n + 1][k];
  }
}

// Largest error of a component of the attitude, in 2^-53 (1 + |h| |m|/I_1).
static double error_of(const double moments[3], const double m[3], double h, enum rigid_attitude how,
                       const struct body *reference, double turned) {
  struct rigid_inertia inertia = rigid_inertia_of(moments);
  double end[3] = {m[0], m[1], m[2]}, largest[2] = {0, 0};
  quat q = {1, 0, 0, 0};
  rigid_free_flow(&inertia, how, h, end, &q);
  const double found[4] = {q.w, q.x, q.y, q.z};
  for (int k = 0; k < 4; k++)
    for (int side = 0; side < 2; side++) // q and -q are one attitude
      largest[side] = fmax(largest[side], fabs((double)((side ? -1 : 1) * (real)found[k] - reference->q[k])));
  return fmin(largest[0], largest[1]) / (0x1p-53 * turned);
}

START_TEST(attitude_errs_within_its_bound) {
  enum { BODIES = 5000 };
  double worst_near_middle = 0;
  ck_assert_int_ge(LDBL_MANT_DIG, 64);
  for (int i = 0; i < BODIES; i++) {
    double moments[3], m[3];
    for (int k = 0; k < 3; k++)
      moments[k] = pow(10, 0.7 * noise());
    struct rigid_inertia inertia = rigid_inertia_of(moments);
    int rank = i % 3, distance = i / 3 % DISTANCES; // the axis near which it turns, and 10^-distance
    double norm = pow(10, 0.3 * noise());
    for (int k = 0; k < 3; k++)
      m[k] = norm * (k == inertia.axis[rank] ? (noise() > 0 ? 1 : -1) : pow(10, -distance) * noise());
    norm = sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
    double h = 3 * noise() * inertia.moment_kgm2[rank] / norm,
           turned = 1 + fabs(h) * norm / inertia.moment_kgm2[0];
    struct body reference = {{0}, {0}, {1, 0, 0, 0}};
    for (int k = 0; k < 3; k++)
      reference.moment[k] = (real)moments[k], reference.m[k] = (real)m[k];
    int steps = 1 + (int)(4 * turned);
    for (int k = 0; k < steps; k++)
      step(&reference, (real)h / steps);
    int near_middle = rank == 1 && distance >= 1 && distance <= 11;
    for (int how = RIGID_EXACT_FRAME; how <= RIGID_EXACT_QUATERNION; how++) {
      double error = error_of(moments, m, h, (enum rigid_attitude)how, &reference, turned);
      ck_assert_msg(error <= (near_middle ? 400 : 60), "way %d, axis %d, distance 1e-%d: %g", how, rank,
                    distance, error);
      if (near_middle)
        worst_near_middle = fmax(worst_near_middle, error);
    }
  }
  ck_assert_double_gt(worst_near_middle, 30); // the larger bound is needed
}
END_TEST

int main(void) {
  Suite *suite = suite_create("rigid_attitude");
  TCase *t = add_case(suite, "bound", 60);
  tcase_add_test(t, attitude_errs_within_its_bound);
  return run_suite(suite);
}
