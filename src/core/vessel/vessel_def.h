// What a configuration says of the vessel. Body frame b: x forward, y starboard, z down, origin at the
// reference point.
#pragma once

#include "core/vessel/plant_def.h"

enum { MAX_WIND_ROWS = 73, MAX_FORCE_ROWS = 800, MAX_DRIFT_ROWS = 800 };

// Coefficients of the wind's force at one angle it comes from, clockwise from the bow.
struct wind_row {
  double angle_rad;
  double c[4]; // CX, CY, CK, CN; docs/weather.md has the signs
};

// What the wind meets. With rows: by growing angle, from 0 to 180 degrees (mirrored) or from 0 to below 360.
struct windage_def {
  int present;
  double frontal_area_m2, lateral_area_m2, length_m;
  double height_m;     // whose wind the coefficients are for, above the mean sea surface
  double point_b_m[3]; // the moments are about it, and its velocity counts
  int row_count;       // 0: closed form from what follows (Blendermann 1994)
  struct wind_row rows[MAX_WIND_ROWS];
  double drag_transverse, drag_bow, drag_stern; // CD_t, CD_l,AF at 0 and at 180 degrees
  double cross_force, rolling;                  // delta, kappa
  double centroid_forward_m, centroid_height_m; // of the lateral area, from point_b
};

// First-order wave force per metre of amplitude at a frequency and heading, the angle of the wave's travel
// from the bow, clockwise (0: following sea): force = amplitude cos(2 pi f t + phase) where the surface at
// the reference point rises as cos(2 pi f t). By growing frequency, and within one by growing heading, the
// same for all: 0 to 180 degrees (mirrored) or from 0 to below 360.
struct force_row {
  double omega_radps, heading_rad;
  double amplitude[6], phase_rad[6]; // N/m, N m/m, body axes
};

// Mean drift force per square metre of amplitude, laid out in the same way.
struct drift_row {
  double omega_radps, heading_rad;
  double c[3]; // surge, sway N/m2, yaw N m/m2
};

struct wave_response_def {
  int present;
  int first_order, drift;           // act
  double length_m, beam_m, draft_m; // of the box, which stands in for whatever has no rows
  double centre_x_b_m;              // of the box
  int force_count, drift_count;
  struct force_row force[MAX_FORCE_ROWS];
  struct drift_row drift_rows[MAX_DRIFT_ROWS];
};

struct vessel_def {
  double mass_kg;              // displacement mass m of the restoring moments m g GM
  double inertia[6][6];        // M = M_RB + M_A about the reference point, SI, symmetric positive definite
  double added_mass[6][6];     // M_A, part of the above
  double damping_linear[6][6]; // symmetric positive semidefinite, SI
  double damping_quadratic[6]; // diagonal: force -d |nu_i| nu_i
  double waterplane_area_m2;   // A_wp
  double gm_transverse_m;      // GM_T
  double gm_longitudinal_m;    // GM_L
  double flotation_b_m[3];     // r_F, centre of flotation
  double equilibrium_z_m;      // z_eq of the centre of flotation
  double position_n_m[3];      // initial position (x, y are overruled by the pipe's statics)
  double euler_rad[3];         // initial roll, pitch, yaw
  double velocity_b[6];        // initial nu: m/s, rad/s
  double hangoff_b_m[3];       // r_h
  int current_acts;            // damping is on the velocity relative to the current at the surface
  struct windage_def windage;
  struct wave_response_def waves;
  struct plant_def plant; // thrusters and their power; none: thruster_count 0
};
