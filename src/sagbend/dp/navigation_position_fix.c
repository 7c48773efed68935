// Position fixes: the reference point's position from each antenna, and their mean.
#include "sagbend/dp/dp_internal.h"

#include "sagbend/math/so3.h"
#include "sagbend/math/trig.h"

#include <math.h>
#include <string.h>

// Position of the reference point (with depth) and its horizontal velocity from an antenna.
static void fix_of(const struct navigation_sampling *nav, int i, double position[3], double velocity[2]) {
  const struct navigation_state *state = nav->state;
  const double *v = nav->reading[i]->value, *at = nav->def->instrument[i].position_b_m;
  const double euler[3] = {state->attitude[0], state->attitude[1], heading_now(nav)};
  mat3 attitude = quat_matrix(quat_of_euler(euler));
  vec3 arm = mat3_mul(&attitude, vec3_of(at));

  // The rates of the Euler angles serve as angular velocity: the vessel heels by a few degrees only.
  vec3 omega =
      mat3_mul(&attitude, (vec3){state->attitude_rate[0], state->attitude_rate[1], state->heading_rate});
  vec3 turning = vec3_cross(omega, arm);
  position[0] = v[0] - arm.x;
  position[1] = v[1] - arm.y;
  position[2] = v[2] - arm.z;
  velocity[0] = v[3] - turning.x;
  velocity[1] = v[4] - turning.y;
}

int fix_find(struct navigation_sampling *nav, int i, struct fixes *fixes) {
  const int is_receiver = instrument_kind(nav->def->instrument[i].kind)->fix == FIX_RECEIVER;
  fixes->found[i] = is_receiver || reference_fix(nav, i, fixes);
  if (!is_receiver)
    return fixes->found[i];
  double own = nav->reading[i]->value[5];
  fix_of(nav, i, fixes->position[i], fixes->velocity[i]);
  fixes->sigma[i] = nav->def->instrument[i].sigma > 0 ? nav->def->instrument[i].sigma
                    : own > 0                         ? own
                                                      : nav->observer->position_sigma_m;
  fixes->covariance[i][0] = fixes->covariance[i][2] = fixes->sigma[i] * fixes->sigma[i];
  return 1;
}

static const double SIGMAS = 6, SHARE = 0.2;

// In the sea and while the vessel turns a share of the limit at least. One of three sound receivers is beyond
// six sigmas from the median once in 4.3 million: 2 int phi(m) Phi(m) Phi(-m - 6) dm.
double fix_vote_limit(const struct navigation_sampling *nav, double sigma) {
  double limit = nav->def->position_limit_m;
  return fmin(limit, fmax(SIGMAS * sigma, SHARE * limit));
}

static double vote_limit(const struct navigation_sampling *nav, const struct fixes *fixes) {
  double limit = nav->def->position_limit_m, sigma = vote_median(fixes->sigma, fixes->used, nav->def->count);
  return nav->def->sigma_limit > 0 && limit > 0 ? fix_vote_limit(nav, sigma) : limit;
}

void fixes_find(struct navigation_sampling *nav, struct fixes *fixes) {
  if (nav->def->principle_count > 0) {
    fixes_find_by_principle(nav, fixes);
    return;
  }
  struct navigation_state *state = nav->state;
  int has_prediction = state->ready && !prediction_is_overdue(nav);
  memset(fixes, 0, sizeof *fixes);
  // North and east that the vote compares: from the prediction for the time of measurement, or else brought
  // to the present time.
  double present[2][MAX_INSTRUMENTS];
  for (int i = 0; i < nav->def->count; i++) {
    fixes->used[i] = nav->def->instrument[i].kind == INSTRUMENT_GNSS && state->use[i] == USE_IN_USE;
    present[0][i] = present[1][i] = 0;
    if (!fixes->used[i])
      continue;
    fix_find(nav, i, fixes);
    double back = nav->time_s - nav->reading[i]->time_s;
    for (int k = 0; k < 2; k++)
      present[k][i] = fixes->position[i][k] + back * fixes->velocity[i][k];
    double predicted[3];
    if (!has_prediction || !(nav->def->position_limit_m > 0))
      continue;
    predicted_at(nav, nav->reading[i]->time_s, predicted);
    double north = fixes->position[i][0] - predicted[0], east = fixes->position[i][1] - predicted[1];
    if (nav->observer->present && nav->def->sigma_limit > 0) {
      present[0][i] = north;
      present[1][i] = east;
    }
    if (north * north + east * east > nav->def->position_limit_m * nav->def->position_limit_m)
      fixes->used[i] = 0;
  }

  double limit = vote_limit(nav, fixes);
  for (int k = 0; k < 2; k++)
    fixes->count = instrument_vote_on(nav, INSTRUMENT_GNSS, present[k], limit, fixes->used);
}

void fixes_mean(const struct navigation_sampling *nav, const struct fixes *fixes, double position[3],
                double velocity[2]) {
  double weight_sum = 0;
  position[0] = position[1] = position[2] = velocity[0] = velocity[1] = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < nav->def->count; i++) {
      if (!fixes->used[i])
        continue;
      double weight = 1 / (fixes->sigma[i] * fixes->sigma[i]);
      if (pass == 0) {
        weight_sum += weight;
        continue;
      }
      for (int k = 0; k < 2; k++) {
        position[k] +=
            weight / weight_sum *
            (fixes->position[i][k] + (nav->time_s - nav->reading[i]->time_s) * fixes->velocity[i][k]);
        velocity[k] += weight / weight_sum * fixes->velocity[i][k];
      }
      position[2] += weight / weight_sum * fixes->position[i][2];
    }
}
