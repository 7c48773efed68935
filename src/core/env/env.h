// The surroundings: water, current, seabed, and external loads on the vessel. World frame n: NED, z down.
#pragma once

#include "core/base/nonblocking.h"
#include "core/env/profile.h"
#include "core/env/waves.h"
#include "core/env/wind.h"
#include "core/math/vec3.h"

enum seabed_kind { SEABED_NONE, SEABED_SPRING, SEABED_LINEAR };
enum seabed_contact { CONTACT_UNDERSIDE, CONTACT_AXIS };
enum load_frame { LOAD_WORLD, LOAD_BODY };
enum { MAX_LOADS = 16, MAX_CURRENT_POINTS = 32 };

struct current_point {
  double depth_m;
  double speed_mps;
  double direction_rad; // towards, clockwise from north (x)
};

struct current_def {
  double surface_mps;   // without points: speed at z = 0, falling linearly to zero at the seabed
  double direction_rad; // towards, clockwise from north (x)
  struct current_point
      points[MAX_CURRENT_POINTS]; // by growing depth; the velocity is linear between, constant beyond
  int point_count;
  struct time_profile profile; // in time
};

// A seabed that is a plane, depth_m below the surface at a reference point.
struct seabed_slope_def {
  double angle_rad;      // 0: level
  double direction_rad;  // towards which it falls, clockwise from north (x)
  double reference_m[2]; // x, y
};

// The seabed's level on a grid of nodes, instead of a plane.
struct bathymetry_def {
  int north_nodes, east_nodes; // 0: none; otherwise at least 2
  double north_m, east_m;      // of the south-western node, in n
  double spacing_m;
  const double *z_m; // [north][east]; borrowed until the simulator has been created
};

// A force and moment on the vessel at its reference point.
struct load_def {
  enum load_frame frame;       // of the wrench: world n or body b
  double wrench[6];            // N, N m
  struct time_profile profile; // in time
};

struct env_def {
  double gravity_mps2;
  double water_density_kgpm3;
  double depth_m; // level of the seabed, z; of a sloping one at its reference point; beside bathymetry a
                  // level near it
  struct seabed_slope_def slope;
  struct bathymetry_def bathymetry;
  enum seabed_kind seabed;
  double seabed_stiffness_npm3; // SEABED_LINEAR: per length and diameter
  double seabed_damping_nspm3;  // normal, per length and diameter, while in contact
  int seabed_suction;           // the damper also holds back what leaves the ground
  double friction_axial,
      friction_lateral;               // Coulomb coefficients along and across the pipe; both 0: no friction
  double friction_stiffness_npm2;     // of the elastic part, per length
  enum seabed_contact seabed_contact; // what meets depth_m: the pipe's underside or its axis
  struct current_def current;
  struct wind_def wind;
  struct waves_def waves;
  struct load_def loads[MAX_LOADS];
  int load_count;
};

// The current as velocities by depth, ready to be looked up.
struct current {
  int count; // at least 2
  double z_m[MAX_CURRENT_POINTS];
  vec3 v_n[MAX_CURRENT_POINTS];
};
struct current current_of(const struct current_def *def, double depth_m);

// What time makes of the current, the same at all depths: a factor and a turn about the vertical, as
// u(z, t) = along v(z) + across e3 x v(z).
struct current_turn {
  double along, across;
};
struct current_turn current_turn_at(const struct current_def *def, double time_s) NONBLOCKING;
// Over a stretch of time: in its middle, and the change from its start to its end without jumps (where the
// profile switches the current on or off). The change is the exact integral of the water's local
// acceleration.
struct current_span {
  struct current_turn middle, change;
};
struct current_span current_over(const struct current_def *def, double middle_s,
                                 double duration_s) NONBLOCKING;

// Velocity of the water (or its change, of a turn that is one) at depth z, m/s in n.
static inline vec3 current_at(const struct current *c, struct current_turn turn, double z_m) {
  int i = 1;
  while (i < c->count - 1 && c->z_m[i] < z_m)
    i++;
  double share = (z_m - c->z_m[i - 1]) / (c->z_m[i] - c->z_m[i - 1]);
  share = share < 0 ? 0 : share > 1 ? 1 : share;
  vec3 v = vec3_axpy(share, vec3_sub(c->v_n[i], c->v_n[i - 1]), c->v_n[i - 1]);
  return (vec3){turn.along * v.x - turn.across * v.y, turn.along * v.y + turn.across * v.x, turn.along * v.z};
}

// Sum of the loads at a time, as a wrench at the reference point: force and moment in b for attitude R (b to
// n).
void loads_at(const struct env_def *env, double time_s, const mat3 *attitude, double wrench_b[6]) NONBLOCKING;
