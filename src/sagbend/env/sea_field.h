// How the water moves under a sea: linear waves in water of finite depth, continued to the moving surface. A
// function of place and time alone. docs/model-sea.md.
//
// With Z = -z the height above the mean surface, eta the elevation and d the depth, the motion of linear
// theory is taken at Z':
//   STRETCH_WHEELER   Z' = (Z - eta) d/(d + eta)   (Wheeler 1970)
//   STRETCH_CONSTANT  Z' = min(Z, 0)
// between -d and 0: above the crest the motion is that of the surface, below the bed that of the bed.
#pragma once

#include "sagbend/base/arena.h"
#include "sagbend/base/nonblocking.h"
#include "sagbend/env/waves.h"
#include "sagbend/math/math.h"

struct sea_field {
  struct sea sea;       // its components by increasing wave number; padding has the last one and amplitude 0
  double *north, *east; // direction in which each travels
  double *decay;        // e^{-2kd}
  double *norm;         // 1/(1 - e^{-2kd})
  int shallow;          // components before this one feel the bed
  enum waves_stretching stretching;
  double depth_m;
  double height_m;      // significant height, or height of the regular wave, at the largest factor in time
  double depth_limit_m; // below it the water hardly moves
};

// No crest is higher than this share of height_m, but for one wave in 10^7.
static const double SEA_CREST_SHARE = 1.5;

// The motion at a place and time: sums over the components, all without the profile in time, which enters
// through Z' only.
struct sea_column {
  double velocity[3];    // m/s, n
  double rate[3];        // its local time derivative, of the stretched motion, m/s^2
  double gradient[3][3]; // d velocity[i] / d x[j], 1/s
  double surface;        // elevation, m, upwards
  double surface_rate;   // m/s
  double slope[2];       // of the surface towards north and east
};
enum { SEA_COLUMN = sizeof(struct sea_column) / sizeof(double) };

// Takes memory and sorts the components of a sea in water of this depth; only measures with an arena that
// measures. Without waves on the pipe it stays empty.
void sea_field_create(struct sea_field *field, const struct waves_def *def, const struct sea *sea,
                      double depth_m, struct arena *memory);

// Factor of all motion at a time.
double sea_field_factor(const struct sea_field *field, double time_s) NONBLOCKING;

// The motion at r_n, m. Components whose motion has decayed by e^-8 are left out; with constant stretching
// from the elevation, too.
struct sea_column sea_column_at(const struct sea_field *field, double time_s, vec3 r_n) NONBLOCKING;
