// Wind feed-forward: the wrench of the wind from the measured relative wind, with the coefficients of the
// vessel's configuration by the direction of the relative wind: X = q A_F CX, Y = q A_L CY, N = q A_L L CN, q
// = rho V^2 / 2. Linear between rows.
#pragma once

#include "sagbend/base/nonblocking.h"

enum { MAX_WIND_FORCE_ROWS = 73 };

struct wind_force_row {
  double angle_rad; // direction from which the wind comes, clockwise from the bow
  double c[3];      // CX, CY, CN
};

struct wind_force_def {
  double frontal_area_m2, lateral_area_m2, length_m, air_density_kgpm3;
  double speed_factor; // wind speed at the height of the coefficients over that at the sensors
  double filter_s;     // time constant of the low-pass filter
  int row_count; // increasing angles from 0 to pi (mirrored) or from 0 to below 2 pi; 0: no feed-forward
  struct wind_force_row row[MAX_WIND_FORCE_ROWS];
};

// Wrench of the wind, surge, sway N, yaw N m. along_mps, across_mps: velocity of the air relative to the
// vessel, forward and to starboard.
void wind_force(const struct wind_force_def *def, double along_mps, double across_mps,
                double wrench[3]) NONBLOCKING;
