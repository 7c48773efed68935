// Stage 1 of the allocation. Forbidden sectors, and the astern side of a main propeller, leave several convex
// parts per thruster. All combinations of parts are tried if they are few; otherwise the parts are changed
// one thruster at a time, starting from the best combination so far.
#include "sagbend/dp/allocation.h"

#include "sagbend/math/trig.h"

#include <math.h>
#include <string.h>

enum { MOST_COMBINATIONS = 81, MOST_ROUNDS = 4 };
// An azimuth thruster gives no thrust while it crosses a sector. That is worth it if the error falls by more
// than this share of the total thrust, times its own.
static const double CROSSING_ERROR = 0.01;
static const double REFUSED = 10; // the same share where they are to stay

double allocation_total_thrust(const struct allocation_def *def) {
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
