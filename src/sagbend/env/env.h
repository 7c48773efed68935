// The surroundings of vessel and pipe: water, current, wind, waves, seabed, and external loads on the vessel.
// World frame n: x north, y east, z down from the mean sea surface.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/env/profile.h"
#include "sagbend/env/waves.h"
#include "sagbend/env/wind.h"
#include "sagbend/math/math.h"
#include "sagbend/ground/friction_law.h"
#include "sagbend/ground/soil_def.h"

enum seabed_kind {
  SEABED_NONE,
  SEABED_SPRING, // parabola and line from the pipe's weight and diameter (sagbend/env/seabed.h)
  SEABED_LINEAR, // seabed_stiffness_npm3
  SEABED_SOIL    // soil: layers that remember (sagbend/ground/ground.h)
};
enum seabed_contact { CONTACT_UNDERSIDE, CONTACT_AXIS }; // what of the pipe meets the ground
enum load_frame { LOAD_WORLD, LOAD_BODY };
enum { MAX_LOADS = 16, MAX_CURRENT_POINTS = 32 };

struct current_point {
  double depth_m; // below the mean sea surface
  double speed_mps;
  double direction_rad; // in which it flows, clockwise from north
};

// A current as configured. The velocity varies linearly between the points and is constant above the first
// and below the last. Without points it falls linearly from surface_mps at z = 0 to zero at the seabed.
struct current_def {
  double surface_mps;                              // without points: speed at the surface
  double direction_rad;                            // without points: in which it flows, clockwise from north
  struct current_point points[MAX_CURRENT_POINTS]; // by increasing depth
  int point_count;
  struct time_profile profile; // in time: a factor, and in a table a turn
};

// A plane seabed, env_def.depth_m below the surface at a reference point.
struct seabed_slope_def {
  double angle_rad;      // of inclination; 0: level
  double direction_rad;  // in which it descends, clockwise from north
  double reference_m[2]; // the reference point: north, east
};

// Level of the seabed at the nodes of a rectangular grid, instead of a plane.
struct bathymetry_def {
  int north_nodes, east_nodes; // 0: no grid; otherwise at least 2 each
  double north_m, east_m;      // position of the south-western node
  double spacing_m;            // between nodes, both ways
  const double *z_m; // [north][east], z of the seabed; borrowed until the simulator has been created
  // [north][east], borrowed likewise: 1 where z_m is not of the survey but that of the nearest node with
  // data. NULL: all are of the survey.
  const unsigned char *is_missing;
};

// A force and moment on the vessel at its reference point.
struct load_def {
  enum load_frame frame;       // of the wrench: world n or body b
  double wrench[6];            // force in N, moment in N m
  struct time_profile profile; // factor in time
};

struct env_def {
  double gravity_mps2;
  double water_density_kgpm3;
  double
      depth_m; // z of the seabed; of a slope at its reference point; with bathymetry a level near the ground
  struct seabed_slope_def slope;
  struct bathymetry_def bathymetry;
  enum seabed_kind seabed;
  double seabed_stiffness_npm3; // SEABED_LINEAR: per length and diameter of pipe
  double seabed_damping_nspm3;  // normal damper in contact, per length and diameter of pipe
  int seabed_suction;           // 1: the damper also resists a pipe that leaves the ground
  struct friction_def friction;
  enum seabed_contact seabed_contact;
  struct soil_def soil; // SEABED_SOIL
  struct current_def current;
  struct wind_def wind;
  struct waves_def waves;
  struct load_def loads[MAX_LOADS];
  int load_count;
};

// Whether water ever moves with it.
static inline int current_is_configured(const struct current_def *def) {
  return def->point_count > 0 || def->surface_mps != 0;
}

// The current as velocities by depth, ready for look-up.
struct current {
  int count;                      // of points, at least 2
  double z_m[MAX_CURRENT_POINTS]; // increasing
  vec3 v_n[MAX_CURRENT_POINTS];   // m/s, without the profile in time
};

// Prepares the look-up. depth_m: where a current without points ends.
struct current current_of(const struct current_def *def, double depth_m);

// How time scales and turns the current, the same at all depths: u(z, t) = along v(z) + across e3 x v(z).
struct current_turn {
  double along, across;
};

struct current_turn current_turn_at(const struct current_def *def, double time_s) NONBLOCKING;

// The current over an interval: its turn in the middle, and the change of the turn from start to end. The
// change omits the jumps where the profile switches the current on or off. It is the exact integral of the
// water's local acceleration.
struct current_span {
  struct current_turn middle, change;
};

struct current_span current_over(const struct current_def *def, double middle_s,
                                 double duration_s) NONBLOCKING;

// Velocity of the water at depth z, m/s in n; with a change of turn, the change of velocity.
static inline vec3 current_at(const struct current *current, struct current_turn turn, double z_m) {
  int i = 1;
  while (i < current->count - 1 && current->z_m[i] < z_m)
    i++;

  double share = (z_m - current->z_m[i - 1]) / (current->z_m[i] - current->z_m[i - 1]);
  share = share < 0 ? 0 : share > 1 ? 1 : share;
  vec3 v = vec3_axpy(share, vec3_sub(current->v_n[i], current->v_n[i - 1]), current->v_n[i - 1]);
  return (vec3){turn.along * v.x - turn.across * v.y, turn.along * v.y + turn.across * v.x, turn.along * v.z};
}

// Sum of the loads at a time about the vessel's reference point: force (N) and moment (N m) in b. attitude:
// R, body to world.
void loads_at(const struct env_def *env, double time_s, const mat3 *attitude, double wrench_b[6]) NONBLOCKING;
