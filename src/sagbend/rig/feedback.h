// The monitor of positive feedback: a wrong sign or a wrong frame in a controller.
//
// It compares, in the world frame, the commanded horizontal force f with the position x and the velocity v of
// the vessel, as complex numbers (north + i east), and the commanded moment with heading and rate of turn.
// Each is the mean over a second. The window has FEEDBACK_WINDOW of them; a prime is the deviation from the
// mean in the window, so that mean forces against weather do not count, nor a set-point. Correlations are
//   c(p, q) = Re sum p' conj(q') / sqrt(sum |p'|^2 sum |q'|^2).
//
// Sign. A law f = -K x - D v with K, D >= 0 cannot have c(f,x) > 0 and c(f,v) > 0 in one window: that would
// mean D (v.x) < -K (x.x) and K (v.x) < -D (v.v), hence (v.x)^2 > (x.x)(v.v), against Cauchy and Schwarz. A
// move that a controller plans itself can, for a while; therefore f = A x' + B v' by least squares must have
// A > 0, B > 0 in its real parts as well (unless x' and v' are parallel, as in a motion that grows
// exponentially), and the force must be what moves the vessel, c(f, dv/dt) > 0. In waves and slow drift it is
// not. In an oscillation f in phase with x opposes dv/dt.
//
// Frame. A law whose force is turned by an angle phi has A = -K exp(i phi), B = -D exp(i phi). It raises a
// notice where both angles lie beyond 40 degrees on the same side, f is explained by x' and v' but for 3 % of
// its variance, and x' and v' are not parallel, which would leave A and B undetermined. A vessel that goes
// straight ahead while one axis is held hard and the other softly, by hand, or to a reference that moves,
// looks like it: therefore a right law with gains of its own in surge and sway must leave ten times as much
// of the variance.
//
// Either must hold for FEEDBACK_ROWS seconds in a row, with a deviation (root mean square of x') of at least
// 0.5 m or 0.5 degrees, and a force that deviates by a twentieth of what has to be held. The window begins
// again with each other set-point and whenever no command acts.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/base/status.h"
#include "sagbend/rig/notice.h"

enum { FEEDBACK_WINDOW = 20, FEEDBACK_ROWS = 4 };
enum { FEEDBACK_HORIZONTAL, FEEDBACK_YAW, FEEDBACK_PLANES };

// Mean over a second. [0] horizontal: north and east; [1] yaw: the first component only.
struct feedback_sample {
  double force[FEEDBACK_PLANES][2];    // N, n; N m
  double place[FEEDBACK_PLANES][2];    // m from the initial position; rad, continuous
  double velocity[FEEDBACK_PLANES][2]; // m/s, n; rad/s
};

// 8-byte members only; zero at the start.
struct feedback_monitor {
  struct feedback_sample sum;                     // over the present second
  uint64_t steps;                                 // in it
  struct feedback_sample sample[FEEDBACK_WINDOW]; // a ring
  uint64_t count, next;                           // samples in it; the place of the next one
  uint64_t wrong_sign[FEEDBACK_PLANES];           // seconds in a row
  uint64_t wrong_frame;
  double last_heading_rad, turned_rad; // for a heading without jumps
};

// What a window shows of one plane.
struct feedback_finding {
  double deviation, force;          // root mean square of x', m or rad, and of f', N or N m
  double with_place, with_velocity; // c(f,x), c(f,v)
  double with_acceleration;         // c(f, dv/dt)
  double stiffness[2], damping[2];  // A and B, real and imaginary
  double explained;                 // share of the variance of f that A x' + B v' explains
  double explained_right;           // the same by a right law with gains of its own in surge and sway
  double apart;                     // 1 - |c(v,x)|^2: 0 where x' and v' are parallel
  double direction_rad;             // of the motion, from north
};
void feedback_find(const struct feedback_monitor *monitor, int plane,
                   struct feedback_finding *out) NONBLOCKING;

// One step: commanded wrench in b, N and N m, and the state. NULL: no command acts, or another set-point
// holds. Returns 1 after the last step of a second with a full window: judge then.
struct feedback_input {
  const double *wrench_b;       // 6
  const double *quaternion_nb;  // 4
  const double *position_n_m;   // 3
  const double *velocity_n_mps; // 3
  double heading_rad, rate_radps;
};
int feedback_step(struct feedback_monitor *monitor, const struct feedback_input *input,
                  uint64_t steps_in_second) NONBLOCKING;

// Raises the notices of the window. A horizontal force that deviates by less than smallest_n (root mean
// square of f') counts as constant.
void feedback_judge(struct feedback_monitor *monitor, uint64_t step, double smallest_n,
                    struct notices *notices) NONBLOCKING;

int feedback_is_valid(const struct feedback_monitor *monitor, struct reason *why); // sagbend/base/base.h
