// What is drawn of a session and does not change from step to step. From the message Session; without one,
// what the other messages permit.
#pragma once

#include "view/scene/scene.h"

#include "sagbend/v1/telemetry.pb-c.h"

enum { SETUP_NAME = 64, SETUP_MAX_THRUSTERS = 32 };

struct setup_thruster {
  char name[SETUP_NAME];
  int has_rudder; // thrust ahead, whatever the angle of its rudder, which stands for the azimuth
  double position_b_m[3];
  double thrust_max_n;
};

enum setup_ground { GROUND_UNKNOWN, GROUND_PLANE, GROUND_GRID };

struct setup_seabed {
  enum setup_ground ground;
  double place_m[2], down_m,
      slope[2];      // plane: level at a place (north, east), deeper per metre north and east
  int rows, columns; // grid: rows from south to north, columns from west to east
  double north_m[SCENE_MAX_GRID], east_m[SCENE_MAX_GRID], level_m[SCENE_MAX_GRID][SCENE_MAX_GRID];
};

// Limits, in the order of enum scene_colour from SCENE_COLOUR_TENSION on; 0: none.
enum setup_limit { LIMIT_TENSION, LIMIT_CURVATURE, LIMIT_MOMENT, LIMIT_COUNT };

struct scene_setup {
  int has_target;
  double target[3]; // the set-point in force, or the start: north, east in m, heading in rad
  int circle_count;
  double circle_m[SCENE_MAX_CIRCLES]; // radii, rising
  int outline_count;
  double outline_m[SCENE_MAX_OUTLINE][2]; // forward, starboard
  double limit[LIMIT_COUNT];              // N, 1/m, N m
  int thruster_count;
  struct setup_thruster thruster[SETUP_MAX_THRUSTERS];
  struct setup_seabed seabed;
};

// Whether the lists of a Session fit together (its numbers are finite).
int setup_is_readable(const Sagbend__V1__Session *session);
void setup_take(struct scene_setup *setup, const Sagbend__V1__Session *session);
