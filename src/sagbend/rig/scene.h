// What position references measure against: targets, structures that carry some of them, and boxes that stand
// in the line of sight. Pure functions of time and of the vessel's pose. World frame n: north, east, down, m.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/base/status.h"
#include "sagbend/math/math.h"

enum { MAX_TARGETS = 24, MAX_STRUCTURES = 4, MAX_OBSTRUCTIONS = 16, SCENE_NAME = 24 };

// A platform or another vessel: its place at time 0 moves evenly, and swings about that.
struct structure_def {
  char name[SCENE_NAME];
  double position_n_m[3]; // at time 0
  double heading_rad;
  double velocity_n_mps[2];   // north, east
  double swing_m;             // amplitude
  double swing_period_s;      // > 0 where it swings
  double swing_direction_rad; // clockwise from north; the swing starts at 0 in this direction
};

// A transponder, a reflector or a clump weight.
struct target_def {
  char name[SCENE_NAME];
  char structure_name[SCENE_NAME]; // empty: of the world
  int structure;                   // index; -1: of the world
  double position_m[3];            // n, or in the axes of the structure: forward, starboard, down
};

enum obstruction_on { ON_WORLD, ON_VESSEL, ON_STRUCTURE };

// A box parallel to the axes of what it stands on. It moves evenly from from_s on, as a load in a crane does.
struct obstruction_def {
  char name[SCENE_NAME];
  char on_name[SCENE_NAME]; // "world", "vessel" or a structure
  enum obstruction_on on;
  int structure;
  double box_m[2][3]; // least and largest corner
  double velocity_mps[3];
  double from_s, to_s; // while it stands there; to_s 0: to the end
};

struct scene_def {
  int structure_count, target_count, obstruction_count;
  struct structure_def structure[MAX_STRUCTURES];
  struct target_def target[MAX_TARGETS];
  struct obstruction_def obstruction[MAX_OBSTRUCTIONS];
};

// A set of axes: vectors of it become n by attitude.
struct scene_frame {
  vec3 origin_n;
  mat3 attitude;
};

struct scene_frame scene_structure(const struct structure_def *structure, double time_s) NONBLOCKING;
vec3 scene_target(const struct scene_def *scene, int target, double time_s) NONBLOCKING;

// Whether no box that stands at this time cuts the segment between two points (n). A point inside a box or on
// it is hidden.
int scene_is_in_sight(const struct scene_def *scene, const struct scene_frame *vessel, double time_s,
                      vec3 from_n, vec3 to_n) NONBLOCKING;

// Names to indices: structures of targets, and what obstructions stand on. STATUS_BAD_INPUT: key names the
// item and its member, as in "targets.2.structure".
enum status scene_resolve(struct scene_def *scene, char key[64], struct reason *why);
