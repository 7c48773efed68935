// The nonlinear PID of seed 003, (29)-(34): tau = -J' (Kp e + Kd de + Ki integral e), e = eta - eta_ref,
// eta = (x, y, z, roll, pitch, yaw). Only + - * / sqrt and our own trigonometry: its output enters state hashes.
#pragma once

struct pid_def {
  double kp[6], kd[6], ki[6];    // diagonals, SI
  double reference[6];           // m, rad
  double integral_limit[6];      // bound of |Ki integral e|, N, N m; 0: unbounded (seed 000, 4.3.2)
  double start_s;                // simulated time of switching on
  int bumpless;                  // sampled use: preload the integral so that the wrench is continuous, and
  double approach_s;             // move the reference smoothly from the pose at switch-on in this time
  int tension_feedforward;       // sampled use: add the pipe's horizontal tension to the wrench
  double wrench_limit[6];        // bound of the commanded wrench; 0: unbounded
};
