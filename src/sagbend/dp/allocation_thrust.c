// Stage 2 of the allocation: how much each thruster gives now, along the direction in which it points.
#include "sagbend/dp/allocation_parts.h"

#include "sagbend/math/trig.h"

#include <string.h>

static const double EDGE_RAD = 0.02; // tolerance of a feedback at the edge of a sector

// Whether an azimuth thruster points into a forbidden sector, or is on the way across one.
static int thrust_is_blocked(const struct allocation_sampling *run, int i, double azimuth_rad) {
  if (thruster_steering(run->def->actuator[i].kind) != STEERING_TURNS ||
      !actuator_is_confined(&run->def->actuator[i], run->lifted[i]))
    return 0;
  if ((run->crossing[i] && !run->is_handing_over) || run->arcs[i].count == 0)
    return 1;
  const struct allowed_arc *arc =
      &run->arcs[i].arc[actuator_arc_of(run->arcs[i].arc, run->arcs[i].count, azimuth_rad)];
  return fabs(arc_offset(arc, azimuth_rad)) > arc->half_rad + EDGE_RAD;
}

// The thrusts that are possible now, from low to high, and the force per thrust: its direction and size.
struct thrust_range {
  double low_n, high_n, direction_rad, size;
};

static struct thrust_range thrust_range_of(const struct allocation_sampling *run, int i) {
  const struct actuator_def *actuator = &run->def->actuator[i];
  const struct thruster_feedback *feedback = run->feedback[i];
  double full = run->share[i] * actuator->thrust_max_n, thrust = run->state->thrust_n[i];
  struct thrust_range range = {.low_n = -actuator->thrust_astern * full, .high_n = full, .size = 1};
  double azimuth = feedback ? feedback->azimuth_rad : run->state->azimuth_rad[i];
  const enum thruster_steering steering = thruster_steering(actuator->kind);
  if (steering == STEERING_NONE) {
    range.direction_rad = thruster_axis_rad(actuator->kind);
  } else if (steering == STEERING_TURNS) {
    range.direction_rad = azimuth;
    range.low_n = 0;
    if (thrust_is_blocked(run, i, azimuth))
      range.high_n = 0;
    else if (run->crossing[i])
      range.high_n = bounded(thrust, 0, full); // it falls as others take over
  } else if (allocation_plan_now(run)->part[i].astern) {
    range.high_n = 0;
  } else {
    range.low_n = actuator->rudder_max_rad > 0 ? 0 : range.low_n;
    if (range.low_n == 0)
      range.direction_rad = actuator_rudder_direction(actuator, azimuth, &range.size);
  }

  if (actuator->thrust_rate_nps > 0) {
    double most = actuator->thrust_rate_nps * run->dt_s;
    range.low_n = bounded(range.low_n, thrust - most, thrust + most);
    range.high_n = bounded(range.high_n, thrust - most, thrust + most);
  }
  return range;
}

// The set of forces of a thruster that does not take part: the force of the plan.
static struct force_set fixed_force(const double force_n[2]) {
  double size = force_size(force_n);
  return force_segment(trig_atan2(force_n[1], force_n[0]), size, size);
}

// The thrust with which one that deviates is told to help, and to show whether it follows.
static double thrust_of_deviating(const struct allocation_sampling *run, int i) {
  const struct actuator_def *actuator = &run->def->actuator[i];
  const double *force = run->healthy.solution.force_n[i];
  double test = thruster_watch_test_share(&run->state->watch, i, run->time_s), thrust = 0;
  double full = run->share[i] * actuator->thrust_max_n,
         most = actuator->thrust_rate_nps > 0 ? actuator->thrust_rate_nps * run->dt_s : full;
  if (run->is_useful[i])
    thrust = thruster_steering(actuator->kind) == STEERING_NONE ? force[thruster_axis(actuator->kind)]
             : run->healthy.part[i].astern                      ? force[0]
                                                                : force_size(force);
  thrust = bounded(thrust + test * (thrust < 0 ? -full : full), -actuator->thrust_astern * full, full);
  return bounded(thrust, run->state->thrust_n[i] - most, run->state->thrust_n[i] + most);
}

// Sets the thrust of a thruster from its force along the segment of its set, and gives the size of the force.
static double take_thrust(const struct allocation_sampling *run, int i, const struct force_set *set,
                          const double force_n[2], const struct thrust_range *range) {
  struct allocation_state *state = run->state;
  double along = set->axis[0] * force_n[0] + set->axis[1] * force_n[1];
  if (state->state[i] == ACTUATOR_IN_USE)
    state->thrust_n[i] = bounded(along / range->size, range->low_n, range->high_n);
  else if (state->state[i] != ACTUATOR_DEVIATING)
    state->thrust_n[i] = 0;
  if (state->state[i] == ACTUATOR_DEVIATING) // its set-point draws power as well
    return fabs(along) > fabs(state->thrust_n[i]) ? fabs(along) : fabs(state->thrust_n[i]);
  return state->state[i] == ACTUATOR_IN_USE ? fabs(along) : 0;
}

void allocation_set_thrusts(struct allocation_sampling *run) {
  struct allocation_problem problem;
  struct allocation_solution solution;
  double size_n[MAX_THRUSTERS] = {0};
  for (int round = 0; round < POWER_ROUNDS + 1; round++) {
    struct thrust_range range[MAX_THRUSTERS];
    memset(range, 0, sizeof range);
    allocation_problem_of(run->def, run->demand, &problem);
    memcpy(problem.preferred_n, allocation_plan_now(run)->solution.force_n, sizeof problem.preferred_n);
    for (int i = 0; i < problem.count; i++) {
      if (run->state->state[i] != ACTUATOR_IN_USE) {
        problem.set[i] = fixed_force(allocation_plan_now(run)->solution.force_n[i]);
        continue;
      }
      range[i] = thrust_range_of(run, i);
      problem.set[i] = force_segment(range[i].direction_rad, range[i].size * range[i].low_n,
                                     range[i].size * range[i].high_n);
    }

    allocation_solve(&problem, &solution);
    for (int i = 0; i < problem.count; i++)
      size_n[i] = take_thrust(run, i, &problem.set[i], solution.force_n[i], &range[i]);
    if (round == POWER_ROUNDS || !allocation_power_is_limited(run, size_n))
      break;
    run->state->power_limited = 1;
  }
  for (int i = 0; i < run->def->actuator_count; i++)
    if (run->state->state[i] == ACTUATOR_DEVIATING)
      run->state->thrust_n[i] = thrust_of_deviating(run, i);
  memcpy(run->state->given, solution.wrench, sizeof run->state->given);
}
