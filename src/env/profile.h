// How a load or the current varies with time: off, a smooth ramp, then constant or oscillating.
#pragma once

struct time_profile {
  double start_s;   // the load is zero before
  double stop_s;    // and zero from here on (0: never)
  double ramp_s;    // length of the ramp up after start_s and down before stop_s; 0: a jump
  double variation; // amplitude of the oscillation about 1, a fraction
  double period_s;  // of the oscillation; 0: none
};

// The factor at time t: ramp(t) (1 + variation sin(2 pi (t - start) / period)); the ramp is C2.
double time_profile_at(const struct time_profile *p, double time_s);
