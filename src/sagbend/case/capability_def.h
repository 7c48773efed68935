// What only sagbend capability reads: particulars of the vessel for the level-1 loads of DNV-ST-0111, and the
// groups of equipment that fail together.
#pragma once

#include "sagbend/signals/readings.h"

enum { MAX_SKEGS = 8, MAX_FAILURE_GROUPS = 32, MAX_DESIGN_INTENT = 8 };

// Equipment that fails, and its index in the plant or among the groups.
enum failed_kind { FAILED_THRUSTER, FAILED_BUS, FAILED_GENERATOR, FAILED_GROUP, FAILED_KINDS };
struct failed_item {
  enum failed_kind kind;
  int index;
};
// "thruster", "bus", "generator", "group".
const char *failed_kind_name(enum failed_kind kind);

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
  int intent_count;            // worst-case failure design intent; 0: none is declared
  struct failed_item intent[MAX_DESIGN_INTENT];
};

struct failure_group_def {
  char name[SIGNAL_NAME];
  unsigned thrusters, buses, generators; // bit i: index in the plant
};
