// Level 1 of DNV-ST-0111 (December 2021): loads and thrust by the standard's formulas. Axes of the standard:
// x forward, y to port, moments counter-clockwise, from midships on the centre line; directions of the
// weather clockwise from the bow, where it comes from; directions of thrust counter-clockwise from the bow.
#pragma once

#include "lab/capability/weather.h"
#include "sagbend/base/status.h"
#include "sagbend/dp/reach.h"
#include "sagbend/case/config.h"

struct level1_hull {
  double length_m, beam_m, draft_m;                       // Lpp, B, T
  double underwater_length_m, underwater_centre_m;        // Los, x_Los
  double bow_angle_rad, waterplane_aft_m2;                // beta, AWL,aft
  double frontal_area_m2, lateral_area_m2, wind_centre_m; // AF, AL, x_air
  double current_area_m2, current_centre_m;               // A_L,cur, x_cur
};

struct level1_thruster {
  enum thruster_kind kind;
  double place_m[2], height_m; // x, y; z above the keel
  double diameter_m, power_w;
  double nominal_n;      // without the factor 0.9
  double astern;         // main propeller: share of the thrust astern
  double wash, keep_off; // stopped azimuth in the wash: 0.35 or 0.6; to 4 or 8 diameters
  double skeg_reach;     // diameters to a skeg within which it takes thrust: 8 or 15
};

struct level1 {
  struct level1_hull hull;
  int thruster_count, skeg_count;
  struct level1_thruster thruster[MAX_THRUSTERS];
  double skeg_m[MAX_SKEGS][2];
};

// Takes the particulars. STATUS_BAD_INPUT: one is missing or not allowed; why names its key and what it is.
enum status level1_of(const struct config *config, struct level1 *out, struct reason *why);

// X, Y, N of wind, current and waves.
struct level1_loads {
  double wind[3], current[3], waves[3];
};
struct level1_loads level1_loads_of(const struct level1_hull *hull, const struct weather *weather,
                                    double direction_rad);

// Factor for ventilation.
double level1_ventilation(const struct level1 *level, int thruster, const struct weather *weather,
                          double direction_rad);

// Share of the thrust that skegs, and stopped azimuth thrusters in the wash, leave in a direction of thrust.
double level1_skeg_share(const struct level1 *level, int thruster, double angle_rad);
double level1_wash_share(const struct level1 *level, int thruster, unsigned stopped, double angle_rad);

// The thrusters that run, with thrust 1 N in every direction that no loss reduces; stopped: bit i of thruster
// i. Unit j of the set is thruster unit_of[j].
enum status level1_shapes(const struct level1 *level, unsigned stopped, struct reach *shapes,
                          int unit_of[REACH_UNITS], struct reason *why);

// shapes with the thrust in a condition.
void level1_thrust(const struct level1 *level, const struct reach *shapes, const int unit_of[REACH_UNITS],
                   const struct weather *weather, double direction_rad, struct reach *out);
