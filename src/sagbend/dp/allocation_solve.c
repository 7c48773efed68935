#include "sagbend/dp/allocation_solve.h"

#include "sagbend/math/dense3.h"

#include <math.h>
#include <string.h>

enum { LARGEST_NEWTON = 40, LARGEST_SEARCH = 40 };
static const double K_FIRST = 1e2, K_GROWTH = 1e2, K_LAST = 1e10;
// Tolerances of the gradient, which is the error of the wrench: what is exact enough, and the rounding per
// unit of the multiplier.
static const double EXACT = 1e-12, ROUNDING = 4e-16;

// Gradient and curvature of the dual function, in wrench components scaled by the error weights.
struct dual {
  double gradient[3];
  double curvature[3][3]; // minus the second derivative, positive definite
};

// Columns of the scaled B_i: the effect of a force forward and of one to starboard.
static void force_columns(const struct allocation_problem *p, int i, double column[2][3]) {
  const double *e = p->error_weight;
  column[0][0] = e[0];
  column[0][1] = 0;
  column[0][2] = -e[2] * p->place_b_m[i][1];
  column[1][0] = 0;
  column[1][1] = e[1];
  column[1][2] = e[2] * p->place_b_m[i][0];
}

// Evaluates the dual function at the multiplier l, with the forces that belong to it.
static void evaluate_dual(const struct allocation_problem *p, double k, const double l[3], double (*force)[2],
                          struct dual *out) {
  memset(out, 0, sizeof *out);
  for (int a = 0; a < 3; a++) {
    out->gradient[a] = p->error_weight[a] * p->demand[a] - l[a] / k;
    out->curvature[a][a] = 1 / k;
  }
  for (int i = 0; i < p->count; i++) {
    double column[2][3], wished[2], d[2][2];
    force_columns(p, i, column);
    for (int j = 0; j < 2; j++) {
      double pull = column[j][0] * l[0] + column[j][1] * l[1] + column[j][2] * l[2];
      wished[j] = p->preferred_n[i][j] + pull / p->price[i];
    }
    force_nearest(&p->set[i], wished, force[i], d);
    for (int a = 0; a < 3; a++) {
      out->gradient[a] -= column[0][a] * force[i][0] + column[1][a] * force[i][1];
      for (int b = 0; b < 3; b++)
        for (int j = 0; j < 2; j++)
          out->curvature[a][b] +=
              column[j][a] * (d[j][0] * column[0][b] + d[j][1] * column[1][b]) / p->price[i];
    }
  }
}

static double dot3(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double size3(const double a[3]) {
  return sqrt(dot3(a, a));
}

// Line search along the direction: takes a step after which the slope is small, or the full step if the slope
// is still positive there.
static void step_along(const struct allocation_problem *p, double k, double l[3], const double direction[3],
                       double slope, double (*force)[2], struct dual *at) {
  double near = 0, far = 1, t = 1, trial[3];
  for (int n = 0; n < LARGEST_SEARCH; n++) {
    for (int a = 0; a < 3; a++)
      trial[a] = l[a] + t * direction[a];
    evaluate_dual(p, k, trial, force, at);
    double now = dot3(at->gradient, direction);
    if (now >= -1e-6 * slope && (now <= 0.5 * slope || far == 1))
      break;
    if (now < 0)
      far = t;
    else
      near = t;
    t = 0.5 * (near + far);
  }
  memcpy(l, trial, sizeof trial);
}

double allocation_price_of_error(double weighted_error) {
  return 0.5 * K_LAST * weighted_error * weighted_error;
}

double allocation_weighted_error(const struct allocation_problem *p, const double wrench[3]) {
  double sum = 0;
  for (int a = 0; a < 3; a++) {
    double error = p->error_weight[a] * (p->demand[a] - wrench[a]);
    sum += error * error;
  }
  return sqrt(sum);
}

static double cost_of(const struct allocation_problem *p, struct allocation_solution *s) {
  double effort = 0, error = 0;
  memset(s->wrench, 0, sizeof s->wrench);
  for (int i = 0; i < p->count; i++) {
    const double *f = s->force_n[i];
    double off[2] = {f[0] - p->preferred_n[i][0], f[1] - p->preferred_n[i][1]};
    effort += 0.5 * p->price[i] * (off[0] * off[0] + off[1] * off[1]);
    s->wrench[0] += f[0];
    s->wrench[1] += f[1];
    s->wrench[2] += p->place_b_m[i][0] * f[1] - p->place_b_m[i][1] * f[0];
  }
  for (int a = 0; a < 3; a++)
    error += allocation_price_of_error(p->error_weight[a] * (p->demand[a] - s->wrench[a]));
  return effort + error;
}

void allocation_solve(const struct allocation_problem *p, struct allocation_solution *out) {
  double l[3] = {0, 0, 0}, scale = 0;
  struct dual at;
  memset(out, 0, sizeof *out);
  for (int a = 0; a < 3; a++)
    scale += fabs(p->error_weight[a] * p->demand[a]);
  for (double k = K_FIRST; k <= K_LAST; k *= K_GROWTH) {
    evaluate_dual(p, k, l, out->force_n, &at);
    for (int n = 0; n < LARGEST_NEWTON; n++) {
      double direction[3];
      mat3_solve_definite((const double (*)[3])at.curvature, at.gradient, direction);
      double slope = dot3(at.gradient, direction);
      if (!(size3(at.gradient) > EXACT * (1 + scale) + ROUNDING * size3(l)))
        break;
      out->iterations++;
      step_along(p, k, l, direction, slope, out->force_n, &at);
    }
  }
  out->cost = cost_of(p, out);
}
