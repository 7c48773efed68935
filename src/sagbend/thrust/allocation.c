// One sample of the allocation: state of the thrusters, stage 1, turning, stage 2, set-points.
#include "sagbend/thrust/thrust.h"
#include "sagbend/thrust/thrust_internal.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

static const double SATURATED =
    1e-3; // weighted error, as a share of the total thrust, that counts as saturation

static const struct thruster_feedback *feedback_named(const char *name, const struct readings *readings) {
  for (int i = 0; i < readings->thruster_count; i++)
    if (strncmp(readings->thruster[i].name, name, SIGNAL_NAME) == 0)
      return &readings->thruster[i];
  return NULL;
}

static const struct thruster_feedback *feedback_of(const struct actuator_def *actuator,
                                                   const struct readings *readings) {
  return feedback_named(actuator->name, readings);
}

// Bits of the forbidden zones whose protected thruster does not run.
static unsigned lifted_sectors(const struct actuator_def *actuator, const struct readings *readings) {
  unsigned lifted = 0;
  for (int k = 0; k < actuator->forbidden_count; k++) {
    const char *against = actuator->forbidden[k].against;
    const struct thruster_feedback *feedback = against[0] ? feedback_named(against, readings) : NULL;
    if (against[0] && !(feedback && feedback->running))
      lifted |= 1U << k;
  }
  return lifted;
}

// Force of a thrust, b. azimuth: its direction, or the rudder angle of a main propeller.
static void force_of(const struct actuator_def *actuator, double thrust, double azimuth, double force[2]) {
  double direction = azimuth, size = 1;
  switch (thruster_steering(actuator->kind)) {
  case STEERING_NONE:
    force[thruster_axis(actuator->kind)] = thrust;
    force[!thruster_axis(actuator->kind)] = 0;
    return;
  case STEERING_TURNS:
    break;
  case STEERING_RUDDER:
    direction = thrust > 0 ? actuator_rudder_direction(actuator, azimuth, &size) : 0;
    break;
  }
  force[0] = size * thrust * trig_cos(direction);
  force[1] = size * thrust * trig_sin(direction);
}

static void force_of_feedback(const struct actuator_def *actuator, const struct thruster_feedback *feedback,
                              double force[2]) {
  force_of(actuator, actuator_thrust(actuator, feedback->revolutions_rpm, feedback->pitch),
           feedback->azimuth_rad, force);
}

static void add_force(const struct actuator_def *actuator, const double force[2], double wrench[3]) {
  wrench[0] += force[0];
  wrench[1] += force[1];
  wrench[2] += actuator->position_b_m[0] * force[1] - actuator->position_b_m[1] * force[0];
}

void allocation_feedback_wrench(const struct allocation_def *def, const struct readings *readings,
                                uint32_t which, double wrench[3]) {
  memset(wrench, 0, 3 * sizeof *wrench);
  for (int i = 0; i < def->actuator_count; i++) {
    const struct thruster_feedback *feedback = feedback_of(&def->actuator[i], readings);
    double force[2];
    if (!feedback || !(which >> i & 1))
      continue;
    force_of_feedback(&def->actuator[i], feedback, force);
    add_force(&def->actuator[i], force, wrench);
  }
}

void allocation_start(struct allocation_state *state, const struct allocation_def *def,
                      const struct readings *readings, double time_s) {
  memset(state, 0, sizeof *state);
  thruster_watch_start(&state->watch, time_s);
  for (int i = 0; i < def->actuator_count; i++) {
    const struct actuator_def *actuator = &def->actuator[i];
    const struct thruster_feedback *feedback = feedback_of(actuator, readings);
    if (!feedback)
      continue;
    double low = thruster_steering(actuator->kind) == STEERING_TURNS
                     ? 0
                     : -actuator->thrust_astern * actuator->thrust_max_n;
    state->thrust_n[i] = bounded(actuator_thrust(actuator, feedback->revolutions_rpm, feedback->pitch), low,
                                 actuator->thrust_max_n);
    state->azimuth_rad[i] = thruster_steering(actuator->kind) == STEERING_NONE ? 0 : feedback->azimuth_rad;
    force_of_feedback(actuator, feedback, state->force_n[i]);
  }
}

// Finds feedback, arcs and state of each thruster.
static void check_thrusters(struct allocation_sampling *run) {
  run->state->in_use = run->state->deviating = 0;
  for (int i = 0; i < run->def->actuator_count; i++) {
    const struct actuator_def *actuator = &run->def->actuator[i];
    const struct thruster_feedback *feedback = run->feedback[i] = feedback_of(actuator, run->readings);
    enum actuator_state use = ACTUATOR_IN_USE;
    run->share[i] = 1;
    run->lifted[i] = lifted_sectors(actuator, run->readings);
    run->arcs[i].count = thruster_steering(actuator->kind) == STEERING_TURNS
                             ? actuator_arcs(actuator, run->lifted[i], run->arcs[i].arc)
                             : 0;
    if (!feedback) {
      use = ACTUATOR_ABSENT;
    } else if (!feedback->ready || !feedback->running || run->state->off[i]) {
      use = ACTUATOR_OUT;
    } else if (run->state->watch.verdict[i] == THRUSTER_DEVIATES) {
      use = ACTUATOR_DEVIATING;
    }
    run->state->state[i] = use;
    run->state->in_use += use == ACTUATOR_IN_USE;
    run->state->deviating += use == ACTUATOR_DEVIATING;
  }
}

// The input of stage 1, without the shares.
static struct allocation_wish wish_of(const struct allocation_sampling *run) {
  const struct allocation_state *state = run->state;
  struct allocation_wish wish;
  memset(&wish, 0, sizeof wish);
  memcpy(wish.demand, run->demand, sizeof wish.demand);
  memcpy(wish.preferred_n, state->force_n, sizeof wish.preferred_n);
  memcpy(wish.lifted, run->lifted, sizeof wish.lifted);
  for (int i = 0; i < run->def->actuator_count; i++) {
    const struct actuator_def *actuator = &run->def->actuator[i];
    wish.fixed[i] = state->state[i] != ACTUATOR_IN_USE ||
                    (thruster_steering(actuator->kind) == STEERING_TURNS && run->arcs[i].count == 0);
    if (state->state[i] == ACTUATOR_DEVIATING && run->feedback[i])
      force_of_feedback(actuator, run->feedback[i], wish.force_n[i]);
    wish.azimuth_rad[i] = state->azimuth_rad[i];
    double under = state->thrust_n[i] / actuator->thrust_max_n;
    wish.under_thrust[i] = under > NO_THRUST ? under : 0;
  }
  return wish;
}

// Stage 1. Thrusters on a bus with too little power are limited, and the others are asked again.
static void choose_directions(struct allocation_sampling *run) {
  struct allocation_wish wish = wish_of(run);
  run->state->power_limited = allocation_plan_in_power(run, &wish, &run->plan);
  allocation_weigh_crossing(run, &wish);
  run->error = allocation_error_of(run, &run->plan);
  run->state->saturated = run->error > SATURATED;
  allocation_use_deviating(run, &wish);
  memcpy(run->state->force_n, run->plan.solution.force_n, sizeof run->state->force_n);
}

void allocation_sample(struct allocation_state *state, const struct allocation_def *def,
                       const struct readings *readings, const double demand[3], double time_s, double dt_s,
                       struct command *out) {
  struct allocation_sampling run = {.state = state,
                                    .def = def,
                                    .readings = readings,
                                    .demand = demand,
                                    .time_s = time_s,
                                    .dt_s = dt_s > 0 ? dt_s : 0};

  check_thrusters(&run);
  choose_directions(&run);
  allocation_turn(&run);
  allocation_set_thrusts(&run);

  memcpy(state->demand, demand, sizeof state->demand);
  out->thruster_count = 0;
  double stroke[MAX_THRUSTERS] = {0};
  for (int i = 0; i < def->actuator_count; i++) {
    struct thruster_command setpoint;
    actuator_setpoint(&def->actuator[i], state->thrust_n[i], state->azimuth_rad[i], &setpoint);
    stroke[i] = def->actuator[i].controllable_pitch
                    ? setpoint.pitch
                    : setpoint.revolutions_rpm / def->actuator[i].revolutions_max_rpm;
    setpoint.enable = !state->off[i];
    if (state->state[i] != ACTUATOR_ABSENT)
      out->thrusters[out->thruster_count++] = setpoint;
  }
  out->stops.count = 0;
  for (int i = 0; i < def->actuator_count; i++)
    if (state->stops[i])
      memcpy(out->stops.name[out->stops.count++], def->actuator[i].name, SIGNAL_NAME);
  thruster_watch_sent(&state->watch, def->actuator_count, out->based_on_step, time_s, stroke,
                      state->azimuth_rad);
}

int allocation_state_is_valid(const struct allocation_def *def, const struct allocation_state *s,
                              struct reason *why) {
  for (int i = 0; i < MAX_THRUSTERS; i++) {
    const struct actuator_def *a = i < def->actuator_count ? &def->actuator[i] : NULL;
    double most_n = a ? a->thrust_max_n * (a->thrust_astern > 1 ? a->thrust_astern : 1) * (1 + 1e-9) : 0;
    if (!valid_range(s->thrust_n[i], -most_n, most_n, "thrust_n", why) ||
        !valid_range(s->azimuth_rad[i], -100, 100, "azimuth_rad", why) || // as command_check
        !valid_finite(s->force_n[i], 2, "force_n", why) ||
        !valid_finite(&s->ordered_n[i], 1, "ordered_n", why) ||
        !valid_finite(&s->harm_s[i], 1, "harm_s", why) || !valid_finite(&s->gave_n[i], 1, "gave_n", why) ||
        !valid_flag(s->off[i], "off", why) || !valid_flag(s->stops[i], "stops", why) ||
        !valid_range(s->edge_s[i], 0, 1e9, "edge_s", why) || !valid_flag(s->restless[i], "restless", why) ||
        !valid_index(s->state[i], 0, ACTUATOR_DEVIATING, "state", why))
      return valid_fail_in(why, "actuator[%d].", i);
  }
  if (!thruster_watch_is_valid(&s->watch, why))
    return valid_fail_in(why, "watch.");
  if (!power_watch_is_valid(&s->power, why))
    return valid_fail_in(why, "power.");
  return valid_finite(s->demand, 3, "demand", why) && valid_finite(s->given, 3, "given", why) &&
         valid_index(s->in_use, 0, MAX_THRUSTERS, "in_use", why) &&
         valid_index(s->deviating, 0, MAX_THRUSTERS, "deviating", why) &&
         valid_flag(s->saturated, "saturated", why) && valid_flag(s->power_limited, "power_limited", why);
}
