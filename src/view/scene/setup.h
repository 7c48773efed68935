// What is drawn of a session and does not change from step to step. From the message Session; without one,
// what the other messages permit.
#pragma once

#include "view/scene/scene.h"

#include <stdint.h>

enum { SETUP_NAME = 64, SETUP_MAX_THRUSTERS = 32 };

struct setup_thruster {
  char name[SETUP_NAME];
  int is_main; // thrust along the bow, whatever its rudder does
  double position_b_m[3];
  double thrust_max_n;
};

struct setup_seabed { // depths at points with the same distances, north by north, in each row from west to
                      // east
  int rows, columns;  // 0: there is none; 1 x 1: flat
  double north_m, east_m, spacing_north_m, spacing_east_m;
  double down_m[SCENE_MAX_GRID * SCENE_MAX_GRID];
};

// Limits, in the order of enum scene_colour from SCENE_COLOUR_TENSION on; 0: none.
enum setup_limit { LIMIT_TENSION, LIMIT_CURVATURE, LIMIT_MOMENT, LIMIT_COUNT };

struct scene_setup {
  int has_setpoint;
  double setpoint[3]; // north, east in m, heading in rad
  int circle_count;
  double circle_m[SCENE_MAX_CIRCLES]; // radii, rising
  int outline_count;
  double outline_m[SCENE_MAX_OUTLINE][2]; // forward, starboard
  double limit[LIMIT_COUNT];              // N, 1/m, N m
  int thruster_count;
  struct setup_thruster thruster[SETUP_MAX_THRUSTERS];
  struct setup_seabed seabed;
};
