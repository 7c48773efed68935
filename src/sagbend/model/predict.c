// Prediction of the increments of a step, and what it keeps of the steps before (sagbend/pipe/predict.c).
#include "sagbend/model/model.h"

#include <string.h>

// Weights of the last additions, by how many there are. Those of three are exact for additions that grow
// linearly and for such that change their sign in each step, (z - 1)^2 (z + 1): the midpoint rule leaves
// vibrations of this kind over rollers, after a split and where laid pipe retires, and (2, -1) would
// multiply them by three. The fourth, with waves on the pipe, whose short ones change a force by more than a
// line in three steps, makes them exact for a parabola as well, (z - 1)^3 (z + 1). Only the pipe has it.
static const double WEIGHTS[MOST_PREDICTION_STEPS + 1][MOST_PREDICTION_STEPS] = {
    {0, 0, 0, 0}, {1, 0, 0, 0}, {2, -1, 0, 0}, {1, 1, -1, 0}, {2, 0, -2, 1}};

// Increments of the vessel at constant velocity.
static void steady_increments(const struct model_state *s, double step_s, vec3 *dx, vec3 *theta) {
  mat3 q = quat_matrix(s->vessel.q_nb);
  *dx = vec3_scale(step_s, mat3_mul(&q, vec3_of(s->vessel.nu)));
  *theta = vec3_scale(step_s, mat3_mul(&q, vec3_of(s->vessel.nu + 3)));
}

void model_predict(const struct model_state *s, struct model_work *w, double step_s, int with_history) {
  const struct prediction_state *past = &s->prediction;
  const uint64_t steps = with_history ? past->steps : 0;
  const double *share = WEIGHTS[steps < PREDICTION_STEPS ? steps : PREDICTION_STEPS];
  steady_increments(s, step_s, &w->vessel.dx_n, &w->vessel.theta_n);
  for (int k = 0; k < PREDICTION_STEPS; k++) {
    w->vessel.dx_n = vec3_axpy(share[k], vec3_of(past->beyond_n[k]), w->vessel.dx_n);
    w->vessel.theta_n = vec3_axpy(share[k], vec3_of(past->beyond_n[k] + 3), w->vessel.theta_n);
  }
  if (s->mesh.pipe.nodes > 0)
    pipe_predict(&s->mesh.pipe, &s->pipe, &w->pipe, step_s, WEIGHTS[steps]);
  if (w->pipe.growth.is_unknown) {
    w->pipe.growth.grown_m = step_s * s->payout.speed_mps;
    for (int k = 0; k < PREDICTION_STEPS; k++)
      w->pipe.growth.grown_m += share[k] * s->tensioner.beyond_m[k];
  }
}

void model_remember(struct model_state *s, const struct model_work *w, double step_s) {
  enum { EARLIER = PREDICTION_STEPS - 1 };
  const int is_in_sea = s->mesh.pipe.nodes > 0 && s->mesh.pipe.pipe->in_sea;
  const uint64_t most = is_in_sea ? MOST_PREDICTION_STEPS : PREDICTION_STEPS;
  struct prediction_state *past = &s->prediction;
  vec3 dx, theta;
  steady_increments(s, step_s, &dx, &theta);
  memmove(past->beyond_n[1], past->beyond_n[0], EARLIER * sizeof past->beyond_n[0]);
  vec3_to(vec3_sub(w->vessel.dx_n, dx), past->beyond_n[0]);
  vec3_to(vec3_sub(w->vessel.theta_n, theta), past->beyond_n[0] + 3);
  past->steps += past->steps < most;
  if (s->mesh.pipe.nodes > 0)
    pipe_remember(&s->mesh.pipe, &s->pipe, &w->pipe, step_s);
  if (w->pipe.growth.is_unknown) {
    memmove(s->tensioner.beyond_m + 1, s->tensioner.beyond_m, EARLIER * sizeof *s->tensioner.beyond_m);
    s->tensioner.beyond_m[0] = w->pipe.growth.grown_m - step_s * s->payout.speed_mps;
  }
}

int model_prediction_is_valid(const struct prediction_state *prediction, struct reason *why) {
  return valid_whole(prediction->steps, 0, MOST_PREDICTION_STEPS, "steps", why) &&
         valid_finite(prediction->beyond_n[0], 6 * PREDICTION_STEPS, "beyond_n", why);
}
