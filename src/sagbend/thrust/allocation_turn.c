// Turning azimuth thrusters and rudders towards the directions of stage 1, within their rates and around
// forbidden zones, and stage 2: the thrusts along the directions that they have.
#include "sagbend/thrust/thrust.h"
#include "sagbend/thrust/thrust_internal.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

static const double NO_RATE_LIMIT_RAD = 1e9;
static const double ON_THE_EDGE_RAD = 1e-9;
// Share of full thrust with which a drive may enter a sector: 4 % of its revolutions.
static const double STILL = 1.5e-3;
// Lags after which a drive without a set-point that still turns is not waited for any longer: a lag leaves
// less than 1 % of the revolutions.
static const double LAGS_TO_REST = 5;
static const double TAKEN_OVER_RAD =
    0.35;                          // from its direction, at which an azimuth makes up for one that crosses
static const double STANDS = 0.02; // of full revolutions, below which a thruster that does not run stands

static double move_towards(double from, double to, double most) {
  return from + bounded(to - from, -most, most);
}

// Moves a set-point inside a sector that has just come into force to the edge nearest to the thrust, which
// leaves the sector there.
static void leave_sector(struct allocation_sampling *run, int i, double thrust_rad) {
  const struct actuator_def *actuator = &run->def->actuator[i];
  double *now = &run->state->azimuth_rad[i];
  int is_conditional = 0;
  for (int k = 0; k < actuator->forbidden_count; k++)
    is_conditional |= actuator->forbidden[k].against[0] != 0;
  const struct allowed_arc *arc =
      &run->arcs[i].arc[actuator_arc_of(run->arcs[i].arc, run->arcs[i].count, *now)];
  if (!is_conditional || fabs(actuator_arc_offset(arc, *now)) <= arc->half_rad + ON_THE_EDGE_RAD)
    return;
  arc = &run->arcs[i].arc[actuator_arc_of(run->arcs[i].arc, run->arcs[i].count, thrust_rad)];
  *now = trig_wrap(arc->middle_rad +
                   bounded(actuator_arc_offset(arc, thrust_rad), -arc->half_rad, arc->half_rad));
}

// The arc after arc `from` on one side (+1: clockwise) of an azimuth; `to` if there is no other.
static int next_arc(const struct allocated_arcs *arcs, int from, int to, double azimuth_rad, double side) {
  double nearest = 2 * TRIG_PI;
  for (int k = 0; k < arcs->count; k++) {
    double edge = arcs->arc[k].middle_rad - side * arcs->arc[k].half_rad;
    double distance = trig_wrap(side * (edge - azimuth_rad));
    distance = distance < 0 ? distance + 2 * TRIG_PI : distance;
    if (k != from && distance < nearest) {
      nearest = distance;
      to = k;
    }
  }
  return to;
}

// Whether a direction on the far side of the forbidden zones is reached sooner across them, without thrust,
// than by a turn of so many radians within the arc.
static int is_sooner_across(const struct allocation_sampling *run, int i, double turn_rad) {
  const struct actuator_def *actuator = &run->def->actuator[i];
  if (actuator->azimuth_rate_radps <= 0)
    return 0;
  double fall_s = actuator->thrust_rate_nps > 0 ? run->state->thrust_n[i] / actuator->thrust_rate_nps : 0;
  return (2 * TRIG_PI - turn_rad) / actuator->azimuth_rate_radps + fall_s + actuator->response_s <
         turn_rad / actuator->azimuth_rate_radps;
}

// Whether a thruster at the edge of a sector, without a set-point, may cross it: its drive is at rest, or
// does not come to rest at all.
static int may_cross(struct allocation_sampling *run, int i, double actual_n) {
  const struct actuator_def *actuator = &run->def->actuator[i];
  struct allocation_state *state = run->state;
  if (fabs(actual_n) <= STILL * actuator->thrust_max_n)
    return 1;
  state->edge_s[i] += run->dt_s;
  if (state->edge_s[i] < LAGS_TO_REST * actuator->response_s)
    return 0;
  state->restless[i] = 1;
  return 1;
}

// Whether a direction lies in a sector that is lifted although the thruster that it protects still runs down.
// The vessel holds such a sector until then (docs/thrusters.md): one sent in would count as astray.
static int is_in_running_down(const struct allocation_sampling *run, int i, double azimuth_rad) {
  const struct actuator_def *own = &run->def->actuator[i];
  for (int k = 0; k < own->forbidden_count; k++) {
    const struct forbidden_sector *sector = &own->forbidden[k];
    double half = 0.5 * trig_wrap(sector->to_rad - sector->from_rad);
    half += half < 0 ? TRIG_PI : 0;
    if (!(run->lifted[i] >> k & 1) || fabs(trig_wrap(azimuth_rad - sector->from_rad - half)) >= half)
      continue;
    for (int j = 0; j < run->def->actuator_count; j++)
      if (strncmp(run->def->actuator[j].name, sector->against, SIGNAL_NAME) == 0 && run->feedback[j] &&
          fabs(run->feedback[j]->revolutions_rpm) > STANDS * run->def->actuator[j].revolutions_max_rpm)
        return 1;
  }
  return 0;
}

int allocation_crosses(const struct allocation_sampling *run, int i, double wanted_rad) {
  const struct allowed_arc *arcs = run->arcs[i].arc;
  const double now = run->state->azimuth_rad[i];
  if (!actuator_is_confined(&run->def->actuator[i], run->lifted[i]) || run->arcs[i].count == 0)
    return 0;
  int from = actuator_arc_of(arcs, run->arcs[i].count, now);
  int to = actuator_arc_of(arcs, run->arcs[i].count, wanted_rad);
  double half = arcs[from].half_rad;
  double turn = bounded(actuator_arc_offset(&arcs[from], wanted_rad), -half, half) -
                bounded(actuator_arc_offset(&arcs[from], now), -half, half);
  return from != to || is_sooner_across(run, i, fabs(turn));
}

// Turns an azimuth within its arc to the wanted direction. If that lies in another arc, or is reached sooner
// across the sectors, turns to the edge next to it and, once there is no thrust, continues at the near edge
// of the next arc.
static void turn_azimuth(struct allocation_sampling *run, int i, double wanted_rad) {
  const struct actuator_def *actuator = &run->def->actuator[i];
  const struct thruster_feedback *feedback = run->feedback[i];
  double *now = &run->state->azimuth_rad[i];
  double most =
      actuator->azimuth_rate_radps > 0 ? actuator->azimuth_rate_radps * run->dt_s : NO_RATE_LIMIT_RAD;
  if (!actuator_is_confined(actuator, run->lifted[i])) {
    double next = trig_wrap(*now + bounded(trig_wrap(wanted_rad - *now), -most, most));
    if (is_in_running_down(run, i, *now) || !is_in_running_down(run, i, next))
      *now = next;
    return;
  }

  const struct allowed_arc *arcs = run->arcs[i].arc;
  if (feedback)
    leave_sector(run, i, feedback->azimuth_rad);
  const double actual_n =
      feedback ? actuator_thrust(actuator, feedback->revolutions_rpm, feedback->pitch) : 0;
  if (fabs(actual_n) <= STILL * actuator->thrust_max_n)
    run->state->restless[i] = 0;
  int from = actuator_arc_of(arcs, run->arcs[i].count, *now);
  int to = actuator_arc_of(arcs, run->arcs[i].count, wanted_rad);
  double half = arcs[from].half_rad, offset = bounded(actuator_arc_offset(&arcs[from], *now), -half, half);
  double goal = bounded(actuator_arc_offset(&arcs[from], wanted_rad), -half, half);
  if (!allocation_crosses(run, i, wanted_rad) ||
      (run->is_crossed && !run->crosses[i] && !run->is_useful[i])) {
    *now = trig_wrap(arcs[from].middle_rad + move_towards(offset, goal, most));
    run->state->edge_s[i] = 0;
    return;
  }

  run->crossing[i] = 1;
  double side = trig_wrap(wanted_rad - *now) < 0 ? -1 : 1;
  double quiet_n = NO_THRUST * actuator->thrust_max_n;
  offset = move_towards(offset, side * half, most);
  *now = trig_wrap(arcs[from].middle_rad + offset);
  if (offset == side * half && run->state->thrust_n[i] <= quiet_n && may_cross(run, i, actual_n)) {
    run->state->edge_s[i] = 0;
    to = next_arc(&run->arcs[i], from, to, *now, side); // with one arc its other end
    *now = trig_wrap(arcs[to].middle_rad - side * arcs[to].half_rad);
  }
}

// Turns the rudder of a main propeller towards the wanted direction of its force; amidships for thrust
// astern.
static void turn_rudder(struct allocation_sampling *run, int i, int keeps, int astern, double wanted_rad) {
  const struct actuator_def *actuator = &run->def->actuator[i];
  double *now = &run->state->azimuth_rad[i], goal = *now;
  if (!keeps)
    goal = astern ? 0 : actuator_rudder_for(actuator, wanted_rad);
  double most =
      actuator->azimuth_rate_radps > 0 ? actuator->azimuth_rate_radps * run->dt_s : NO_RATE_LIMIT_RAD;
  *now = move_towards(*now, bounded(goal, -actuator->rudder_max_rad, actuator->rudder_max_rad), most);
}

// Whether an azimuth that takes over from one that crosses is still on its way; one that would have to cross
// as well waits at the edge of its sector.
static int still_turns(const struct allocation_sampling *run, int i, double wanted_rad) {
  const struct allowed_arc *arcs = run->arcs[i].arc;
  if (run->crosses[i] || run->is_useful[i])
    return 0;
  const struct allowed_arc *arc =
      &arcs[actuator_arc_of(arcs, run->arcs[i].count, run->state->azimuth_rad[i])];
  double turn = bounded(actuator_arc_offset(arc, wanted_rad), -arc->half_rad, arc->half_rad) -
                actuator_arc_offset(arc, run->state->azimuth_rad[i]);
  if (!actuator_is_confined(&run->def->actuator[i], run->lifted[i]))
    turn = trig_wrap(turn); // the shorter way round
  return fabs(turn) > TAKEN_OVER_RAD;
}

void allocation_turn(struct allocation_sampling *run) {
  memset(run->crossing, 0, sizeof run->crossing);
  for (int i = 0; i < run->def->actuator_count; i++) {
    const struct actuator_def *actuator = &run->def->actuator[i];
    const struct allocation_plan *plan = run->is_useful[i] ? &run->healthy
                                         : run->crosses[i] ? &run->plan
                                                           : allocation_plan_now(run);
    const double *force = plan->solution.force_n[i];
    if ((run->state->state[i] != ACTUATOR_IN_USE && !run->is_useful[i]) ||
        thruster_steering(actuator->kind) == STEERING_NONE)
      continue;
    int keeps = force_size(force) < run->def->least_share * actuator->thrust_max_n; // little force: no turn
    double wanted_rad = keeps ? run->state->azimuth_rad[i] : trig_atan2(force[1], force[0]);
    if (thruster_steering(actuator->kind) == STEERING_RUDDER)
      turn_rudder(run, i, keeps, plan->part[i].astern, wanted_rad);
    else if (run->arcs[i].count > 0) {
      turn_azimuth(run, i, wanted_rad);
      run->is_handing_over |= run->is_crossed && still_turns(run, i, wanted_rad);
    }
  }
}

// ------------------------------------------------------------
// Stage 2 of the allocation: how much each thruster gives now, along the direction in which it points.

static const double EDGE_RAD = 0.02; // tolerance of a feedback at the edge of a sector

// Whether an azimuth thruster points into a forbidden zone, or is on the way across one.
static int thrust_is_blocked(const struct allocation_sampling *run, int i, double azimuth_rad) {
  if (thruster_steering(run->def->actuator[i].kind) != STEERING_TURNS ||
      !actuator_is_confined(&run->def->actuator[i], run->lifted[i]))
    return 0;
  if ((run->crossing[i] && !run->is_handing_over) || run->arcs[i].count == 0)
    return 1;
  const struct allowed_arc *arc =
      &run->arcs[i].arc[actuator_arc_of(run->arcs[i].arc, run->arcs[i].count, azimuth_rad)];
  return fabs(actuator_arc_offset(arc, azimuth_rad)) > arc->half_rad + EDGE_RAD;
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
      range.high_n = bounded(thrust, 0, full); // the thrust falls as others take over
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

// The set-point of a thruster that deviates: it has to help, and to show whether it follows.
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
