// The wind's force on the vessel from coefficients by the angle of the relative wind. docs/weather.md.
#pragma once

#include "core/env/wind.h"
#include "core/vessel/vessel_def.h"

enum { WINDAGE_ROWS = 2 * MAX_WIND_ROWS + 1 }; // mirrored and closed

struct windage {
  int present;
  double scale[4]; // on c rho V^2 / 2: areas and lengths
  double air_density_kgpm3;
  double height_m;
  vec3 point_b_m;
  int count; // the last row is the first one, a turn on
  double angle_rad[WINDAGE_ROWS], c[WINDAGE_ROWS][4], slope[WINDAGE_ROWS][4];
};
struct windage windage_of(const struct windage_def *def, double air_density_kgpm3);

// CX, CY, CK, CN at an angle the wind comes from, clockwise from the bow; C1 and periodic.
void windage_coefficients(const struct windage *w, double angle_rad, double c[4]);

// Wrench about the reference point, b, in air that moves with air_b, for a vessel moving with nu.
void windage_wrench(const struct windage *w, vec3 air_b_mps, const double nu[6], double wrench_b[6]);
