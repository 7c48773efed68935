// The nonlinear PID law of Celledoni, Hoiseth and Ramzina 2018, eqs. 29 to 34: tau = -J' (Kp e + Kd de/dt +
// Ki integral e) with e = eta - eta_ref, eta = (x, y, z, roll, pitch, yaw) in n. It uses + - * / sqrt and
// core/math only, because its output enters state hashes.
#pragma once

#include "sagbend/base/nonblocking.h"

struct pid_def {
  double kp[6], kd[6], ki[6]; // diagonals of the gains, SI
  double reference[6];        // eta_ref, m and rad
  double
      integral_limit[6]; // bound of |Ki integral e|, N and N m; 0: unbounded (Saefstroem 2009, section 4.3.2)
  double start_s;        // simulated time at which the controller switches on
  int bumpless;          // sampled controller: preloads the integral so that the wrench does not jump
  double approach_s; // bumpless: time over which the reference moves from the pose at switch-on to its place
  int tension_feedforward; // sampled controller: adds the pipe's horizontal tension to the wrench
  double wrench_limit[6];  // bound of the commanded wrench, N and N m; 0: unbounded
};

// The wrench of the law about the reference point in b, N and N m. error = eta - eta_ref, error_rate its
// derivative, integral its integral; euler_rad the attitude. Neither integral nor wrench is limited here.
void pid_wrench(const struct pid_def *def, const double error[6], const double error_rate[6],
                const double integral[6], const double euler_rad[3], double wrench_b[6]) NONBLOCKING;

// J' f: wrench in b about the reference point, N and N m, of the generalised force f along eta, N and N m.
void pid_to_body(const double euler_rad[3], const double force_eta[6], double wrench_b[6]) NONBLOCKING;
