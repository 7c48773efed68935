// The plan of the allocation: the convex core, stage 1 over the parts of each thruster, and stage 1 within
// the power of the buses.
#include "sagbend/thrust/thrust.h"
#include "sagbend/thrust/thrust_internal.h"

#include "sagbend/math/math.h"

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

// By how much a wrench misses the demand, weighted.
static double allocation_weighted_error(const struct allocation_problem *p,
                                        const double wrench[3]) NONBLOCKING {
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

// ------------------------------------------------------------
// Stage 1 of the allocation. Forbidden zones, and the astern side of a main propeller, leave several convex
// parts per thruster. All combinations of parts are tried if they are few; otherwise the parts are changed
// one thruster at a time, starting from the best combination so far.

enum { MOST_COMBINATIONS = 81, MOST_ROUNDS = 4 };
// An azimuth thruster gives no thrust while it crosses a sector. That is worth it if the error falls by more
// than this share of the total thrust, times its own.
static const double CROSSING_ERROR = 0.01;
static const double REFUSED = 10; // cost of a sector in which the thruster has to stay

// Sum of the largest thrusts, N.
static double allocation_total_thrust(const struct allocation_def *def) NONBLOCKING {
  double total = 0;
  for (int i = 0; i < def->actuator_count; i++)
    total += def->actuator[i].thrust_max_n;
  return total;
}

void allocation_problem_of(const struct allocation_def *def, const double demand[3],
                           struct allocation_problem *problem) {
  double total = allocation_total_thrust(def), arm = 1;
  memset(problem, 0, sizeof *problem);
  problem->count = def->actuator_count;
  for (int i = 0; i < problem->count; i++) {
    const struct actuator_def *actuator = &def->actuator[i];
    double x = actuator->position_b_m[0], y = actuator->position_b_m[1], r = sqrt(x * x + y * y);
    arm = r > arm ? r : arm;
    problem->place_b_m[i][0] = x;
    problem->place_b_m[i][1] = y;
    problem->price[i] =
        actuator->price * (1 + def->change_weight) / (actuator->thrust_max_n * actuator->thrust_max_n);
  }
  for (int k = 0; k < 3; k++) {
    problem->demand[k] = demand[k];
    problem->error_weight[k] = sqrt(def->error_weight[k]) / (k == 2 ? total * arm : total);
  }
}

// The search for the best combination.
struct planning {
  const struct allocation_def *def;
  const struct allocation_wish *wish;
  struct allocation_problem problem;
  struct force_part part[MAX_THRUSTERS][MAX_FORCE_PARTS];
  int part_count[MAX_THRUSTERS];
  int best[MAX_THRUSTERS];
  double best_cost;
  struct allocation_solution solution;
};

static void collect_parts(struct planning *planning) {
  for (int i = 0; i < planning->def->actuator_count; i++) {
    const struct actuator_def *actuator = &planning->def->actuator[i];
    if (planning->wish->fixed[i]) {
      const double *f = planning->wish->force_n[i];
      struct force_set *set = &planning->part[i][0].set; // a point
      double size = sqrt(f[0] * f[0] + f[1] * f[1]);
      *set = (struct force_set){.shape = FORCE_SEGMENT, .axis = {1, 0}, .low_n = size, .high_n = size};
      if (size > 0) {
        set->axis[0] = f[0] / size;
        set->axis[1] = f[1] / size;
      }
      planning->part_count[i] = 1;
    } else {
      planning->part_count[i] =
          actuator_parts(actuator, planning->wish->share[i], planning->wish->lifted[i], planning->part[i]);
    }
    for (int j = 0; j < 2; j++)
      planning->problem.preferred_n[i][j] =
          (actuator->bias_n[j] + planning->def->change_weight * planning->wish->preferred_n[i][j]) /
          (1 + planning->def->change_weight);
  }
}

// Thrust that a plan loses while azimuth thrusters cross sectors, as the sum of shares.
static double crossing_share(const struct planning *planning, const struct allocation_solution *solution) {
  const struct allocation_wish *wish = planning->wish;
  double share = 0;
  for (int i = 0; i < planning->def->actuator_count; i++) {
    const struct actuator_def *actuator = &planning->def->actuator[i];
    const double *f = solution->force_n[i], least_n = planning->def->least_share * actuator->thrust_max_n;
    if (thruster_steering(actuator->kind) == STEERING_TURNS && !wish->fixed[i] && wish->under_thrust[i] > 0 &&
        f[0] * f[0] + f[1] * f[1] >= least_n * least_n &&
        actuator_sector_is_between(actuator, wish->lifted[i], wish->azimuth_rad[i], trig_atan2(f[1], f[0])))
      share += wish->under_thrust[i];
  }
  return share;
}

static void try_parts(struct planning *planning, const int part[]) {
  struct allocation_solution solution;
  for (int i = 0; i < planning->def->actuator_count; i++)
    planning->problem.set[i] = planning->part[i][part[i]].set;
  allocation_solve(&planning->problem, &solution);
  double error = allocation_weighted_error(&planning->problem, solution.wrench);
  double missed =
      error + (planning->wish->stays ? REFUSED : CROSSING_ERROR) * crossing_share(planning, &solution);
  double cost = solution.cost + allocation_price_of_error(missed) - allocation_price_of_error(error);
  if (cost < planning->best_cost) {
    planning->best_cost = cost;
    planning->solution = solution;
    memcpy(planning->best, part, sizeof planning->best);
  }
}

static void try_all(struct planning *planning) {
  int part[MAX_THRUSTERS] = {0};
  for (int i = 0; i < planning->def->actuator_count;) {
    try_parts(planning, part);
    for (i = 0; i < planning->def->actuator_count && ++part[i] == planning->part_count[i];
         i++) // the next combination
      part[i] = 0;
  }
}

static void try_one_by_one(struct planning *planning) {
  int part[MAX_THRUSTERS] = {0};
  try_parts(planning, part);
  for (int round = 0; round < MOST_ROUNDS; round++) {
    double before = planning->best_cost;
    for (int i = 0; i < planning->def->actuator_count; i++)
      for (int k = 0; k < planning->part_count[i]; k++) {
        memcpy(part, planning->best, sizeof part);
        if (part[i] == k)
          continue;
        part[i] = k;
        try_parts(planning, part);
      }
    if (!(planning->best_cost < before))
      break;
  }
}

void allocation_plan(const struct allocation_def *def, const struct allocation_wish *wish,
                     struct allocation_plan *out) {
  struct planning planning = {.def = def, .wish = wish, .best_cost = (double)INFINITY};
  allocation_problem_of(def, wish->demand, &planning.problem);
  collect_parts(&planning);
  double combinations = 1;
  for (int i = 0; i < def->actuator_count; i++)
    combinations *= planning.part_count[i];
  if (combinations <= MOST_COMBINATIONS)
    try_all(&planning);
  else
    try_one_by_one(&planning);
  memset(out, 0, sizeof *out);
  out->solution = planning.solution;
  for (int i = 0; i < def->actuator_count; i++)
    out->part[i] = planning.part[i][planning.best[i]];
}

// ------------------------------------------------------------
// Stage 1 within the power of the buses.

int allocation_power_is_limited(struct allocation_sampling *run, const double *size_n) {
  int limited = 0;
  for (int b = 0; b < run->def->bus_count; b++) {
    double power = 0, limit_w = allocation_bus_power_w(run->state, run->def, b);
    for (int i = 0; i < run->def->actuator_count; i++) {
      const struct actuator_def *actuator = &run->def->actuator[i];
      if (allocation_is_on_bus(run->def, i, b))
        power += actuator->power_max_w * actuator_power_share(size_n[i] / actuator->thrust_max_n);
    }
    if (power <= limit_w * (1 + 1e-9))
      continue;

    limited = 1;
    double scale = actuator_share_of_power(limit_w / power) * (1 - 1e-12);
    for (int i = 0; i < run->def->actuator_count; i++)
      if (allocation_is_on_bus(run->def, i, b))
        run->share[i] = bounded(scale * size_n[i] / run->def->actuator[i].thrust_max_n, 0, run->share[i]);
  }
  return limited;
}

// By how much a planned wrench misses the demand, weighted.
double allocation_error_of(const struct allocation_sampling *run, const struct allocation_plan *plan) {
  struct allocation_problem problem;
  allocation_problem_of(run->def, run->demand, &problem);
  return allocation_weighted_error(&problem, plan->solution.wrench);
}

int allocation_plan_in_power(struct allocation_sampling *run, struct allocation_wish *wish,
                             struct allocation_plan *plan) {
  int is_limited = 0;
  for (int i = 0; i < run->def->actuator_count; i++)
    run->share[i] = 1;
  for (int round = 0; round < POWER_ROUNDS; round++) {
    double size_n[MAX_THRUSTERS] = {0};
    memcpy(wish->share, run->share, sizeof wish->share);
    allocation_plan(run->def, wish, plan);
    for (int i = 0; i < run->def->actuator_count; i++)
      size_n[i] = force_size(plan->solution.force_n[i]);
    if (!allocation_power_is_limited(run, size_n))
      break;
    is_limited = 1;
  }
  return is_limited;
}
