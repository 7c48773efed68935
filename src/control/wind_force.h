// The wind's wrench from what wind sensors say, by coefficients over the angle of the relative wind, as the
// vessel's configuration has them: X = q A_F CX, Y = q A_L CY, N = q A_L L CN, q = rho V^2 / 2. Linear
// between rows.
#pragma once

#include "core/base/nonblocking.h"

enum { MAX_WIND_FORCE_ROWS = 73 };

struct wind_force_row {
  double angle_rad; // it comes from, clockwise from the bow
  double c[3];      // CX, CY, CN
};

struct wind_force_def {
  double frontal_area_m2, lateral_area_m2, length_m, air_density_kgpm3;
  double speed_factor; // wind at the coefficients' height over that at the sensors
  double filter_s;     // time constant of the smoothing
  int row_count;       // growing angles: 0 to 180 degrees, mirrored, or to below 360; 0: no feed-forward
  struct wind_force_row row[MAX_WIND_FORCE_ROWS];
};

// along_mps, across_mps: the air's velocity relative to the vessel, forward and to starboard.
void wind_force(const struct wind_force_def *def, double along_mps, double across_mps,
                double wrench[3]) NONBLOCKING;
