// The stinger as configured.
#pragma once

// A stinger: rollers of the vessel that carry the pipe aft of the hang-off, on a straight ramp and an arc, or
// at listed places (stinger_stinger.h). b: body frame of the vessel.
enum { MAX_STINGER_SUPPORTS = 128 };
struct stinger_place {
  double at_b_m[3]; // axis of the pipe on a support
};
struct stinger_def {
  struct stinger_place support[MAX_STINGER_SUPPORTS]; // from the hang-off towards the tip
  int support_count;                                  // of the list; 0: ramp and arc
  int ramp_supports, arc_supports;                    // both 0, and no list: no stinger
  double start_b_m[3];                                // axis of the pipe on the first support of the arc
  double slope_rad;           // of the ramp, and of the axis there: below the horizontal, towards the stern
  double radius_m, spacing_m; // of the pipe's axis on the arc; of the supports along the axis
  double roller_radius_m;
  double v_angle_rad;   // of each of the two rollers of a support to the vessel's y axis; 0: one roller
  double stiffness_npm; // of a roller
  double soft_m;        // overlap up to which the stiffness rises from 0
  int holds;            // 1: linear rollers that also pull, for comparisons
  double friction;      // Coulomb coefficient along the pipe
  double friction_stiffness_npm; // of the friction spring of a roller
};
