// The allocation under failures: what it believes of thrusters and power, and what it does with those that
// deviate.
#include "sagbend/thrust/thrust_internal.h"

#include "sagbend/math/math.h"

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

void allocation_use_deviating(struct allocation_sampling *run, const struct allocation_wish *wish) {
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

void allocation_weigh_crossing(struct allocation_sampling *run, struct allocation_wish *wish) {
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
