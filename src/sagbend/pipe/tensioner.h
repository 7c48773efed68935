// The force with which a tensioner holds the pipe over a step in which the length dl passes its grip. One law
// for all modes:
//   force = set + k s_mean + B (dl - a)/h + stop(dl/h) + m (u1 - u0)/h,   u1 = 2 dl/h - u0,
// s is the stretch of the grip, with k |s| <= bound: beyond it the pipe slips, or the drive gives way. s_mean
// is its mean over the way dl - a. a is the way of the tracks over the step, u the speed of the pipe through
// the grip. Pay-out is positive.
//   brake:    set = 0, a = 0, B = 0, bound: what brake and grip hold;
//   tension:  set: the set-point, a = 0, bound: half the dead band;
//   speed:    set = 0, a: as the tracks move, B = 0, bound: what motor and grip hold.
// Stored are m u^2/2 + k s^2/2. Work and losses follow from the law, so that their balance is exact for any
// dl: force dl = change of what is stored - work + loss.
#pragma once

#include "sagbend/base/nonblocking.h"

// A step of the law.
struct tensioner_step {
  double step_s;                    // h
  double mass_kg;                   // m: tracks, drive and the pipe on board
  double speed_mps, stretch_m;      // u0, s0
  double set_n;                     // before the limit of the power
  double power_w;                   // limit of |set u0|; 0: none
  double bound_n;                   // >= 0
  double travel_m;                  // a
  double stiffness_npm;             // k > 0
  double damping_nspm;              // B >= 0
  double stop_speed_mps, stop_nspm; // a damper on the part of |dl/h| beyond stop_speed_mps; 0 N s/m: none
};

struct tensioner_force {
  double force_n;   // with the inertia
  double slope_npm; // its derivative with respect to dl
  double holding_n; // without the inertia
  double end_stretch_m, end_speed_mps;
  double work_j; // of motor and set-point on the system, of either sign
  double loss_j; // by slip, damper and stop, >= 0
};

struct tensioner_force tensioner_force_of(const struct tensioner_step *x, double length_m) NONBLOCKING;

// Stored energy, J.
double tensioner_energy(double mass_kg, double stiffness_npm, double speed_mps, double stretch_m) NONBLOCKING;
