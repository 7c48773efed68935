// What only sagbend capability reads: particulars of the vessel for the level-1 loads of DNV-ST-0111, and the
// groups of equipment that fail together.
#pragma once

#include "core/signals/readings.h"

enum { MAX_SKEGS = 8, MAX_FAILURE_GROUPS = 32 };

// Longitudinal positions count from midships (vessel.hull.centre_x_b_m), positive forward.
struct capability_def {
  double underwater_length_m; // 0: not given, here and in what follows
  double underwater_centre_m;
  double bow_angle_rad;
  double waterplane_aft_m2;
  double wind_centre_m, current_centre_m; // NaN: not given
  double current_area_m2;
  int skeg_count;
  double skeg_m[MAX_SKEGS][2]; // aft edges: forward of midships, to starboard
};

struct failure_group_def {
  char name[SIGNAL_NAME];
  unsigned thrusters, buses; // bit i: index in the plant
};
