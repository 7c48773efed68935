// Prediction of the increments of a step, and what it keeps of the steps before (core/pipe/predict.c).
#include "core/model/model.h"

#include <string.h>

// Weights of the last two additions: of the extrapolation through as many as there are.
static const double EXTRAPOLATION[][2] = {{0, 0}, {1, 0}, {2, -1}};

// Weights of rotations near an element that grows, and near the lower end where laid pipe retires. A split
// and a new end leave a vibration there that changes sign in each step and decays slowly: the addition before
// the last one contains it as the next one will.
static const double ALTERNATING[2] = {0, 1};
enum { ALTERNATING_NODES = 16 };

// Increments of the vessel at constant velocity.
static void steady_increments(const struct model_state *s, double step_s, vec3 *dx, vec3 *theta) {
  mat3 q = quat_matrix(s->vessel.q_nb);
  *dx = vec3_scale(step_s, mat3_mul(&q, vec3_of(s->vessel.nu)));
  *theta = vec3_scale(step_s, mat3_mul(&q, vec3_of(s->vessel.nu + 3)));
}

static void predict_pipe(const struct model_state *s, struct model_work *w, double step_s,
                         const double share[2]) {
  const struct pipe_mesh *p = &s->mesh.pipe;
  const int is_long = share == EXTRAPOLATION[2] && p->nodes > 2 * ALTERNATING_NODES;
  const int lower = is_long && p->pipe->retiring.anchor_m > 0 ? ALTERNATING_NODES : 0,
            upper = is_long && w->pipe.growth.is_active ? p->nodes - ALTERNATING_NODES : p->nodes;
  pipe_predict(&s->pipe, &w->pipe, step_s, share, share, lower, upper);
  if (upper < p->nodes)
    pipe_predict(&s->pipe, &w->pipe, step_s, share, ALTERNATING, upper, p->nodes);
  if (lower > 0)
    pipe_predict(&s->pipe, &w->pipe, step_s, share, ALTERNATING, 0, lower);
}

void model_predict(const struct model_state *s, struct model_work *w, double step_s, int with_history) {
  const struct prediction_state *past = &s->prediction;
  const double *share = EXTRAPOLATION[with_history ? past->steps : 0];
  steady_increments(s, step_s, &w->vessel.dx_n, &w->vessel.theta_n);
  for (int k = 0; k < 2; k++) {
    w->vessel.dx_n = vec3_axpy(share[k], vec3_of(past->beyond_n[k]), w->vessel.dx_n);
    w->vessel.theta_n = vec3_axpy(share[k], vec3_of(past->beyond_n[k] + 3), w->vessel.theta_n);
  }
  if (s->mesh.pipe.nodes > 0)
    predict_pipe(s, w, step_s, share);
  if (w->pipe.growth.is_unknown)
    w->pipe.growth.grown_m = step_s * s->payout.speed_mps + share[0] * s->tensioner.beyond_m[0] +
                             share[1] * s->tensioner.beyond_m[1];
}

void model_remember(struct model_state *s, const struct model_work *w, double step_s) {
  struct prediction_state *past = &s->prediction;
  vec3 dx, theta;
  steady_increments(s, step_s, &dx, &theta);
  memcpy(past->beyond_n[1], past->beyond_n[0], sizeof past->beyond_n[1]);
  vec3_to(vec3_sub(w->vessel.dx_n, dx), past->beyond_n[0]);
  vec3_to(vec3_sub(w->vessel.theta_n, theta), past->beyond_n[0] + 3);
  past->steps += past->steps < 2;
  if (s->mesh.pipe.nodes > 0)
    pipe_remember(&s->mesh.pipe, &s->pipe, &w->pipe, step_s);
  if (w->pipe.growth.is_unknown) {
    s->tensioner.beyond_m[1] = s->tensioner.beyond_m[0];
    s->tensioner.beyond_m[0] = w->pipe.growth.grown_m - step_s * s->payout.speed_mps;
  }
}

int model_prediction_is_valid(const struct prediction_state *prediction, struct reason *why) {
  return valid_whole(prediction->steps, 0, 2, "steps", why) &&
         valid_finite(prediction->beyond_n[0], 12, "beyond_n", why);
}
