// Prediction of the increments of a step. Those of constant velocity err by h^2/2 times the acceleration;
// what the last steps have added to them, extrapolated, leaves an error of order h^4. The addition is kept as
// an increment and not as a change of velocity: the velocity at the end of a step also
// contains the momentum of the added mass that turns, and corrections at the seabed.
#include "sagbend/pipe/pipe.h"

#include "sagbend/math/lanes.h"

// Rotation of a step of constant angular velocity of the nodes from i on, n.
KERNEL_INLINE void steady_rotation(struct lanes3 *theta, const struct pipe_state *s,
                                   const struct pipe_work *w, double step_s, int i) {
  *theta = (struct lanes3){{0}, {0}, {0}};
  for (int c = 0; c < 3; c++) {
    struct lanes3 d;
    lanes omega;
    L3_LOAD(d, w->d0 + 3 * c, i);
    lanes_load(&omega, s->omega_t[c] + i);
    omega = step_s * omega;
    *theta = (struct lanes3)L3_AXPY(omega, d, *theta);
  }
}

KERNEL_CLONES
void pipe_predict(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w, double step_s,
                  const double share[MOST_PREDICTION_STEPS]) {
  for (int i = 0; i < p->nodes; i += LANES) {
    struct lanes3 v, dr, theta, past;
    L3_LOAD(v, s->v_n, i);
    dr = (struct lanes3)L3_SCALE(step_s, v);
    steady_rotation(&theta, s, w, step_s, i);
    for (int k = 0; k < PREDICTION_STEPS; k++) {
      L3_LOAD(past, s->beyond_n[k], i);
      dr = (struct lanes3)L3_AXPY(share[k], past, dr);
      L3_LOAD(past, s->beyond_n[k] + 3, i);
      theta = (struct lanes3)L3_AXPY(share[k], past, theta);
    }
    if (p->pipe->in_sea) {
      L3_LOAD(past, s->beyond_earliest_n, i);
      dr = (struct lanes3)L3_AXPY(share[PREDICTION_STEPS], past, dr);
      L3_LOAD(past, s->beyond_earliest_n + 3, i);
      theta = (struct lanes3)L3_AXPY(share[PREDICTION_STEPS], past, theta);
    }
    L3_STORE(w->dr_n, i, dr);
    L3_STORE(w->theta_n, i, theta);
  }
}

KERNEL_CLONES
void pipe_remember(const struct pipe_mesh *p, struct pipe_state *s, const struct pipe_work *w,
                   double step_s) {
  for (int i = 0; i < p->nodes; i += LANES) {
    struct lanes3 v, dr, theta, steady, last;
    if (p->pipe->in_sea)
      for (int c = 0; c < 6; c += 3) {
        L3_LOAD(last, s->beyond_n[PREDICTION_STEPS - 1] + c, i);
        L3_STORE(s->beyond_earliest_n + c, i, last);
      }
    for (int k = PREDICTION_STEPS - 1; k > 0; k--)
      for (int c = 0; c < 6; c += 3) {
        L3_LOAD(last, s->beyond_n[k - 1] + c, i);
        L3_STORE(s->beyond_n[k] + c, i, last);
      }
    L3_LOAD(v, s->v_n, i);
    L3_LOAD(dr, w->dr_n, i);
    last = (struct lanes3)L3_AXPY(-step_s, v, dr);
    L3_STORE(s->beyond_n[0], i, last);

    steady_rotation(&steady, s, w, step_s, i);
    L3_LOAD(theta, w->theta_n, i);
    last = (struct lanes3)L3_SUB(theta, steady);
    L3_STORE(s->beyond_n[0] + 3, i, last);
  }
}
