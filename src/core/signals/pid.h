// The nonlinear PID of seed 003, (29)-(34): tau = -J' (Kp e + Kd de + Ki integral e), e = eta - eta_ref,
// eta = (x, y, z, roll, pitch, yaw). Only + - * / sqrt and our own trigonometry: its output enters state
// hashes.
#pragma once

#include "core/base/nonblocking.h"

struct pid_def {
  double kp[6], kd[6], ki[6]; // diagonals, SI
  double reference[6];        // m, rad
  double integral_limit[6];   // bound of |Ki integral e|, N, N m; 0: unbounded (seed 000, 4.3.2)
  double start_s;             // simulated time of switching on
  int bumpless;               // sampled use: preload the integral so that the wrench is continuous, and
  double approach_s;          // move the reference smoothly from the pose at switch-on in this time
  int tension_feedforward;    // sampled use: add the pipe's horizontal tension to the wrench
  double wrench_limit[6];     // bound of the commanded wrench; 0: unbounded
};

// The law: wrench about the reference point in b, N and N m. error = eta - eta_ref, error_rate its
// derivative, integral the integral of error; euler_rad the attitude now. Neither bounded nor limited here.
void pid_wrench(const struct pid_def *def, const double error[6], const double error_rate[6],
                const double integral[6], const double euler_rad[3], double wrench_b[6]) NONBLOCKING;

// J' f: the body wrench of a force f along eta = (n-frame position, Euler angles).
void pid_to_body(const double euler_rad[3], const double force_eta[6], double wrench_b[6]) NONBLOCKING;
