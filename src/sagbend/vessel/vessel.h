// Definition of the vessel, as a configuration gives it. Body frame b: x forward, y starboard, z down, origin
// at the reference point. World frame n: x north, y east, z down. SI units, radians.
#pragma once

#include "sagbend/vessel/hydro_data.h"
#include "sagbend/vessel/plant_def.h"

enum { MAX_ANGLE_ROWS = 73, MAX_WIND_ROWS = MAX_ANGLE_ROWS, MAX_CURRENT_ROWS = MAX_ANGLE_ROWS };
enum { MAX_FORCE_ROWS = 800, MAX_DRIFT_ROWS = 800 };

// Wind force coefficients for one direction.
struct wind_row {
  double angle_rad; // direction from which the relative wind comes, clockwise from the bow
  double c[4];      // CX, CY, CK, CN; docs/weather.md gives the signs
};

// Wind load of the hull and superstructure.
struct windage_def {
  int present;
  double frontal_area_m2, lateral_area_m2, length_m;
  double height_m;     // height above the mean sea surface of the wind speed that the coefficients refer to
  double point_b_m[3]; // the moments refer to this point; its velocity counts in the relative wind

  // Measured coefficients by increasing angle, from 0 to 180 degrees (mirrored) or from 0 to below 360.
  int row_count; // 0: closed form of Blendermann (1994) with the coefficients below
  struct wind_row rows[MAX_WIND_ROWS];

  double drag_transverse, drag_bow, drag_stern; // CD_t; CD_l,AF at 0 and at 180 degrees
  double cross_force, rolling;                  // delta, kappa
  double centroid_forward_m, centroid_height_m; // centroid of the lateral area relative to point_b_m
};

// Current force coefficients for one direction.
struct current_row {
  double angle_rad; // direction from which the flow along the hull comes, clockwise from the bow
  double c[3];      // CX, CY, CN; docs/weather.md gives the signs
};

// Drag of the water on the hull below the waterline beyond linear and quadratic damping: force coefficients
// by the angle of the flow, or the drag of its sections across the flow. Not both: each contains the drag of
// a flow from the side.
struct hull_def {
  double length_m, beam_m, draft_m; // used by either
  double centre_x_b_m;              // midships of that length

  int row_count; // 0: no coefficients; otherwise by increasing angle, as windage_def.rows
  struct current_row rows[MAX_CURRENT_ROWS];

  int cross_flow;         // 1: the sections act
  double cross_flow_drag; // drag coefficient of a section on its draught; 0: Hoerner's by beam/(2 draught)
};

// First-order wave force per metre of wave amplitude at one frequency and heading. The heading is the
// direction of wave travel from the bow, clockwise; 0 is a following sea. Where the surface at the reference
// point rises as cos(omega t), the force is amplitude cos(omega t + phase). Rows are ordered by increasing
// frequency and, within one, by increasing heading. All frequencies have the same headings: from 0 to 180
// degrees (mirrored) or from 0 to below 360.
struct force_row {
  double omega_radps, heading_rad;
  double amplitude[6], phase_rad[6]; // N/m, N m/m, b
};

// Mean drift force per square metre of wave amplitude, ordered as force_row.
struct drift_row {
  double omega_radps, heading_rad;
  double c[3]; // surge, sway N/m2, yaw N m/m2
};

struct wave_response_def {
  int present;
  int first_order, drift;           // 1: this part acts
  double length_m, beam_m, draft_m; // box that replaces missing rows
  double centre_x_b_m;              // centre of that box
  int force_count, drift_count;
  struct force_row force[MAX_FORCE_ROWS];
  struct drift_row drift_rows[MAX_DRIFT_ROWS];
};

// The axes of the linear damping. In level axes with the vessel's heading it has no mean force in waves; in
// body axes heave velocity times pitch pushes the vessel against the sea, by d <w theta>.
enum damping_axes { DAMPING_BODY, DAMPING_LEVEL };

// 6 x 6 matrices are about the reference point in b, in the order surge, sway, heave, roll, pitch, yaw.
struct vessel_def {
  double mass_kg;              // displacement m, for the restoring moments m g GM
  double inertia[6][6];        // M = M_RB + M_A, symmetric positive definite
  double added_mass[6][6];     // M_A, part of inertia
  double damping_linear[6][6]; // symmetric positive semidefinite
  enum damping_axes damping_axes;
  double damping_quadratic[6];   // diagonal: force -d |nu_i| nu_i
  double waterplane_area_m2;     // A_wp
  double gm_transverse_m;        // GM_T
  double gm_longitudinal_m;      // GM_L
  double flotation_b_m[3];       // r_F, centre of flotation
  double equilibrium_z_m;        // z of the centre of flotation at equilibrium
  double position_n_m[3];        // initial position; with a pipe the statics replace x and y
  double euler_rad[3];           // initial roll, pitch, yaw
  double velocity_b[6];          // initial nu, m/s and rad/s
  double hangoff_b_m[3];         // r_h, position of the hang-off
  struct hydro_memory radiation; // memory of the radiation; with it added_mass is that at infinite frequency
  int current_acts;              // 1: damping and added mass are relative to the current at the surface
  struct hull_def hull;
  struct windage_def windage;
  struct wave_response_def waves;
  const struct hydro_data *hydro; // data of a diffraction code, borrowed; NULL: none
  struct plant_def plant;         // thrusters and power supply; thruster_count 0: none
};
