// Schemes of compositions, and the action of the exponential of a small matrix.
#include "sagbend/rigid/rigid.h"
#include "sagbend/rigid/rigid_internal.h"

#include "sagbend/math/math.h"

#include <math.h>

static const double v2_a[] = {0.5}, v2_b[] = {1};
const struct scheme scheme_v2 = {"V2", 2, 1, 1, v2_a, v2_b, 2, 1};

#define S4_A1 0.07920369643119565
#define S4_A2 0.353172906049774
#define S4_A3 -0.04206508035771952
#define S4_B1 0.209515106613362
#define S4_B2 -0.143851773179818
static const double s4_6_a[] = {S4_A1, S4_A2, S4_A3, 1 - 2 * (S4_A1 + S4_A2 + S4_A3)};
static const double s4_6_b[] = {S4_B1, S4_B2, 0.5 - (S4_B1 + S4_B2)};
const struct scheme scheme_s4_6 = {"S4_6", 4, 6, 1, s4_6_a, s4_6_b, 7, 6};

#define S6_A1 0.0502627644003922
#define S6_A2 0.413514300428344
#define S6_A3 0.0450798897943977
#define S6_A4 -0.188054853819569
#define S6_A5 0.541960678450780
#define S6_B1 0.148816447901042
#define S6_B2 -0.132385865767784
#define S6_B3 0.067307604692185
#define S6_B4 0.432666402578175
static const double s6_10_a[] = {S6_A1, S6_A2, S6_A3,
                                 S6_A4, S6_A5, 1 - 2 * (S6_A1 + S6_A2 + S6_A3 + S6_A4 + S6_A5)};
static const double s6_10_b[] = {S6_B1, S6_B2, S6_B3, S6_B4, 0.5 - (S6_B1 + S6_B2 + S6_B3 + S6_B4)};
const struct scheme scheme_s6_10 = {"S6_10", 6, 10, 1, s6_10_a, s6_10_b, 11, 10};

#define R4_B1 0.0829844064174052
#define R4_B2 0.396309801498368
#define R4_B3 -0.0390563049223486
#define R4_A1 0.245298957184271
#define R4_A2 0.604872665711080
static const double rkn4b_6_b[] = {R4_B1, R4_B2, R4_B3, 1 - 2 * (R4_B1 + R4_B2 + R4_B3)};
static const double rkn4b_6_a[] = {R4_A1, R4_A2, 0.5 - (R4_A1 + R4_A2)};
const struct scheme scheme_rkn4b_6 = {"RKN4b_6", 4, 6, 0, rkn4b_6_a, rkn4b_6_b, 6, 7};

#define R6_A1 0.0378593198406116
#define R6_A2 0.102635633102435
#define R6_A3 -0.0258678882665587
#define R6_A4 0.314241403071447
#define R6_A5 -0.130144459517415
#define R6_A6 0.106417700369543
#define R6_A7 -0.00879424312851058
#define R6_B1 0.09171915262446165
#define R6_B2 0.183983170005006
#define R6_B3 -0.05653436583288827
#define R6_B4 0.004914688774712854
#define R6_B5 0.143761127168358
#define R6_B6 0.328567693746804
static const double rkn6a_14_a[] = {
    R6_A1, R6_A2, R6_A3, R6_A4,
    R6_A5, R6_A6, R6_A7, 1 - 2 * (R6_A1 + R6_A2 + R6_A3 + R6_A4 + R6_A5 + R6_A6 + R6_A7)};
static const double rkn6a_14_b[] = {
    R6_B1, R6_B2, R6_B3, R6_B4, R6_B5, R6_B6, 0.5 - (R6_B1 + R6_B2 + R6_B3 + R6_B4 + R6_B5 + R6_B6)};
const struct scheme scheme_rkn6a_14 = {"RKN6a_14", 6, 14, 1, rkn6a_14_a, rkn6a_14_b, 15, 14};

// Coefficient i of a palindrome of count, given its first half.
static double mirrored(const double *half, int count, int i) {
  return half[i < count - 1 - i ? i : count - 1 - i];
}

static double scheme_a(const struct scheme *scheme, int i) NONBLOCKING {
  return mirrored(scheme->a, scheme->a_count, i);
}
// Coefficient of the i-th flow a (or b) of a step, i from 0.
static double scheme_b(const struct scheme *scheme, int i) NONBLOCKING {
  return mirrored(scheme->b, scheme->b_count, i);
}

typedef double coefficient_of(const struct scheme *scheme, int i) NONBLOCKING;

static void run_flow(compose_flow *flow, void *system, double h) NONBLOCKING {
  NONBLOCKING_EXEMPT(flow(system, h));
}

void compose_steps(const struct scheme *scheme, compose_flow *a, compose_flow *b, void *system, double h,
                   long steps) {
  compose_flow *outer = scheme->a_first ? a : b, *inner = scheme->a_first ? b : a;
  coefficient_of *outer_share = scheme->a_first ? scheme_a : scheme_b;
  coefficient_of *inner_share = scheme->a_first ? scheme_b : scheme_a;
  int inner_count = scheme->a_first ? scheme->b_count : scheme->a_count;
  if (steps <= 0)
    return;

  run_flow(outer, system, outer_share(scheme, 0) * h);

  for (long step = 0; step < steps; step++) {
    for (int i = 0; i < inner_count; i++) {
      run_flow(inner, system, inner_share(scheme, i) * h);
      if (i + 1 < inner_count)
        run_flow(outer, system, outer_share(scheme, i + 1) * h);
    }
    run_flow(outer, system, (step + 1 < steps ? 2 : 1) * outer_share(scheme, 0) * h);
  }
}

void compose(const struct scheme *scheme, compose_flow *a, compose_flow *b, void *system, double h) {
  compose_steps(scheme, a, b, system, h, 1);
}

double scheme_dissipation_bound(const struct scheme *scheme, enum scheme_flow dissipative) {
  int is_a = dissipative == SCHEME_A, count = is_a ? scheme->a_count : scheme->b_count;
  double forwards = 0, backwards = 0;
  for (int i = 0; i < count; i++) {
    double share = is_a ? scheme_a(scheme, i) : scheme_b(scheme, i);
    *(share < 0 ? &backwards : &forwards) += share;
  }
  return backwards < 0 ? forwards / -backwards : HUGE_VAL;
}

// ------------------------------------------------------------
// Largest |A| h of a part: term 19 of the series is then below 1e-17 of the largest term.
static const double PART_NORM = 1.0;
// The series ends at a term below this share of the start.
static const double RESOLVED = 0x1p-62;
enum { MOST_PARTS = 100000 };

int phi_part_count(int n, const double a[][PHI_MAX], double h) {
  double norm = 0;
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int i = 0; i < n; i++)
      sum += fabs(a[i][j]);
    norm = sum > norm ? sum : norm;
  }

  double parts = ceil(norm * fabs(h) / PART_NORM);
  if (!(parts <= MOST_PARTS))
    return 0;

  return parts < 1 ? 1 : (int)parts;
}

void phi_path_of(int n, const double a[][PHI_MAX], double h, const double x[], struct phi_path *path) {
  double size = 0;
  path->n = n;
  path->h = h;

  for (int i = 0; i < n; i++) {
    path->term[0][i] = x[i];
    size += fabs(x[i]);
  }

  for (path->terms = 1; path->terms < PHI_TERMS; path->terms++) {
    const double *last = path->term[path->terms - 1];
    double *next = path->term[path->terms], next_size = 0;
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int j = 0; j < n; j++)
        sum += a[i][j] * last[j];
      next[i] = h / path->terms * sum;
      next_size += fabs(next[i]);
    }
    if (next_size <= RESOLVED * size)
      return;
  }
}

void phi_end(const struct phi_path *path, double x[]) {
  for (int i = 0; i < path->n; i++) {
    double sum = 0;
    for (int k = path->terms - 1; k >= 0; k--) // small terms first
      sum += path->term[k][i];
    x[i] = sum;
  }
}

void phi_row(const struct phi_path *path, const double row[], double out[PHI_TERMS]) {
  for (int k = 0; k < path->terms; k++) {
    out[k] = 0;
    for (int j = 0; j < path->n; j++)
      out[k] += row[j] * path->term[k][j];
  }
}

double phi_product(const struct phi_path *path, const double left[PHI_TERMS], const double right[PHI_TERMS]) {
  double sum = 0;
  for (int power = 2 * path->terms - 2; power >= 0; power--) {
    double coefficient = 0;
    int first = power < path->terms ? 0 : power - path->terms + 1,
        last = power < path->terms ? power : path->terms - 1;
    for (int i = first; i <= last; i++)
      coefficient += left[i] * right[power - i];
    sum += coefficient / (power + 1);
  }

  return path->h * sum;
}
