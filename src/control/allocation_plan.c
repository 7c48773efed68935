// Stage 1: the parts that the forbidden sectors (and a propeller's astern side) leave are enumerated where
// their combinations are few, otherwise changed one thruster at a time from the best found so far.
#include "control/allocation.h"

#include <math.h>
#include <string.h>

enum { MOST_COMBINATIONS = 81, MOST_ROUNDS = 4 };
// To leave an arc under thrust, the thrust goes to zero until the azimuth has crossed the sector: worth it
// for an error less by this share of the total thrust.
static const double CROSSING_ERROR = 0.01;

double allocation_total_thrust(const struct allocation_def *def) {
  double total = 0;
  for (int i = 0; i < def->actuator_count; i++)
    total += def->actuator[i].thrust_max_n;
  return total;
}

void allocation_problem_of(const struct allocation_def *def, const double demand[3],
                           struct allocation_problem *p) {
  double total = allocation_total_thrust(def), arm = 1;
  memset(p, 0, sizeof *p);
  p->count = def->actuator_count;
  for (int i = 0; i < p->count; i++) {
    const struct actuator_def *a = &def->actuator[i];
    double x = a->position_b_m[0], y = a->position_b_m[1], r = sqrt(x * x + y * y);
    arm = r > arm ? r : arm;
    p->place_b_m[i][0] = x;
    p->place_b_m[i][1] = y;
    p->price[i] = a->price * (1 + def->change_weight) / (a->thrust_max_n * a->thrust_max_n);
  }
  for (int k = 0; k < 3; k++) {
    p->demand[k] = demand[k];
    p->error_weight[k] = sqrt(def->error_weight[k]) / (k == 2 ? total * arm : total);
  }
}

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

static void collect_parts(struct planning *g) {
  for (int i = 0; i < g->def->actuator_count; i++) {
    const struct actuator_def *a = &g->def->actuator[i];
    if (g->wish->fixed[i]) {
      const double *f = g->wish->force_n[i];
      struct force_set *set = &g->part[i][0].set; // a point
      double size = sqrt(f[0] * f[0] + f[1] * f[1]);
      *set = (struct force_set){.shape = FORCE_SEGMENT, .axis = {1, 0}, .low_n = size, .high_n = size};
      if (size > 0) {
        set->axis[0] = f[0] / size;
        set->axis[1] = f[1] / size;
      }
      g->part_count[i] = 1;
    } else {
      g->part_count[i] = actuator_parts(a, g->wish->share[i], g->part[i]);
    }
    for (int j = 0; j < 2; j++)
      g->problem.preferred_n[i][j] =
          (a->bias_n[j] + g->def->change_weight * g->wish->preferred_n[i][j]) / (1 + g->def->change_weight);
  }
}

static void try_parts(struct planning *g, const int part[]) {
  struct allocation_solution s;
  double crossing = 0;
  for (int i = 0; i < g->def->actuator_count; i++) {
    const struct force_part *p = &g->part[i][part[i]];
    g->problem.set[i] = p->set;
    if (g->def->actuator[i].kind == ACTUATOR_AZIMUTH && p->arc != g->wish->arc[i])
      crossing += g->wish->under_thrust[i];
  }
  allocation_solve(&g->problem, &s);
  double cost = s.cost + allocation_price_of_error(CROSSING_ERROR * crossing);
  if (cost < g->best_cost) {
    g->best_cost = cost;
    g->solution = s;
    memcpy(g->best, part, sizeof g->best);
  }
}

static void try_all(struct planning *g) {
  int part[MAX_THRUSTERS] = {0};
  for (int i = 0; i < g->def->actuator_count;) {
    try_parts(g, part);
    for (i = 0; i < g->def->actuator_count && ++part[i] == g->part_count[i]; i++) // the next combination
      part[i] = 0;
  }
}

static void try_one_by_one(struct planning *g) {
  int part[MAX_THRUSTERS] = {0};
  try_parts(g, part);
  for (int round = 0; round < MOST_ROUNDS; round++) {
    double before = g->best_cost;
    for (int i = 0; i < g->def->actuator_count; i++)
      for (int k = 0; k < g->part_count[i]; k++) {
        memcpy(part, g->best, sizeof part);
        if (part[i] == k)
          continue;
        part[i] = k;
        try_parts(g, part);
      }
    if (!(g->best_cost < before))
      break;
  }
}

void allocation_plan(const struct allocation_def *def, const struct allocation_wish *wish,
                     struct allocation_plan *out) {
  struct planning g = {.def = def, .wish = wish, .best_cost = INFINITY};
  allocation_problem_of(def, wish->demand, &g.problem);
  collect_parts(&g);
  double combinations = 1;
  for (int i = 0; i < def->actuator_count; i++)
    combinations *= g.part_count[i];
  if (combinations <= MOST_COMBINATIONS)
    try_all(&g);
  else
    try_one_by_one(&g);
  memset(out, 0, sizeof *out);
  out->solution = g.solution;
  for (int i = 0; i < def->actuator_count; i++)
    out->part[i] = g.part[i][g.best[i]];
}
