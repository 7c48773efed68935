// The path of sound in water whose speed changes evenly with depth, c = c0 + g z: a circle about the depth at
// which c would be 0 (Medwin and Clay 1998, section 3.3.4). Closed forms, regular at g = 0 and straight down.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/math/math.h"

struct sound_profile {
  double speed_mps;    // at the surface
  double gradient_1ps; // growth with depth
};

struct sound_ray {
  vec3 direction_n; // unit vector at the begin, towards the end
  double travel_s;
  double range_m; // travel time times the mean of the two ends' speeds
};

// From one point to another, n, m. The speed must be above 0 at both.
struct sound_ray sound_ray_of(const struct sound_profile *water, vec3 from_n_m, vec3 to_n_m) NONBLOCKING;
