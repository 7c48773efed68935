// Azimuths whose best direction lies across a forbidden sector. They give nothing on the way, and others may
// have to give less as well: a bow tunnel alone would turn the vessel. So a crossing counts with what all
// thrusters together miss meanwhile; and while it lasts the others work to a plan without those that cross.
#include "sagbend/dp/allocation_parts.h"

#include "sagbend/math/trig.h"

#include <string.h>

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
