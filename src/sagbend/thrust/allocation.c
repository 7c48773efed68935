// The allocation under failures: what it believes of thrusters and power, and what it does with those that
// deviate.
#include "sagbend/thrust/thrust.h"
#include "sagbend/thrust/thrust_internal.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

static const double HARM = 1e-3;       // error that a thruster adds, as a share of the total thrust, weighted
static const double ASTRAY_RAD = 0.25; // azimuth beyond the response
static const double BLOCKS_S =
    1; // time of deviation after which a thruster that keeps others out of their sectors is stopped
static const double HARM_S = 5;             // of such an error, until it is stopped
static const double HARM_FADES = 0.2;       // s per second without it
static const double LITTLE = 0.25;          // of its thrust, with all the power of its bus
static const double TOLD_S = 60;            // in which its largest set-point is forgotten
static const double APART = 0.1;            // share of the volume of three equal ones
static const double APPROACH_PER_S = 0.003; // of full stroke
static const double LACKS = 0.01;           // of full stroke, that shows that a bus has too little power

// The power of each bus, where the vessel reports all buses of the DP file.
static void read_buses(const struct allocation_def *def, const struct power_feedback *power,
                       struct power_reported *told) {
  int found = 0;
  for (int b = 0; b < def->bus_count; b++)
    for (int k = 0; k < power->bus_count; k++)
      if (power->bus[k].available_w >= 0 && strncmp(power->bus[k].name, def->bus[b].name, SIGNAL_NAME) == 0) {
        told->bus_w[b] = power->bus[k].available_w;
        found++;
      }
  told->has_buses = found > 0 && found == def->bus_count;
}

static void watch_power(struct allocation_state *state, const struct allocation_def *def,
                        const struct readings *readings, struct thruster_feedback *const *feedback,
                        double time_s) {
  struct power_reported told = {.available_w = readings->power_available_w};
  for (int b = 0; b < def->bus_count; b++) {
    int count = 0, ready = 0;
    told.full_w[b] = def->bus[b].power_w;
    for (int i = 0; i < def->actuator_count; i++) {
      if (!allocation_is_on_bus(def, i, b) || !feedback[i])
        continue;
      count++;
      told.takes_w[b] += feedback[i]->power_w;
      ready += feedback[i]->ready != 0;
      told.lacks[b] |= state->state[i] == ACTUATOR_IN_USE &&
                       thruster_watch_lacks(&state->watch, &def->actuator[i], i, feedback[i]) > LACKS;
    }
    told.is_lost[b] = count > 0 && ready == 0;
  }
  read_buses(def, &readings->power, &told);
  power_watch_sample(&state->power, def->bus_count, &told, time_s);
}

void allocation_watch(struct allocation_state *state, const struct allocation_def *def,
                      struct readings *readings, uint64_t acting_step, double time_s) {
  struct thruster_feedback *feedback[MAX_THRUSTERS] = {0};
  int is_short[MAX_THRUSTERS] = {0};
  for (int i = 0; i < def->actuator_count; i++)
    for (int k = 0; k < readings->thruster_count && !feedback[i]; k++)
      if (strncmp(readings->thruster[k].name, def->actuator[i].name, SIGNAL_NAME) == 0)
        feedback[i] = &readings->thruster[k];
  watch_power(state, def, readings, feedback, time_s);
  // Where the whole power falls short of what all set-points ask for, any thruster may give less: a plant
  // that has lost a set reduces the drives of all buses that are tied together.
  double all_w = 0;
  for (int i = 0; i < def->actuator_count; i++)
    all_w += thruster_watch_power_w(&state->watch, &def->actuator[i], i);
  for (int i = 0; i < def->actuator_count; i++)
    is_short[i] = state->power.most_w > 0 && all_w > readings->power_available_w;
  for (int b = 0; b < def->bus_count; b++) {
    double reported_w = 0;
    for (int i = 0; i < def->actuator_count; i++)
      if (allocation_is_on_bus(def, i, b))
        reported_w += thruster_watch_power_w(&state->watch, &def->actuator[i], i);
    for (int i = 0; i < def->actuator_count; i++)
      is_short[i] |= allocation_is_on_bus(def, i, b) && reported_w > allocation_bus_power_w(state, def, b);
  }
  thruster_watch_sample(&state->watch, &def->watch, def->actuator, def->actuator_count, feedback, is_short,
                        acting_step, time_s);
  for (int i = 0; i < def->actuator_count; i++)
    if (feedback[i])
      thruster_watch_believe(&state->watch, &def->actuator[i], i, feedback[i]);
}

// Bits of the sectors of a thruster that protect another one.
static unsigned sectors_against(const struct actuator_def *actuator, const char *name) {
  unsigned bits = 0;
  for (int k = 0; k < actuator->forbidden_count; k++)
    if (strncmp(actuator->forbidden[k].against, name, SIGNAL_NAME) == 0)
      bits |= 1U << k;
  return bits;
}

// How much nearer the others would come to the demand if this thruster stood still, and its sectors with it.
static double gain_without(const struct allocation_sampling *run, const struct allocation_wish *wish, int i) {
  struct allocation_wish without = *wish;
  struct allocation_plan plan;
  without.fixed[i] = 1;
  memset(without.force_n[i], 0, sizeof without.force_n[i]);
  for (int k = 0; k < run->def->actuator_count; k++)
    without.lifted[k] |= sectors_against(&run->def->actuator[k], run->def->actuator[i].name);
  allocation_plan(run->def, &without, &plan);
  return run->error - allocation_error_of(run, &plan);
}

static int blocks_others(const struct allocation_def *def, int i) {
  for (int k = 0; k < def->actuator_count; k++)
    if (sectors_against(&def->actuator[k], def->actuator[i].name))
      return 1;
  return 0;
}

// Whether the others can give surge, sway and yaw apart: the columns of their wrenches span all three, yaw as
// a force at the longest lever arm, with a volume of more than a share of that of three equal ones.
static int others_suffice(const struct allocation_sampling *run, int i) {
  double gram[3][3] = {{0}}, trace = 0, arm = 1;
  for (int k = 0; k < run->def->actuator_count; k++)
    arm = fmax(arm, force_size(run->def->actuator[k].position_b_m));
  for (int k = 0; k < run->def->actuator_count; k++) {
    const struct actuator_def *other = &run->def->actuator[k];
    const double ahead[3] = {1, 0, -other->position_b_m[1] / arm},
                 aside[3] = {0, 1, other->position_b_m[0] / arm};
    if (k == i || run->state->state[k] != ACTUATOR_IN_USE)
      continue;
    const int turns = thruster_steering(other->kind) == STEERING_TURNS;
    const enum thruster_axis axis = thruster_axis(other->kind);
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++)
        gram[a][b] += (turns || axis == AXIS_AHEAD ? ahead[a] * ahead[b] : 0) +
                      (turns || axis == AXIS_ACROSS ? aside[a] * aside[b] : 0);
  }
  for (int a = 0; a < 3; a++)
    trace += gram[a][a];
  double volume = gram[0][0] * (gram[1][1] * gram[2][2] - gram[1][2] * gram[2][1]) -
                  gram[0][1] * (gram[1][0] * gram[2][2] - gram[1][2] * gram[2][0]) +
                  gram[0][2] * (gram[1][0] * gram[2][1] - gram[1][1] * gram[2][0]);
  return volume > APART * trace * trace * trace / 27;
}

// Thrust as a share of stroke, with its sign.
static double stroke_of_thrust(const struct actuator_def *actuator, double thrust_n) {
  return copysign(sqrt(fabs(thrust_n) / actuator->thrust_max_n), thrust_n);
}

// Whether the feedback of a thruster comes nearer to its set-point.
static int approaches(const struct allocation_sampling *run, int i) {
  const struct actuator_def *actuator = &run->def->actuator[i];
  const struct thruster_feedback *feedback = run->feedback[i];
  double gives = stroke_of_thrust(actuator,
                                  actuator_thrust(actuator, feedback->revolutions_rpm, feedback->pitch)),
         gave = stroke_of_thrust(actuator, run->state->gave_n[i]),
         told = stroke_of_thrust(actuator, run->state->thrust_n[i]);
  return (told > gave ? gives - gave : gave - gives) > APPROACH_PER_S * run->dt_s;
}

// Whether the others have been better off without a thruster for some time. What one lags behind in is over
// when it arrives, and a stop is for good: one without which surge, sway and yaw cannot be given apart is
// kept as long as it comes nearer to its set-point.
static int harms_for_long(struct allocation_sampling *run, const struct allocation_wish *wish, int i) {
  double *harm_s = &run->state->harm_s[i], most_s = blocks_others(run->def, i) ? BLOCKS_S : HARM_S;
  if (approaches(run, i) && !others_suffice(run, i))
    return 0;
  double now = run->error > HARM && gain_without(run, wish, i) > HARM ? 1 : -HARM_FADES;
  *harm_s = bounded(*harm_s + now * run->dt_s, 0, most_s);
  return *harm_s >= most_s;
}

// Whether one that deviates has to be stopped: it points elsewhere, it gives much more than any set-point of
// the last minute, or for some time the others would come nearer to the demand if it stood still.
static int does_harm(struct allocation_sampling *run, const struct allocation_wish *wish, int i) {
  const struct actuator_def *actuator = &run->def->actuator[i];
  const struct thruster_feedback *feedback = run->feedback[i];
  double gives_n = fabs(actuator_thrust(actuator, feedback->revolutions_rpm, feedback->pitch));
  if (gives_n - run->state->ordered_n[i] > run->def->stop_share * actuator->thrust_max_n ||
      thruster_watch_turned_away(&run->state->watch, actuator, i, feedback) > ASTRAY_RAD)
    return 1;
  return harms_for_long(run, wish, i);
}

// Whether it is known that so little power is left on the bus of a thruster.
static int has_little_power(const struct allocation_sampling *run, int i, int bus) {
  const struct actuator_def *actuator = &run->def->actuator[i];
  double left = allocation_bus_power_w(run->state, run->def, bus) / actuator->power_max_w;
  for (int b = 0; b < run->def->bus_count; b++)
    if (b != bus && run->state->power.is_short[b])
      return 0;
  return left < actuator_power_share(LITTLE);
}

// One whose bus is short, and which keeps others out of their sectors for the little that it gives, is
// switched off as long as the power is missing. With little power it is off at once: the other turns the long
// way round its sector for half a minute, without thrust, before the plan shows that it is worse off.
static void switch_off_what_blocks(struct allocation_sampling *run, const struct allocation_wish *wish,
                                   int i) {
  struct allocation_state *state = run->state;
  int is_short = 0, has_little = 0;
  for (int b = 0; b < run->def->bus_count; b++) {
    int is_here = allocation_is_on_bus(run->def, i, b) && state->power.is_short[b] && state->power.is_known;
    is_short |= is_here;
    has_little |= is_here && has_little_power(run, i, b);
  }
  if (state->state[i] == ACTUATOR_IN_USE && is_short && blocks_others(run->def, i))
    state->off[i] |= has_little || harms_for_long(run, wish, i);
  else if (!is_short)
    state->harm_s[i] = state->off[i] = 0;
}

// Finds the set-points of those that deviate (allocation.c): what would be useful if they followed,
// so that a slow one still helps; none for one that turns by itself. Decides which of them are to be stopped.
static void allocation_use_deviating(struct allocation_sampling *run, const struct allocation_wish *wish) {
  struct allocation_wish whole = *wish;
  struct allocation_state *state = run->state;
  int any = 0;
  for (int i = 0; i < run->def->actuator_count; i++) {
    state->stops[i] = 0;
    state->ordered_n[i] *= TOLD_S / (TOLD_S + run->dt_s);
    if (fabs(state->thrust_n[i]) > state->ordered_n[i])
      state->ordered_n[i] = fabs(state->thrust_n[i]);
    if (state->state[i] != ACTUATOR_DEVIATING) {
      switch_off_what_blocks(run, wish, i);
      continue;
    }
    state->stops[i] = run->def->stop_share > 0 && does_harm(run, wish, i);
    run->is_useful[i] = !state->stops[i] && thruster_watch_turns(&state->watch, i);
    whole.fixed[i] = !run->is_useful[i];
    any |= run->is_useful[i];
  }
  if (any)
    allocation_plan(run->def, &whole, &run->healthy);
  for (int i = 0; i < run->def->actuator_count; i++) {
    const struct thruster_feedback *f = run->feedback[i];
    state->gave_n[i] = f ? actuator_thrust(&run->def->actuator[i], f->revolutions_rpm, f->pitch) : 0;
  }
}

// ------------------------------------------------------------
// Azimuths whose best direction lies across a forbidden zone. They give nothing on the way, and others may
// have to give less as well: a bow tunnel alone would turn the vessel. So a crossing counts with what all
// thrusters together miss meanwhile; and while it lasts the others work to a plan without those that cross.

// What is missed while azimuths cross counts as a mean over this time, for which gusts ask for about the
// same: what is better for a shorter time is not worth a crossing.
static const double HORIZON_S = 60;

// Marks the azimuths that cross sectors for a plan. Returns the longest time without thrust, s; 0: none does.
static double mark(struct allocation_sampling *run, const struct allocation_plan *plan) {
  double longest_s = 0;
  memset(run->crosses, 0, sizeof run->crosses);
  for (int i = 0; i < run->def->actuator_count; i++) {
    const struct actuator_def *actuator = &run->def->actuator[i];
    const double *force = plan->solution.force_n[i], size_n = force_size(force);
    if (thruster_steering(actuator->kind) != STEERING_TURNS || run->state->state[i] != ACTUATOR_IN_USE ||
        size_n < run->def->least_share * actuator->thrust_max_n)
      continue;
    double wanted_rad = trig_atan2(force[1], force[0]), time_s = actuator->response_s;
    run->crosses[i] = allocation_crosses(run, i, wanted_rad);
    if (actuator->azimuth_rate_radps > 0)
      time_s += fabs(trig_wrap(wanted_rad - run->state->azimuth_rad[i])) / actuator->azimuth_rate_radps;
    if (actuator->thrust_rate_nps > 0) // half of the time in which it falls and rises
      time_s += 0.5 * (run->state->thrust_n[i] + size_n) / actuator->thrust_rate_nps;
    longest_s = run->crosses[i] ? fmax(longest_s, time_s) : longest_s;
  }
  return longest_s;
}

// Finds what the others do while those that cross give nothing. Returns by how much that misses the demand.
static double plan_meanwhile(struct allocation_sampling *run, const struct allocation_wish *wish) {
  struct allocation_wish without = *wish;
  for (int i = 0; i < run->def->actuator_count; i++)
    if (run->crosses[i]) {
      without.fixed[i] = 1;
      memset(without.force_n[i], 0, sizeof without.force_n[i]);
    }
  allocation_plan_in_power(run, &without, &run->meanwhile);
  return allocation_error_of(run, &run->meanwhile);
}

// Decides whether azimuths cross sectors for the sake of the plan, or whether it is replaced by one for which
// they stay (allocation.c).
static void allocation_weigh_crossing(struct allocation_sampling *run, struct allocation_wish *wish) {
  const double time_s = mark(run, &run->plan);
  run->is_crossed = time_s > 0;
  if (!run->is_crossed)
    return;
  const double error = allocation_error_of(run, &run->plan);
  const double missed = error + fmin(1, time_s / HORIZON_S) * plan_meanwhile(run, wish);
  const double cost =
      run->plan.solution.cost + allocation_price_of_error(missed) - allocation_price_of_error(error);

  struct allocation_wish staying = *wish;
  struct allocation_plan stay;
  double share[MAX_THRUSTERS];
  int crosses[MAX_THRUSTERS];
  memcpy(share, run->share, sizeof share);
  memcpy(crosses, run->crosses, sizeof crosses);
  staying.stays = 1;
  const int is_limited = allocation_plan_in_power(run, &staying, &stay);
  if (stay.solution.cost < cost && mark(run, &stay) <= 0) {
    *wish = staying;
    run->plan = stay;
    run->state->power_limited = is_limited;
    run->is_crossed = 0;
  } else {
    memcpy(run->share, share, sizeof share);
    memcpy(run->crosses, crosses, sizeof crosses);
  }
}

// ------------------------------------------------------------
// One sample of the allocation: state of the thrusters, stage 1, turning, stage 2, set-points.

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
