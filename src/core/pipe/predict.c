// Prediction of the increments of a step. Those of constant velocity err by h^2/2 times the acceleration;
// what the last two steps have added to them, extrapolated linearly, leaves an error of order h^4. The
// addition is kept as an increment and not as a change of velocity: the velocity at the end of a step also
// contains the momentum of the added mass that turns, and corrections at the seabed.
#include "core/pipe/pipe.h"

#include "core/math/lanes.h"

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
void pipe_predict(const struct pipe_state *s, struct pipe_work *w, double step_s, const double share[2],
                  const double turn_share[2], int first, int end) {
  const double one = share[0], two = share[1], turn_one = turn_share[0], turn_two = turn_share[1];
  for (int i = first / LANES * LANES; i < end; i += LANES) {
    struct lanes3 v, dr, theta, last, before;
    L3_LOAD(v, s->v_n, i);
    L3_LOAD(last, s->beyond_n[0], i);
    L3_LOAD(before, s->beyond_n[1], i);
    dr = (struct lanes3)L3_SCALE(two, before);
    dr = (struct lanes3)L3_AXPY(one, last, dr);
    dr = (struct lanes3)L3_AXPY(step_s, v, dr);
    L3_STORE(w->dr_n, i, dr);

    steady_rotation(&theta, s, w, step_s, i);
    L3_LOAD(last, s->beyond_n[0] + 3, i);
    L3_LOAD(before, s->beyond_n[1] + 3, i);
    theta = (struct lanes3)L3_AXPY(turn_one, last, theta);
    theta = (struct lanes3)L3_AXPY(turn_two, before, theta);
    L3_STORE(w->theta_n, i, theta);
  }
}

KERNEL_CLONES
void pipe_remember(const struct pipe_mesh *p, struct pipe_state *s, const struct pipe_work *w,
                   double step_s) {
  for (int i = 0; i < p->nodes; i += LANES) {
    struct lanes3 v, dr, theta, steady, last;
    for (int k = 0; k < 6; k += 3) {
      L3_LOAD(last, s->beyond_n[0] + k, i);
      L3_STORE(s->beyond_n[1] + k, i, last);
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
