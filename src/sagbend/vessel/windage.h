// Wind force on the vessel from coefficients by the direction of the relative wind. docs/weather.md.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/env/wind.h"
#include "sagbend/vessel/angle_table.h"

// Constant during a run.
struct windage {
  int present;
  double scale[4]; // areas and lengths by which c rho V^2 / 2 is multiplied, m2 and m3
  double air_density_kgpm3;
  double height_m; // height of the wind speed that the coefficients refer to, above the mean sea surface
  vec3 point_b_m;  // the moments refer to this point
  struct angle_table table;
};
struct windage windage_of(const struct windage_def *def, double air_density_kgpm3);

// CX, CY, CK, CN for a relative wind from angle_rad, clockwise from the bow, in (-2 pi, 2 pi]. Periodic, with
// a continuous derivative.
void windage_coefficients(const struct windage *windage, double angle_rad, double c[4]);

// Wrench about the reference point, b, N and N m. air_b_mps: velocity of the air at height_m, b; nu: velocity
// of the vessel.
void windage_wrench(const struct windage *windage, vec3 air_b_mps, const double nu[6],
                    double wrench_b[6]) NONBLOCKING;
