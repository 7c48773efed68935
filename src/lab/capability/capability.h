// The weather that a vessel holds: static balance by the levels of DNV-ST-0111.
#pragma once

#include "os/cli/cli.h"
#include "sagbend/base/base.h"
#include "sagbend/case/case.h"
#include "sagbend/power/power.h"
#include "sagbend/reach/reach.h"
#include "sagbend/thrusters/thrusters.h"
#include "sagbend/vessel/vessel.h"

// ------------------------------------------------------------
// Wind with the sea and the current that belong to it: the conditions of DNV-ST-0111 (December 2021), table
// of the numbers 1 to 11.

enum { WEATHER_NUMBERS = 11 };

struct weather {
  double wind_mps;
  double wave_height_m, peak_period_s; // significant height, JONSWAP of the standard
  double current_mps;
};

// Number 0: calm.
struct weather weather_of(int number);
// The condition of a wind speed, linear between the numbers; below number 1 height and current fall with the
// wind to zero at constant period. Not beyond the last number.
struct weather weather_at(double wind_mps);

// ------------------------------------------------------------
// Level 1 of DNV-ST-0111 (December 2021): loads and thrust by the standard's formulas. Axes of the standard:
// x forward, y to port, moments counter-clockwise, from midships on the centre line; directions of the
// weather clockwise from the bow, where it comes from; directions of thrust counter-clockwise from the bow.

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

// The thrusters that run, with thrust 1 N in every direction that no loss reduces; stopped: bit i of thruster
// i. Unit j of the set is thruster unit_of[j].
enum status level1_shapes(const struct level1 *level, unsigned stopped, struct reach *shapes,
                          int unit_of[REACH_UNITS], struct reason *why);

// shapes with the thrust in a condition.
void level1_thrust(const struct level1 *level, const struct reach *shapes, const int unit_of[REACH_UNITS],
                   const struct weather *weather, double direction_rad, struct reach *out);

// ------------------------------------------------------------
// Level 2: the simulator's own loads on the vessel at rest, and its own thrusters. Body frame: x forward, y
// to starboard, moments clockwise, about the reference point; directions of the weather clockwise from the
// bow, where it comes from.

enum { DRIFT_STEPS = 160 };

struct level2 {
  const struct sim_def *def;
  struct vessel vessel;
  struct windage windage;
  struct wind_def wind; // of 1 m/s
  double gamma;         // peak enhancement of the sea
  double omega_radps[DRIFT_STEPS], width_radps[DRIFT_STEPS];
  double reflection[DRIFT_STEPS];
};

void level2_of(const struct config *config, struct level2 *out);

// Mean drift over the frequencies in one direction: surge, sway N/m2, yaw N m/m2 per squared amplitude.
struct level2_drift {
  double c[DRIFT_STEPS][3];
};
void level2_drift_of(const struct level2 *level, double direction_rad, struct level2_drift *out);

struct level2_loads {
  double wind[3], current[3], waves[3];
};
// Wind and waves come from direction_rad, the current from current_rad.
struct level2_loads level2_loads_of(const struct level2 *level, const struct level2_drift *drift,
                                    const struct weather *weather, double direction_rad, double current_rad);

// What is left of the power after these buses and generators are lost; bit i of each: their index. A plant
// without generators has what each bus has available. The thrusters that it leaves without a live bus: bit i
// of thruster i.
unsigned level2_left_after(const struct plant_def *plant, unsigned buses, unsigned generators,
                           struct power_left *out);

// The thrusters that run, at this speed of the current, with the limits of their islands; stopped: bit i of
// thruster i. Unit j is thruster unit_of[j]; bus b of the set is the island whose first bus is b.
// STATUS_BAD_INPUT: a thruster has too many parts.
enum status level2_thrust(const struct plant_def *plant, unsigned stopped, const struct power_left *power,
                          double current_mps, struct reach *out, int unit_of[REACH_UNITS],
                          struct reason *why);

// Force of the pipe on the vessel: surge N, sway N, yaw N m, where a current of this speed comes from a
// direction, with the hang-off where still water leaves it.
struct level2_pipe {
  struct sim_def *def; // owned
  void *memory;        // owned
  size_t size;
};
enum status level2_pipe_open(const struct config *config, struct level2_pipe *pipe, struct reason *why);
enum status level2_pipe_force(const struct level2_pipe *pipe, double current_mps, double direction_rad,
                              double force_b[3], struct reason *why);
void level2_pipe_close(struct level2_pipe *pipe);

// ------------------------------------------------------------
// sagbend capability: the weather in which the vessel holds its position, in every direction, intact and
// after every failure. A static balance: loads times a factor, against what the thrusters give together.
// docs/capability.md

struct capability_options {
  const struct case_options *given;
  int level, step_deg;
  double dynamic_factor;
  const char *failures, *external; // as on the command line; NULL: not given
  const char *current;             // so is this
  const char *csv_path, *svg_path; // NULL: not given
  int json;
};

// STATUS_BAD_INPUT: the configuration or an option; STATUS_IO: a file cannot be written, or a single failure
// is worse than the declared ones (the result is written all the same). Errors that were printed leave why
// empty.
enum status capability(const struct capability_options *options, struct reason *why);

// A case: the vessel intact, or after a failure.
enum {
  CAPABILITY_CASES = 1 + MAX_THRUSTERS + MAX_BUSES + MAX_GENERATORS + MAX_FAILURE_GROUPS,
  CAPABILITY_DIRECTIONS = 360
};
struct capability_case {
  char name[SIGNAL_NAME + 16];
  unsigned stopped;        // thrusters: failed, on a lost bus or on one that nothing supplies any more
  struct power_left power; // for the thrusters; without a power plant each bus is an island
  struct failed_item item; // what fails; of the intact vessel: no meaning
  int is_declared;         // a worst-case failure of the design intent
};

// One direction of one case.
struct capability_point {
  int number;                  // of the standard's weather; 0: not even number 1
  double at, next;             // utilisation at the number and at the next; 0: there is none
  double limit_mps;            // wind
  int beyond;                  // nothing fails up to the last number: limit_mps is its wind
  double share[MAX_THRUSTERS]; // of each thruster's largest force, when the first cannot give more
  double bus_w[MAX_BUSES];     // power at the number's weather
  double bound;                // proven relative gap of the utilisation at the number
};

struct capability_model {
  int level;
  double factor;
  struct config config;
  struct level1 one;
  struct level2 two;
  const char *external; // none, pipe or X,Y,N
  int with_pipe;
  double fixed_b[3];               // external force that does not depend on the weather
  int has_current;                 // a given one stands for those of the table
  double current_mps, current_rad; // and comes from there, clockwise from the bow
  struct level2_pipe pipe;
  double pipe_b[CAPABILITY_DIRECTIONS][4][3]; // with a current of 0, 0.25, 0.5, 0.75 m/s
  int case_count, direction_count;
  int declared_count; // cases of the design intent; 0: none is declared, or not all of them are in the list
  int is_complete;    // the list has all kinds of failures
  struct capability_case cases[CAPABILITY_CASES];
  double direction_rad[CAPABILITY_DIRECTIONS];
  struct level2_drift *drift; // of each direction, at level 2
  struct reach *shapes;       // of each case, at level 1
  int (*unit_of)[REACH_UNITS];
  struct reach set;               // scratch
  struct capability_point *point; // [case][direction]
};

// Loads without the factor, and external force; body axes, forward, starboard, clockwise.
struct capability_loads {
  double wind[3], current[3], waves[3], external[3];
};
struct capability_loads capability_loads_at(const struct capability_model *m, int direction,
                                            const struct weather *weather);

// Where a single failure leaves less than the worst of the declared ones does in the same direction.
struct capability_worse {
  int cases;              // number of cases that are worse in some direction
  int directions;         // in which some case is
  int of_case, direction; // of the largest difference
  double by_mps;          // change of the limiting wind
};
int capability_is_worse(const struct capability_model *m, int c, int direction); // 1: beyond rounding
double capability_declared_mps(const struct capability_model *m, int direction); // limiting wind of the worst
int capability_declared_number(const struct capability_model *m, int direction);
struct capability_worse capability_compare(const struct capability_model *m);

// Fills the points. STATUS_NOT_CONVERGED: a ray cast failed; why names case and direction.
enum status capability_solve(struct capability_model *m, struct reason *why);

// Least number over all directions, or within 30 degrees of the bow, over the cases [first, end).
int capability_least(const struct capability_model *m, int first, int end, int near_bow);
const struct capability_point *capability_point_at(const struct capability_model *m, int c, int direction);

void capability_print(const struct capability_model *m);
enum status capability_print_json(const struct capability_model *m, struct reason *why);
enum status capability_write_csv(const struct capability_model *m, const char *path, struct reason *why);
enum status capability_write_svg(const struct capability_model *m, const char *path, struct reason *why);

// ------------------------------------------------------------
// How much of what the vessel can hold the weather of its own case takes: the mean loads of its wind, waves
// and current, and the pull of its pipe, against what the thrusters give together in that direction at
// level 2. No spectrum of gusts, no dynamics.

// What is lost. name: as in the configuration.
struct present_loss {
  unsigned thrusters, buses, generators; // bit i: index in the plant
};

// share[i]: the load over the largest one in its direction that is held, after loss i; infinite: nothing is
// held. STATUS_BAD_INPUT: the vessel has no thrusters, or its loads are not known to the simulator;
// STATUS_NOT_CONVERGED: statics or allocation.
enum status present_shares(const struct config *config, const struct present_loss *loss, int count,
                           double *share, struct reason *why);
