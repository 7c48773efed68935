// What a configuration says of the vessel. Body frame b: x forward, y starboard, z down, origin at the reference point.
#pragma once

struct vessel_def {
  double mass_kg;                 // displacement mass m of the restoring moments m g GM
  double inertia[6][6];           // M = M_RB + M_A about the reference point, SI, symmetric positive definite
  double damping_linear[6][6];    // symmetric positive semidefinite, SI
  double damping_quadratic[6];    // diagonal: force -d |nu_i| nu_i
  double waterplane_area_m2;      // A_wp
  double gm_transverse_m;         // GM_T
  double gm_longitudinal_m;       // GM_L
  double flotation_b_m[3];        // r_F, centre of flotation
  double equilibrium_z_m;         // z_eq of the centre of flotation
  double position_n_m[3];         // initial position (x, y are overruled by the pipe's statics)
  double euler_rad[3];            // initial roll, pitch, yaw
  double velocity_b[6];           // initial nu: m/s, rad/s
  double hangoff_b_m[3];          // r_h
};
