// Turning azimuth thrusters and rudders towards the directions of stage 1, within their rates and around
// forbidden zones.
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

static double actuator_arc_offset(const struct allowed_arc *arc, double azimuth_rad);

static int actuator_arc_of(const struct allowed_arc *arcs, int count, double azimuth_rad);

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

static int actuator_is_confined(const struct actuator_def *def, unsigned lifted);

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

static struct force_set force_segment(double direction_rad, double low_n, double high_n);

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

// ------------------------------------------------------------
// The forces that one thruster can give, and the set-points for them.

// Clockwise turn from one direction to another, in [0, 2 pi).
static double turn_from(double from_rad, double to_rad) {
  double turn = trig_wrap(to_rad - from_rad);
  return turn < 0 ? turn + 2 * TRIG_PI : turn;
}

// Whether any forbidden zone is in force.
static int actuator_is_confined(const struct actuator_def *def, unsigned lifted) {
  int in_force = 0;
  for (int i = 0; i < def->forbidden_count; i++)
    in_force += !(lifted >> i & 1);
  return in_force > 0;
}

int actuator_arcs(const struct actuator_def *def, unsigned lifted, struct allowed_arc arcs[MAX_FORBIDDEN]) {
  if (!actuator_is_confined(def, lifted)) {
    arcs[0] = (struct allowed_arc){0, TRIG_PI};
    return 1;
  }
  int count = 0;
  // Each arc begins where a sector ends, unless that end lies in another sector.
  for (int i = 0; i < def->forbidden_count; i++) {
    double start = def->forbidden[i].to_rad, width = 2 * TRIG_PI;
    if (lifted >> i & 1)
      continue;
    for (int j = 0; j < def->forbidden_count && width > 0; j++) {
      const struct forbidden_sector *sector = &def->forbidden[j];
      if (lifted >> j & 1)
        continue;
      double to_from = turn_from(start, sector->from_rad);
      double width_of_sector = turn_from(sector->from_rad, sector->to_rad),
             inside = turn_from(sector->from_rad, start);
      if (inside > 0 && inside < width_of_sector)
        width = 0;
      else if (to_from < width)
        width = to_from;
    }
    if (width > 0)
      arcs[count++] = (struct allowed_arc){trig_wrap(start + 0.5 * width), 0.5 * width};
  }
  return count;
}

// Angle from the middle of the arc, in (-pi, pi].
static double actuator_arc_offset(const struct allowed_arc *arc, double azimuth_rad) {
  return trig_wrap(azimuth_rad - arc->middle_rad);
}

// Index of the arc that contains an azimuth, or of the nearest one.
static int actuator_arc_of(const struct allowed_arc *arcs, int count, double azimuth_rad) {
  int nearest = 0;
  double least = 1e9;
  for (int i = 0; i < count; i++) {
    double beyond = fabs(actuator_arc_offset(&arcs[i], azimuth_rad)) - arcs[i].half_rad;
    if (beyond < least) {
      least = beyond;
      nearest = i;
    }
  }
  return nearest;
}

int actuator_sector_is_between(const struct actuator_def *def, unsigned lifted, double from_rad,
                               double to_rad) {
  struct allowed_arc arcs[MAX_FORBIDDEN];
  int count = actuator_is_confined(def, lifted) ? actuator_arcs(def, lifted, arcs) : 0;
  if (count == 0)
    return 0;
  int from = actuator_arc_of(arcs, count, from_rad), to = actuator_arc_of(arcs, count, to_rad);
  return from != to ||
         fabs(actuator_arc_offset(&arcs[to], to_rad) - actuator_arc_offset(&arcs[from], from_rad)) > TRIG_PI;
}

double actuator_rudder_direction(const struct actuator_def *def, double rudder_rad, double *size) {
  double s = trig_sin(rudder_rad), ahead = 1 - def->rudder_drag * s * s, across = def->rudder_lift * s;
  *size = sqrt(ahead * ahead + across * across);
  return trig_atan2(across, ahead);
}

// Solves tan(direction) (1 - drag s^2) = lift s for the sine s of the rudder angle.
double actuator_rudder_for(const struct actuator_def *def, double direction_rad) {
  double limit = def->rudder_max_rad;
  double tangent = trig_sin(direction_rad) / trig_cos(direction_rad);
  double root =
      def->rudder_lift + sqrt(def->rudder_lift * def->rudder_lift + 4 * def->rudder_drag * tangent * tangent);
  double s = root > 0 ? 2 * tangent / root : 0;
  if (!(fabs(s) < 1))
    return s < 0 ? -limit : limit;
  double angle = trig_atan2(s, sqrt(1 - s * s));
  return angle > limit ? limit : angle < -limit ? -limit : angle;
}

// Least size of the force per thrust ahead over all rudder angles: the minimum of (1 - d u)^2 + l^2 u over u
// = s^2.
static double least_rudder_size(const struct actuator_def *def) {
  double size, largest = trig_sin(def->rudder_max_rad), d = def->rudder_drag, l = def->rudder_lift;
  actuator_rudder_direction(def, def->rudder_max_rad, &size);
  double least = size < 1 ? size : 1;
  double u = d > 0 ? (2 * d - l * l) / (2 * d * d) : 0;
  if (u > 0 && u < largest * largest) {
    double inner = sqrt((1 - d * u) * (1 - d * u) + l * l * u);
    least = inner < least ? inner : least;
  }
  return least;
}

static struct force_set force_disc(double radius_n);

static struct force_set force_sector(double middle_rad, double half_width_rad, double radius_n);

int actuator_parts(const struct actuator_def *def, double share, unsigned lifted,
                   struct force_part parts[MAX_FORCE_PARTS]) {
  double thrust = share * def->thrust_max_n, astern = thrust * def->thrust_astern;
  int count = 0;
  memset(parts, 0, MAX_FORCE_PARTS * sizeof *parts);
  const enum thruster_steering steering = thruster_steering(def->kind);
  const int has_rudder = steering == STEERING_RUDDER && def->rudder_max_rad > 0 && def->rudder_lift > 0;
  if (steering != STEERING_TURNS && !has_rudder) {
    parts[count++].set = force_segment(thruster_axis_rad(def->kind), -astern, thrust);
  } else if (has_rudder) {
    double size, half = actuator_rudder_direction(def, def->rudder_max_rad, &size);
    parts[count++].set = force_sector(0, half, thrust * least_rudder_size(def));
    parts[count].astern = 1;
    parts[count++].set = force_segment(0, -astern, 0);
  } else if (!actuator_is_confined(def, lifted)) {
    parts[count++].set = force_disc(thrust);
  } else {
    struct allowed_arc arcs[MAX_FORBIDDEN];
    int arc_count = actuator_arcs(def, lifted, arcs);
    for (int i = 0; i < arc_count; i++) { // an arc of more than half a turn gives two convex parts
      int halves = arcs[i].half_rad > TRIG_PI / 2 ? 2 : 1;
      double half = arcs[i].half_rad / halves;
      for (int k = 0; k < halves; k++) {
        double middle = arcs[i].middle_rad + (halves == 1 ? 0 : k ? half : -half);
        parts[count++].set = force_sector(middle, half, thrust);
      }
    }
  }
  return count;
}

double actuator_thrust(const struct actuator_def *def, double revolutions_rpm, double pitch) {
  double stroke = revolutions_rpm / def->revolutions_max_rpm;
  if (def->controllable_pitch)
    stroke *= pitch;
  return def->thrust_max_n * (stroke < 0 ? def->thrust_astern : 1) * stroke * fabs(stroke);
}

void actuator_setpoint(const struct actuator_def *def, double thrust_n, double azimuth_rad,
                       struct thruster_command *out) {
  double full = def->thrust_max_n * (thrust_n < 0 ? def->thrust_astern : 1);
  double stroke = full > 0 ? sqrt(fabs(thrust_n) / full) : 0;
  if (stroke > 1) // rounding
    stroke = 1;
  if (thrust_n < 0)
    stroke = -stroke;
  memset(out, 0, sizeof *out);
  memcpy(out->name, def->name, sizeof out->name);
  out->enable = 1;
  out->revolutions_rpm =
      def->controllable_pitch ? def->revolutions_max_rpm : stroke * def->revolutions_max_rpm + 0.0;
  out->pitch = def->controllable_pitch ? stroke + 0.0 : 0;
  out->azimuth_rad = thruster_steering(def->kind) == STEERING_NONE ? 0 : azimuth_rad + 0.0;
}

double actuator_power_share(double thrust_share) {
  double s = fabs(thrust_share);
  return s * sqrt(s);
}

double actuator_share_of_power(double power_share) {
  return power_share > 0 ? explog_exp(2.0 / 3 * explog_log(power_share)) : 0;
}

// ------------------------------------------------------------
// Convex sets of the force of one thruster, and the nearest point of each.

// The segment from low_n to high_n along a direction, rad clockwise from the bow. low_n may be negative.
static struct force_set force_segment(double direction_rad, double low_n, double high_n) {
  return (struct force_set){.shape = FORCE_SEGMENT,
                            .axis = {trig_cos(direction_rad), trig_sin(direction_rad)},
                            .low_n = low_n,
                            .high_n = high_n};
}

// The disc about zero.
static struct force_set force_disc(double radius_n) {
  return (struct force_set){.shape = FORCE_DISC, .axis = {1, 0}, .high_n = radius_n};
}

// The sector about a direction. half_width_rad is at most pi/2, because a wider sector is not convex.
static struct force_set force_sector(double middle_rad, double half_width_rad, double radius_n) {
  return (struct force_set){.shape = FORCE_SECTOR,
                            .axis = {trig_cos(middle_rad), trig_sin(middle_rad)},
                            .edge = {trig_cos(half_width_rad), trig_sin(half_width_rad)},
                            .high_n = radius_n};
}

static void nearest_on_segment(const double axis[2], double low, double high, const double p[2], double q[2],
                               double d[2][2]) {
  double along = axis[0] * p[0] + axis[1] * p[1];
  double kept = along < low ? low : along > high ? high : along;
  int inside = along > low && along < high;
  for (int i = 0; i < 2; i++) {
    q[i] = kept * axis[i];
    for (int j = 0; j < 2; j++)
      d[i][j] = inside ? axis[i] * axis[j] : 0;
  }
}

static void nearest_in_disc(double radius, const double p[2], double q[2], double d[2][2]) {
  double norm = sqrt(p[0] * p[0] + p[1] * p[1]);
  double shrink = norm > radius ? radius / norm : 1;
  double across[2] = {0, 0};
  if (norm > radius) {
    across[0] = -p[1] / norm;
    across[1] = p[0] / norm;
  }
  for (int i = 0; i < 2; i++) {
    q[i] = shrink * p[i];
    for (int j = 0; j < 2; j++)
      d[i][j] = norm > radius ? shrink * across[i] * across[j] : i == j;
  }
}

// Seen from the sector's axis: beyond an edge the nearest point lies on that edge.
static void nearest_in_sector(const struct force_set *s, const double p[2], double q[2], double d[2][2]) {
  const double *a = s->axis;
  double along = a[0] * p[0] + a[1] * p[1], across = a[0] * p[1] - a[1] * p[0];
  double side = across < 0 ? -1 : 1;
  if (s->edge[0] * side * across <= s->edge[1] * along) {
    nearest_in_disc(s->high_n, p, q, d);
    return;
  }
  double edge[2] = {s->edge[0] * a[0] - side * s->edge[1] * a[1],
                    s->edge[0] * a[1] + side * s->edge[1] * a[0]};
  nearest_on_segment(edge, 0, s->high_n, p, q, d);
}

void force_nearest(const struct force_set *set, const double p[2], double nearest[2],
                   double derivative[2][2]) {
  switch (set->shape) {
  case FORCE_SEGMENT:
    nearest_on_segment(set->axis, set->low_n, set->high_n, p, nearest, derivative);
    break;
  case FORCE_DISC:
    nearest_in_disc(set->high_n, p, nearest, derivative);
    break;
  case FORCE_SECTOR:
    nearest_in_sector(set, p, nearest, derivative);
    break;
  }
}
